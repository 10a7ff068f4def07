"""Functions of thatch that prove something, called on small problems and checked."""

from __future__ import annotations

import contextlib
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from random import Random
from typing import Any
from unittest import mock

from fuzz.attack import checks
from fuzz.attack.checks import Fault
from fuzz.attack.problems import Case, limit
from fuzz.attack.truth import Truth, mask_of
from fuzz.solvers import solvers

from thatch import cover, solve
from thatch.planning import alternatives, sweep
from thatch.problem.constraints import DECIDED
from thatch.scale import LocalEngine, ShardedProblem
from thatch.solvers.highs import process

#: What takes longer counts as a fault: most calls take milliseconds, if the machine
#: does nothing else.
MAX_SECONDS = 120
#: Arguments that say what `cover` is to reach.
TARGETS = ("share", "share_of", "weight")
_QUIET = {"num_threads": 1, "progress": False}


def faults(case: Case) -> list[Fault]:
    """What is wrong with the answer to a case, the worst first.

    An answer that is wrong by rounding alone is less bad than any other.
    """
    truth = Truth(case)
    check = _CHECKS[case.call["function"]]
    try:
        with (
            _time_limit(MAX_SECONDS),
            _highs_in_threads(),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("error", RuntimeWarning)
            found = list(check(case, truth))
    except _TooSlowError:
        found = [Fault(f"no answer after {MAX_SECONDS} s")]
    return sorted(found, key=lambda fault: fault.is_rounding)


class _TooSlowError(BaseException):
    """Not an `Exception`, so that nothing takes it for an error of a task."""


@contextlib.contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    def stop(_signal: int, _frame: object) -> None:
        raise _TooSlowError

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    former = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


def _highs_in_threads() -> contextlib.AbstractContextManager[object]:
    """Run HiGHS in this process: starting one takes longer than a small problem."""
    return mock.patch.object(process, "_new_process", lambda _module: None)


def drawn_solve(rng: Random, case: Case) -> dict[str, Any]:
    """A solver that accepts the constraints; most often the default one or exact."""
    problem = case.problem()
    kinds = () if problem.constraints is None else problem.constraints.kinds
    accepted = [
        name
        for name, solver in solvers().items()
        if set(kinds) <= DECIDED | getattr(solver, "accepts", frozenset())
    ]
    if problem.constraints is None and rng.random() < 0.01:
        return {"function": "shards", "num_shards": rng.randint(1, 3)}
    first = rng.choice(["auto", "auto", "exact", None])
    return {"function": "solve", "solver": first or rng.choice(accepted)}


def drawn_cover(rng: Random, case: Case) -> dict[str, Any]:
    """A target of `cover`: everything, a share, or a weight that can be reached."""
    kind = rng.choice(["everything", "share", "weight"])
    if kind == "share":
        share = rng.choice([0.07, 0.1, 0.3, 0.5, 0.9, 0.95, 1.0, 1 / 3, rng.random()])
        return {"function": "cover", "share": share, "share_of": "coverable"}
    if kind == "weight":
        truth = Truth(case)
        reached = truth.rounded_value(rng.choice(truth.values))
        part = rng.choice([1.0, 1.0, 1.0, 0.5, 1 - 2**-53, 1 - 1e-9, 1 + 2**-52])
        most = truth.rounded_value(truth.coverable)
        return {"function": "cover", "weight": min(reached * part, most)}
    return {"function": "cover"}


def drawn_plan(rng: Random, case: Case) -> dict[str, Any]:
    """Budgets of a sweep, or how many alternatives."""
    if rng.random() < 0.3:
        differ = rng.choice([0.1, 0.2, 0.5, 1.0])
        return {"function": "alternatives", "n": rng.randint(1, 4), "differ": differ}
    budgets = sorted({limit(rng, case.costs) for _ in range(rng.randint(1, 5))})
    return {"function": "sweep", "budgets": budgets, "nested": rng.random() < 0.3}


def _solve_faults(case: Case, truth: Truth) -> Iterator[Fault]:
    problem = case.problem()
    try:
        result = solve(problem, solvers()[case.call["solver"]], **_QUIET)
    except Exception as error:
        yield from checks.of_refusal(error, truth.optimum(case.budget) is not None)
        return
    yield from checks.of_result(truth, result, case.budget, problem=problem)


def _shard_faults(case: Case, truth: Truth) -> Iterator[Fault]:
    with tempfile.TemporaryDirectory() as folder:
        try:
            sharded = ShardedProblem.from_problem(
                case.problem(), folder, num_shards=case.call["num_shards"]
            )
            result = solve(sharded, engine=LocalEngine(1), **_QUIET)
        except Exception as error:
            yield from checks.of_refusal(error, is_possible=True)
            return
        yield from checks.of_result(truth, result, case.budget)


def _cover_faults(case: Case, truth: Truth) -> Iterator[Fault]:
    target = {name: case.call[name] for name in TARGETS if name in case.call}
    try:
        result = cover(case.problem(), **target, **_QUIET)
    except Exception as error:
        strict = checks.targets(truth, case.call).strict
        yield from checks.of_refusal(error, truth.least_cost(strict) is not None)
        return
    yield from checks.of_cover(truth, result, case.call)


def _sweep_faults(case: Case, truth: Truth) -> Iterator[Fault]:
    budgets, nested = case.call["budgets"], case.call["nested"]
    try:
        swept = sweep(case.problem(), budgets, nested=nested, num_threads=1)
    except Exception as error:
        # What is feasible at one budget is feasible at larger ones, and nested.
        yield from checks.of_refusal(error, truth.optimum(min(budgets)) is not None)
        return
    if swept.budgets.tolist() != budgets:
        yield Fault("the budgets are not those given", f"{swept.budgets}")
        return
    for budget, result in zip(budgets, swept, strict=True):
        problem = result.selection.problem
        for fault in checks.of_result(truth, result, budget, problem=problem):
            yield Fault(fault.kind, f"{fault.detail}, at the budget {budget!r}")
    for one, other in pairwise(swept):
        if one.selection.value > other.selection.value:
            numbers = f"{one.selection.value!r}, then {other.selection.value!r}"
            yield Fault("the value falls as the budget grows", numbers)
    if nested and not swept.is_nested:
        yield Fault("the selections are not nested")


def _alternative_faults(case: Case, truth: Truth) -> Iterator[Fault]:
    problem, call = case.problem(), case.call
    try:
        found = alternatives(problem, call["n"], call["differ"], num_threads=1)
    except Exception as error:
        yield from checks.of_refusal(error, truth.optimum(case.budget) is not None)
        return
    for number, result in enumerate(found):
        for fault in checks.of_result(truth, result, case.budget, problem=problem):
            yield Fault(fault.kind, f"{fault.detail}, of alternative {number}")
    chosen = [mask_of(each.selection.items.tolist()) for each in found]
    for one, other in combinations(chosen, 2):
        common, most = (
            (one & other).bit_count(),
            max(one.bit_count(), other.bit_count()),
        )
        if most - common < call["differ"] * most - 1e-9 or one == other:
            numbers = f"{common} of {most} items in common"
            yield Fault("two alternatives are too similar", numbers)


_CHECKS: dict[str, Callable[[Case, Truth], Iterator[Fault]]] = {
    "solve": _solve_faults,
    "shards": _shard_faults,
    "cover": _cover_faults,
    "sweep": _sweep_faults,
    "alternatives": _alternative_faults,
}
