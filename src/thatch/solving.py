"""The front door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from thatch.bounds.dual_bounds import first_order_bound, residual_bound
from thatch.devices import Device, num_cores
from thatch.engines import Engine
from thatch.errors import InputError, InputTypeError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.result import Result
from thatch.run.run import Observer, Run
from thatch.run.stopping import MaxSeconds, StoppingRule
from thatch.solvers import Auto, BeliefPropagation, PartitionAndMerge, Solver

# A solver without a bound gets a close one where that takes a tenth of a second.
_MOST_EDGES_TO_CHARGE = 50_000
# A solver with a bound of its own gets another where that takes no second.
_MOST_EDGES_TO_BOUND_TWICE = 5_000_000
# Items that add nothing are looked for where that takes a fraction of a second.
_MOST_EDGES_TO_TRIM = 5_000_000


def solve(
    problem: CoverageProblem,
    solver: Solver | None = None,
    *,
    max_seconds: float | None = None,
    stop: Sequence[StoppingRule] = (),
    observers: Sequence[Observer] = (),
    seed: int = 0,
    num_threads: int | None = None,
    device: str = Device.CPU,
    engine: Engine | None = None,
    num_shards: int | None = None,
) -> Result:
    """Solve a coverage problem; the result carries a certified gap.

    Parameters
    ----------
    problem
        What to solve.
    solver
        How; `Auto()` unless given.
    max_seconds
        When to stop, with the best selection found by then.
    stop
        Further stopping rules, asked after every iteration.
    observers
        Told after every iteration.
    seed
        The same seed gives the same answer.
    num_threads
        All cores unless given; the answer does not depend on it.
    device
        Where messages are passed and charges found, cpu or gpu; solvers that do neither
        run on the processor.
    engine
        Where to narrow parts of the problem side by side, before the solver chooses
        from what they propose: for a problem that takes one machine too long.
    num_shards
        How many parts, if there is an engine; see `PartitionAndMerge`.

    >>> from thatch import CoverageProblem, solve
    >>> problem = CoverageProblem.from_sets(
    ...     [{"a", "b"}, {"b", "c"}, {"c", "d"}], costs=[1, 1, 1], budget=2
    ... )
    >>> result = solve(problem)
    >>> result.selection.items, result.selection.value, result.gap
    (array([0, 2]), 4.0, 0.0)
    """
    solver = Auto() if solver is None else solver
    _require_kinds(problem, solver, stop, observers)
    solver = _distributed(solver, engine, num_shards)
    limits = [] if max_seconds is None else [MaxSeconds(max_seconds)]
    run = Run(
        stop=[*limits, *stop],
        observers=observers,
        seed=seed,
        num_threads=num_cores() if num_threads is None else num_threads,
        device=device,
    )
    return _certified(problem, solver.solve(problem, run))


def solve_each(
    problems: Sequence[CoverageProblem],
    solver: Solver | None = None,
    *,
    seed: int = 0,
    num_threads: int = 1,
) -> list[Result]:
    """Solve many problems; a result each, as `solve` gives them one by one.

    Messages of `BeliefPropagation` are passed on the disjoint union of all problems.

    Parameters
    ----------
    problems
        What to solve.
    solver
        How; `Auto()` unless given.
    seed
        The same seed gives the same answers.
    num_threads
        The answers do not depend on it.

    >>> from thatch import BeliefPropagation
    >>> from thatch.instances import toy
    >>> problems = [toy.greedy_trap().problem] * 2
    >>> [result.gap for result in solve_each(problems, BeliefPropagation())]
    [0.0, 0.0]
    """
    if not isinstance(solver, BeliefPropagation):
        return [
            solve(problem, solver, seed=seed, num_threads=num_threads)
            for problem in problems
        ]
    results = solver.solve_each(problems, Run(seed=seed, num_threads=num_threads))
    return list(map(_certified, problems, results))


def _certified(problem: CoverageProblem, result: Result) -> Result:
    """The result as it is handed out: nothing in vain, and a bound."""
    if problem.num_edges <= _MOST_EDGES_TO_TRIM:
        # What adds nothing need not be bought.
        result = replace(result, selection=result.selection.without_idle_items())
    return _bounded(problem, result)


def _distributed(
    solver: Solver, engine: Engine | None, num_shards: int | None
) -> Solver:
    if engine is not None:
        if isinstance(engine, type) or not callable(getattr(engine, "map", None)):
            raise InputTypeError(
                f"engine must be one of the engine objects, got {engine!r}.",
                hint="Pass LocalEngine(), for example, or leave it out.",
            )
        return PartitionAndMerge(engine, num_shards, solver)
    if num_shards is not None:
        raise InputError(
            f"num_shards must be left out without an engine, got {num_shards}.",
            hint="Pass engine=LocalEngine(), for example.",
        )
    return solver


def _bounded(problem: CoverageProblem, result: Result) -> Result:
    """The result with the best bound that is worth its time."""
    has_bound = result.upper_bound < inf
    if has_bound and problem.num_edges > _MOST_EDGES_TO_BOUND_TWICE:
        return result.with_bound(result.upper_bound)
    result = result.with_bound(residual_bound(problem, result.selection))
    if has_bound or result.gap == 0.0 or problem.num_edges > _MOST_EDGES_TO_CHARGE:
        return result
    return result.with_bound(
        first_order_bound(problem, start=result.selection, iterations=100)
    )


def _require_kinds(
    problem: object, solver: object, stop: object, observers: object
) -> None:
    if not isinstance(problem, CoverageProblem):
        raise InputTypeError(
            f"problem must be a CoverageProblem, got {problem!r}.",
            hint="Make one with CoverageProblem.from_sets, for example.",
        )
    if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
        raise InputTypeError(
            f"solver must be one of the solver objects, got {solver!r}.",
            hint="Pass Exact(), for example, or leave it out.",
        )
    if callable(stop) or callable(observers):
        raise InputTypeError(
            "stop and observers must be lists, got a single one.",
            hint="Write stop=[MaxIterations(100)], for example.",
        )
