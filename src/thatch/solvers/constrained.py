"""Problems with constraints: what is decided is taken out, the rest is solved.

Required and forbidden items leave a smaller problem without them, which any solver
solves. Limits per group are kept by solvers that accept them. All other constraints
become rows of an integer program, which starts from a selection that keeps them.
"""

from __future__ import annotations

from dataclasses import replace
from math import inf, nextafter
from typing import Any

import numpy as np

from thatch.arrays import Ints
from thatch.bounds.dual_descent import first_order_bound
from thatch.bounds.feasibility import (
    enumerated,
    feasible_items,
    infeasibility_error,
)
from thatch.devices import Device
from thatch.errors import InfeasibleError, InputError
from thatch.problem.constraints import DECIDED, LIMITS
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.solvers.base import Solver
from thatch.solvers.branch_and_reduce import SearchState
from thatch.solvers.greedy import item_weights, ranking
from thatch.solvers.integer_program import concluded, solve_integer_program

# More required items are counted, not named.
_MAX_NAMED = 20
_BOUND_ITERATIONS = 300
# Up to this many tries, items are added to a start while it stays feasible.
_MAX_TRIES = 2000


def require_accepted(solver: Solver, problem: CoverageProblem, device: Device) -> None:
    """Require that the solver keeps every constraint of the problem."""
    if problem.constraints is None:
        return
    accepted = DECIDED | getattr(solver, "accepts", frozenset())
    for kind in problem.constraints.kinds:
        if kind not in accepted:
            raise InputError(
                f"{type(solver).__name__} does not keep {kind.value}.",
                hint="Use the solver auto or exact.",
            )
        if device is Device.GPU and kind not in DECIDED:
            raise InputError(
                f"device gpu does not keep {kind.value}.", hint="Use the device cpu."
            )


def has_only_limits(problem: CoverageProblem) -> bool:
    """Whether the problem has no constraints that need an integer program."""
    if problem.constraints is None:
        return True
    return set(problem.constraints.kinds) <= LIMITS | DECIDED


def undecided(problem: CoverageProblem) -> Restriction | None:
    """The problem without its required and forbidden items; None if there are none.

    Raises
    ------
    InfeasibleError
        If the required items exceed the budget or the limit of a group.
    """
    constraints = problem.constraints
    if constraints is None or not DECIDED & set(constraints.kinds):
        return None
    if not has_only_limits(problem):
        return None
    required = Selection(problem, constraints.required)
    if not required.is_feasible:
        raise _too_much_required(required)
    is_open = np.ones(problem.num_items, dtype=bool)
    is_open[constraints.required] = False
    is_open[constraints.forbidden] = False
    return Restriction.of(problem, np.flatnonzero(is_open), constraints.required)


def _too_much_required(required: Selection) -> InfeasibleError:
    """The error for required items that exceed the budget or the limit of a group."""
    problem = required.problem
    if len(required) <= _MAX_NAMED or required.cost <= problem.budget:
        return infeasibility_error(problem)
    texts = (
        f"the budget of {problem.budget:g}",
        f"{len(required)} required items that cost {required.cost:g}",
    )
    return InfeasibleError(
        f"no selection keeps all constraints: {enumerated(texts)} contradict each "
        "other.",
        conflict=texts,
        hint="Raise the budget, or require less.",
    )


def with_start_inside(solver: Solver, restriction: Restriction) -> Solver:
    """The solver, starting from what its start has of the smaller problem."""
    start = getattr(solver, "start", None)
    if not isinstance(start, Selection):
        return solver
    original = Selection.of(restriction.original, start.items)
    reason = next(original.violations, None)
    if reason is not None:
        raise InputError(
            f"the start is not feasible: {reason}.",
            hint="Start from a selection that keeps the budget and the constraints.",
        )
    settings: dict[str, Any] = {"start": restriction.reduced(original)}
    return replace(solver, **settings)  # type: ignore[type-var]


def restored(restriction: Restriction, result: Result) -> Result:
    """The result of the smaller problem as one of the original."""
    base = restriction.base_value
    selection = restriction.restored(result.selection)
    if not selection.is_feasible:
        return restored(restriction, _without_least(result))
    bound = result.upper_bound
    if base > 0.0:
        is_exact = restriction.original.has_integer_weights
        bound = bound + base if is_exact else nextafter(bound + base, inf)
    if result.status is Status.OPTIMAL:
        bound = selection.value
    return replace(
        result,
        selection=selection,
        upper_bound=max(bound, selection.value),
        trace=tuple(
            replace(
                progress,
                value=progress.value + base,
                upper_bound=progress.upper_bound + base,
            )
            for progress in result.trace
        ),
    )


def _without_least(result: Result) -> Result:
    """The result without the item that adds least: rounding hid that it is too much."""
    selection = result.selection
    kept = np.delete(selection.items, int(np.argmin(selection.contributions)))
    return replace(
        result,
        selection=Selection(selection.problem, kept),
        status=Status.FINISHED if result.status is Status.OPTIMAL else result.status,
    )


def solve_constrained(
    problem: CoverageProblem, run: Run, *, start: Selection | None = None
) -> Result:
    """Solve a problem with any constraints by an integer program.

    Parameters
    ----------
    problem
        The problem.
    run
        Every better selection is reported to it.
    start
        A feasible selection to start from, if there is one.

    Raises
    ------
    InfeasibleError
        If no selection keeps the constraints.
    NoTimeError
        If none was found within the time limit.
    """
    first = _feasible_start(problem, run) if start is None else start
    start = _completed(first, run)
    status = run.report(start, step="feasible start")
    bound = _relaxed_bound(problem, start, run)
    state = SearchState(problem, start, (), problem, start).bounded_by(bound)
    if state.is_proved or status is not None:
        return concluded(state, run, status)
    last_second = run.seconds + run.seconds_left
    state, status = solve_integer_program(state, run, last_second=last_second)
    return concluded(state, run, status)


def _feasible_start(problem: CoverageProblem, run: Run) -> Selection:
    """The least that the constraints ask for, or what an integer program finds."""
    least = Selection(problem, _least_items(problem))
    if least.is_feasible:
        return least
    merits = item_weights(problem)
    items = feasible_items(problem, merits, max_seconds=run.seconds_left)
    return Selection(problem, items)


def _least_items(problem: CoverageProblem) -> Ints:
    """Required items, the cheapest ones of groups, and all prerequisites of these."""
    constraints = problem.constraints
    if constraints is None:
        return np.zeros(0, dtype=np.int64)
    chosen = set(constraints.required.tolist())
    left_out = set(constraints.forbidden.tolist())
    groups = constraints.groups
    if groups is not None:
        missing = groups.at_least - groups.counts(constraints.required)
        for i in np.argsort(problem.costs, kind="stable").tolist():
            is_open = i not in chosen and i not in left_out
            if is_open and missing[groups.group[i]] > 0:
                chosen.add(i)
                missing[groups.group[i]] -= 1
    needs: dict[int, list[int]] = {}
    for one, other in constraints.prerequisites.tolist():
        needs.setdefault(one, []).append(other)
    waiting = list(chosen)
    while waiting:
        for other in needs.get(waiting.pop(), ()):
            if other not in chosen:
                chosen.add(other)
                waiting.append(other)
    return np.array(sorted(chosen), dtype=np.int64)


def _completed(start: Selection, run: Run) -> Selection:
    """The selection with items added while it stays feasible, best first."""
    problem = start.problem
    merits = item_weights(problem)
    merits[start.items] = 0.0
    largest = largest_value = start
    for i in ranking(problem, merits)[:_MAX_TRIES].tolist():
        if merits[i] <= 0.0 or run.must_stop:
            break
        larger = Selection(problem, np.sort(np.append(largest.items, i)))
        if _met(larger) > _met(largest) and larger.is_feasible:
            largest = larger
            if largest.value > largest_value.value:
                largest_value = largest
    return largest_value


def _met(selection: Selection) -> float:
    """Weight of the elements, each as far as its demand is met."""
    constraints = selection.problem.constraints
    demands = None if constraints is None else constraints.demands
    if demands is None:
        return selection.value
    shares = np.minimum(selection.cover_counts / demands, 1.0)
    return float(selection.problem.weights @ shares)


def _relaxed_bound(problem: CoverageProblem, start: Selection, run: Run) -> float:
    """A bound that only knows the budget and the limits per group."""
    return first_order_bound(
        problem,
        start=start,
        iterations=_BOUND_ITERATIONS,
        num_threads=run.num_threads,
        should_stop=lambda: run.must_stop,
    )
