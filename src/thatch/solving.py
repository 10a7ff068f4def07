"""`solve`: run a solver on a problem and certify its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from thatch.bounds import first_order_bound, residual_bound
from thatch.bounds.dual_bounds import proof_tolerance
from thatch.devices import Device, num_cores
from thatch.engines import Engine, LocalEngine
from thatch.errors import InputError, InputTypeError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.progress_bar import TimeLeft, progress_bars
from thatch.run.result import Result, Status
from thatch.run.run import Observer, Run
from thatch.run.stopping import MaxSeconds, StoppingRule
from thatch.sharding import ShardedProblem
from thatch.sharding.sharded_solver import ShardedSolver
from thatch.solvers import (
    BeliefPropagation,
    GeneralizedGreedy,
    Solver,
)
from thatch.solvers.base import checked_result, require_problem, solver_failed
from thatch.solvers.constrained import (
    has_only_limits,
    require_accepted,
    restored,
    undecided,
    with_start_inside,
)
from thatch.solvers.greedy import complete_by_gain
from thatch.solvers.registry import solver_of

# Each limit keeps the step below a second.
# Up to this many edges, a solver without a bound gets one by dual descent.
_MAX_EDGES_FOR_DESCENT = 50_000
# Up to this many edges, a solver with a bound gets another one.
_MAX_EDGES_FOR_SECOND_BOUND = 5_000_000
# Up to this many edges, redundant items are dropped.
_MAX_EDGES_FOR_TRIMMING = 5_000_000
# Time that is kept for these steps, within the time limit.
_SECONDS_PER_EDGE = 2e-7


def solve(
    problem: CoverageProblem | ShardedProblem,
    solver: Solver | str | None = None,
    *,
    max_seconds: float | None = None,
    stop: Sequence[StoppingRule] = (),
    observers: Sequence[Observer] = (),
    seed: int = 0,
    num_threads: int | None = None,
    device: str = Device.CPU,
    engine: Engine | None = None,
    resume: bool = False,
    progress: bool | None = None,
) -> Result:
    """Solve a coverage problem; the result has a certified gap.

    Parameters
    ----------
    problem
        What to solve: in memory, or in shards.
    solver
        The solver, or its name on the command line, such as ``greedy``; default:
        `Auto()`. On shards: `Auto` or `BeliefPropagation`.
    max_seconds
        The time limit; the best selection found by then is returned.
    stop
        Further stopping rules, called after every iteration.
    observers
        Functions called with the `Progress` after every iteration.
    seed
        Seed of all random numbers; the same seed gives the same result.
    num_threads
        How many; default: all cores. The result depends on it only with a time limit.
    device
        Where messages are passed and multipliers found, cpu or gpu; solvers that do
        neither run on the processor.
    engine
        Where the steps of shards are computed; default: in processes on this machine.
        It does not change the result. On a GPU, shards need no engine.
    resume
        Whether to go on where a run on the same shards was ended. There must be one:
        without resuming, a run starts anew and removes what the last one left.
    progress
        Whether to show a progress bar, on a terminal or in a notebook; default: if it
        takes longer than about a second.

    >>> from thatch import CoverageProblem, solve
    >>> problem = CoverageProblem.from_sets(
    ...     [{"a", "b"}, {"b", "c"}, {"c", "d"}], costs=[1, 1, 1], budget=2
    ... )
    >>> result = solve(problem)
    >>> result.selection.items, result.selection.value, result.gap
    (array([0, 2]), 4.0, 0.0)
    """
    solver = solver_of(solver)
    _require_kinds(problem, solver, stop, observers)
    sharded = _sharded_solver(problem, solver, engine, resume)
    limits = [] if max_seconds is None else [MaxSeconds(max_seconds)]
    time_left = None if sharded is None else TimeLeft(sharded.num_steps)
    with progress_bars(progress, max_seconds=max_seconds, fields=time_left) as bars:
        run = Run(
            stop=[*limits, *stop, *bars],
            observers=observers,
            seed=seed,
            num_threads=num_cores() if num_threads is None else num_threads,
            device=device,
        )
        if isinstance(problem, ShardedProblem):
            assert sharded is not None
            if run.device is Device.GPU:
                _require_no_engine(engine, resume)
                return _sharded_on_gpu(problem, sharded, run)
            return sharded.solve(
                problem,
                run,
                engine or LocalEngine(),
                is_resumed=resume,
                time_left=time_left,
            )
        if run.seconds_left < inf:
            run = run.with_reserve(_SECONDS_PER_EDGE * problem.num_edges)
        return _solved(problem, solver, run)


def _require_no_engine(engine: Engine | None, resume: bool) -> None:
    """Require that a run on a GPU is not asked for what only engines have."""
    reasons = {
        "engine": "one GPU takes all steps" if engine is not None else "",
        "resume": "its runs keep no files" if resume else "",
    }
    for name, reason in reasons.items():
        if reason:
            raise InputError(
                f"{name} is not available on device gpu: {reason}.",
                hint="Leave it out, or solve on the processor.",
            )


def _sharded_on_gpu(problem: ShardedProblem, solver: ShardedSolver, run: Run) -> Result:
    """Solve a problem in shards that pass through one GPU."""
    from thatch.sharding.gpu_sharded_solver import GpuShardedSolver

    return GpuShardedSolver(solver.messages, solver.descent_steps).solve(problem, run)


def _solved(problem: CoverageProblem, solver: Solver, run: Run) -> Result:
    """Solve what required and forbidden items leave undecided."""
    require_accepted(solver, problem, run.device)
    smaller = undecided(problem)
    if smaller is None:
        return _certified(problem, solver, solver.solve(problem, run))
    solver = with_start_inside(solver, smaller)
    run = run.with_base_value(smaller.base_value)
    result = solver.solve(smaller.problem, run)
    return restored(smaller, _certified(smaller.problem, solver, result))


def solve_each(
    problems: Sequence[CoverageProblem],
    solver: Solver | str | None = None,
    *,
    seed: int = 0,
    num_threads: int = 1,
) -> list[Result]:
    """Solve many problems; return the same results as `solve`, one per problem.

    Messages of `BeliefPropagation` are passed on the disjoint union of all problems.

    Parameters
    ----------
    problems
        What to solve.
    solver
        The solver, or its name on the command line, such as ``greedy``; default:
        `Auto()`.
    seed
        Seed of all random numbers; the same seed gives the same results.
    num_threads
        How many threads to use; the results do not depend on it.

    >>> from thatch import BeliefPropagation
    >>> from thatch.instances import toy
    >>> problems = [toy.greedy_trap().problem] * 2
    >>> [result.gap for result in solve_each(problems, BeliefPropagation())]
    [0.0, 0.0]
    """
    solver = solver_of(solver)
    is_constrained = any(problem.constraints is not None for problem in problems)
    if is_constrained or not isinstance(solver, BeliefPropagation):
        return [
            solve(problem, solver, seed=seed, num_threads=num_threads, progress=False)
            for problem in problems
        ]
    results = solver.solve_each(problems, Run(seed=seed, num_threads=num_threads))
    return [
        _certified(problem, solver, result)
        for problem, result in zip(problems, results, strict=True)
    ]


def _certified(problem: CoverageProblem, solver: Solver, result: object) -> Result:
    """Check the result, replace redundant items and attach a bound."""
    result = _checked(problem, solver, result)
    if problem.num_edges <= _MAX_EDGES_FOR_TRIMMING and has_only_limits(problem):
        result = replace(result, selection=_with_redundant_replaced(result.selection))
    return _bounded(problem, result)


def _with_redundant_replaced(selection: Selection) -> Selection:
    """The selection without redundant items; others that gain and fit replace them.

    An item that is added can make others redundant, so this is repeated while the value
    rises.
    """
    problem = selection.problem
    while True:
        kept = selection.without_redundant_items()
        if kept is selection or kept.value >= problem.reachable_weight:
            return kept
        filled = complete_by_gain(problem, kept.items, divisors=problem.costs)
        if not (filled.is_feasible and filled.value > kept.value):
            return kept
        selection = filled


def _sharded_solver(
    problem: CoverageProblem | ShardedProblem,
    solver: Solver,
    engine: Engine | None,
    resume: bool,
) -> ShardedSolver | None:
    """The solver of a problem in shards; None if it is in memory."""
    if engine is not None and (
        isinstance(engine, type) or not callable(getattr(engine, "session", None))
    ):
        raise InputTypeError(
            f"engine is {engine!r}; it must be an engine object.",
            hint="Pass LocalEngine(), for example, or leave it out.",
        )
    if isinstance(problem, ShardedProblem):
        return ShardedSolver.of(solver)
    for name, is_given in (("engine", engine is not None), ("resume", resume)):
        if is_given:
            raise InputError(
                f"{name} is for problems in shards; this one is in memory.",
                hint="Leave it out, or write the problem with "
                "ShardedProblem.from_problem.",
            )
    return None


def _checked(problem: CoverageProblem, solver: Solver, result: object) -> Result:
    """The result with its selection recomputed, if nothing contradicts it.

    A bound from another package cannot be verified here, but it is wrong if any
    selection exceeds it: the solver's own, or the greedy one.
    """
    checked = checked_result(problem, solver, result)
    bound, reached = checked.upper_bound, checked.selection.value
    tolerance = proof_tolerance(problem, reached)
    if checked.status is Status.OPTIMAL and not bound <= reached + tolerance:
        checked = replace(checked, status=Status.FINISHED)
    if not _is_ours(solver) and bound < inf:
        reached = max(reached, _greedy_value(problem))
    if not bound >= reached - tolerance:
        raise solver_failed(
            f"{type(solver).__name__} returned {bound!r} as an upper bound, but a "
            f"selection within the budget covers {reached!r}."
        )
    return checked


def _is_ours(solver: Solver) -> bool:
    return type(solver).__module__.partition(".")[0] == "thatch"


def _greedy_value(problem: CoverageProblem) -> float:
    return GeneralizedGreedy().solve(problem, Run()).selection.value


def _bounded(problem: CoverageProblem, result: Result) -> Result:
    """The result with the lowest bound that takes less than a second."""
    has_bound = result.upper_bound < inf
    if has_bound and problem.num_edges > _MAX_EDGES_FOR_SECOND_BOUND:
        return result.with_bound(result.upper_bound)
    result = result.with_bound(residual_bound(problem, result.selection))
    if has_bound or result.gap == 0.0 or problem.num_edges > _MAX_EDGES_FOR_DESCENT:
        return result
    return result.with_bound(
        first_order_bound(problem, start=result.selection, iterations=100)
    )


def _require_kinds(
    problem: object, solver: object, stop: object, observers: object
) -> None:
    if not isinstance(problem, ShardedProblem):
        require_problem(problem)
    if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
        name = solver.__name__ if isinstance(solver, type) else "Exact"
        raise InputTypeError(
            f"solver is {solver!r}; it must be a solver object.",
            hint=f"Pass an instance, such as {name}(), or a name, or leave it out.",
        )
    for name, functions in (("stop", stop), ("observers", observers)):
        if not isinstance(functions, Sequence) or not all(map(callable, functions)):
            raise InputTypeError(
                f"{name} is {functions!r}; it must be a list of functions.",
                hint="Write stop=[MaxIterations(100)], for example.",
            )
