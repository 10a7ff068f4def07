"""`solve`: run a solver on a problem and certify its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from thatch.errors import InputError, InputTypeError
from thatch.machine.devices import Device, num_cores
from thatch.machine.engines import Engine
from thatch.problem import tolerances
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate
from thatch.run.progress_bar import progress_bars
from thatch.run.result import Result, Status
from thatch.run.run import Observer, Run
from thatch.run.stopping import MaxSeconds, StoppingRule
from thatch.solvers.base import (
    ProblemOfOtherKind,
    Solver,
    checked_result,
    require_functions,
    require_problem,
    solver_failed,
)
from thatch.solvers.bounds.dual_bounds import DualPoint, certified, residual_point
from thatch.solvers.bounds.dual_descent import descended_point
from thatch.solvers.certifying import certificate_of
from thatch.solvers.decided_items import (
    has_only_limits,
    require_accepted,
    restored,
    undecided,
    with_start_inside,
)
from thatch.solvers.effort import Effort
from thatch.solvers.greedy import GeneralizedGreedy, complete_by_gain
from thatch.solvers.registry import solver_of, solver_of_kind
from thatch.solvers.step_efforts import CertificateEffort


def solve(
    problem: CoverageProblem | ProblemOfOtherKind,
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
    """Solve a coverage problem, with a bound on what could be better.

    Parameters
    ----------
    problem
        The problem to solve: in memory, or in shards.
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
        Number of threads; default: all cores. Only with a time limit does the result
        depend on it.
    device
        Where messages are passed and multipliers found, cpu or gpu; solvers that do
        neither run on the processor.
    engine
        Where the steps of shards are computed; default: in processes on this machine.
        It does not change the result. On a GPU, shards need no engine.
    resume
        Whether to continue an interrupted run on the same shards; there must be one.
        Otherwise the run starts over and deletes the previous run's files.
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
    own_solver = None
    if isinstance(problem, CoverageProblem):
        _require_in_memory(engine, resume)
    else:
        make = solver_of_kind(problem)
        own_solver = make(solver, device=device, engine=engine, resume=resume)
    limits = [] if max_seconds is None else [MaxSeconds(max_seconds)]
    fields = None if own_solver is None else own_solver.progress_fields
    with progress_bars(progress, max_seconds=max_seconds, fields=fields) as bars:
        run = Run(
            stop=[*limits, *stop, *bars],
            observers=observers,
            seed=seed,
            num_threads=num_cores() if num_threads is None else num_threads,
            device=device,
        )
        if own_solver is not None:
            return own_solver.solve(problem, run)
        assert isinstance(problem, CoverageProblem)
        return _solved(problem, solver, run)


def _require_in_memory(engine: Engine | None, resume: bool) -> None:
    """Require that nothing is asked for that only problems of another kind have."""
    for name, is_given in (("engine", engine is not None), ("resume", resume)):
        if is_given:
            raise InputError(
                f"{name} is for problems in shards; this one is in memory.",
                hint="Leave it out, or write the problem with "
                "ShardedProblem.from_problem.",
            )


def _solved(problem: CoverageProblem, solver: Solver, run: Run) -> Result:
    """Solve what required and forbidden items leave undecided."""
    require_accepted(solver, problem, run.device)
    if not has_only_limits(problem) and hasattr(solver, "solve_constrained"):
        result = solver.solve_constrained(problem, _with_reserve(run, problem, solver))
        return _certified(problem, solver, result, run)
    smaller = undecided(problem, max_seconds=run.seconds_left)
    if smaller is None:
        result = solver.solve(problem, _with_reserve(run, problem, solver))
        return _certified(problem, solver, result, run)
    solver = with_start_inside(solver, smaller)
    run = run.with_base_value(smaller.base_value)
    result = solver.solve(smaller.problem, _with_reserve(run, problem, solver))
    return restored(smaller, _certified(smaller.problem, solver, result, run))


def _with_reserve(run: Run, problem: CoverageProblem, solver: Solver) -> Run:
    """The run of the solver, which leaves time for the certificate."""
    if run.seconds_left == inf:
        return run
    return run.with_reserve(_certificate_seconds(problem, solver))


def _certificate_seconds(problem: CoverageProblem, solver: Solver) -> float:
    """What the certificate takes on a slow core."""
    effort = _certificate_effort(solver)
    return effort.seconds_per_edge * problem.num_edges + _group_seconds(problem, effort)


def _group_seconds(problem: CoverageProblem, effort: CertificateEffort) -> float:
    """What finding the prices of groups takes on a slow core."""
    group, _ = problem.group_limits
    return effort.seconds_per_grouped_item * group.size


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
    >>> from thatch.problem.instances import toy
    >>> problems = [toy.greedy_trap().problem] * 2
    >>> [result.gap for result in solve_each(problems, BeliefPropagation())]
    [0.0, 0.0]
    """
    solver = solver_of(solver)
    is_constrained = any(problem.constraints is not None for problem in problems)
    solve_together = getattr(solver, "solve_each", None)
    if is_constrained or solve_together is None:
        return [
            solve(problem, solver, seed=seed, num_threads=num_threads, progress=False)
            for problem in problems
        ]
    run = Run(seed=seed, num_threads=num_threads)
    results = solve_together(problems, run)
    return [
        _certified(problem, solver, result, run)
        for problem, result in zip(problems, results, strict=True)
    ]


def _certified(
    problem: CoverageProblem, solver: Solver, result: object, run: Run
) -> Result:
    """Check the result, replace redundant items and attach a bound.

    Redundant items stay where the time limit leaves too little.
    """
    result = _checked(problem, solver, result)
    effort = _certificate_effort(solver)
    is_small = problem.num_edges <= effort.max_edges_for_trimming
    if is_small and has_only_limits(problem):
        seconds = _certificate_seconds(problem, solver)
        selection = _with_redundant_replaced(result.selection, run, seconds)
        result = replace(result, selection=selection)
    return _bounded(problem, result, effort, run)


def _with_redundant_replaced(
    selection: Selection, run: Run, seconds: float
) -> Selection:
    """The selection without redundant items; others that gain and fit replace them.

    An item that is added can make others redundant, so this is repeated while the value
    rises, and while there is as much time left as a repetition takes.
    """
    problem = selection.problem
    while run.seconds_left > 0.0:
        kept = selection.without_redundant_items()
        if kept is selection or kept.value >= problem.reachable_weight:
            return kept
        filled = complete_by_gain(problem, kept.items, divisors=problem.costs)
        if not (filled.is_feasible and filled.value > kept.value):
            return kept
        selection = filled
        if run.seconds_left < seconds:
            break
    return selection


def _checked(problem: CoverageProblem, solver: Solver, result: object) -> Result:
    """The result with its selection recomputed, if nothing contradicts it.

    A bound from another package cannot be verified here, but it is wrong if any
    selection exceeds it: the solver's own, or the greedy one.
    """
    checked = checked_result(problem, solver, result)
    bound, reached = checked.upper_bound, checked.selection.value
    if checked.status is Status.OPTIMAL and not bound <= checked.selection.bound:
        checked = replace(checked, status=Status.FINISHED)
    if not _is_ours(solver) and bound < inf:
        reached = max(reached, _greedy_value(problem))
    # Sums of others may be rounded.
    if not bound >= reached * (1.0 - tolerances.DECIMAL_SUMS):
        raise solver_failed(
            f"{type(solver).__name__} returned {bound!r} as an upper bound, but a "
            f"selection within the budget covers {reached!r}."
        )
    return checked


def _is_ours(solver: Solver) -> bool:
    return type(solver).__module__.partition(".")[0] == "thatch"


def _greedy_value(problem: CoverageProblem) -> float:
    return GeneralizedGreedy().solve(problem, Run()).selection.value


def _certificate_effort(solver: Solver) -> CertificateEffort:
    """How much `solve` adds to what the solver has found."""
    effort = getattr(solver, "effort", None)
    if isinstance(effort, Effort):
        return effort.certificate
    return CertificateEffort()


def _bounded(
    problem: CoverageProblem, result: Result, effort: CertificateEffort, run: Run
) -> Result:
    """The result with the lowest bound that takes less than a second."""
    has_bound = result.upper_bound < inf
    is_late = run.seconds_left == 0.0
    if has_bound and (is_late or problem.num_edges > effort.max_edges_for_second_bound):
        return result.with_bound(result.upper_bound)
    seconds = _group_seconds(problem, effort)
    if seconds and run.seconds_left < seconds:
        return result.with_bound(problem.reachable_bound, Certificate())
    result = _with_point(result, residual_point(problem, result.selection))
    is_large = problem.num_edges > effort.max_edges_for_descent
    if has_bound or result.gap == 0.0 or is_large or is_late:
        return result
    return _with_point(
        result,
        descended_point(
            problem,
            result.selection,
            effort.descent_iterations,
            should_stop=lambda: run.seconds_left == 0.0,
        ),
    )


def _with_point(result: Result, point: DualPoint) -> Result:
    """The result with the bound of a dual point, if that is lower."""
    bound = certified(result.selection.problem, point)
    return result.with_bound(bound, certificate_of(point))


def _require_kinds(
    problem: object, solver: object, stop: object, observers: object
) -> None:
    if not hasattr(problem, "solver_of_kind"):
        require_problem(problem)
    if isinstance(solver, type) or not callable(getattr(solver, "solve", None)):
        name = solver.__name__ if isinstance(solver, type) else "Exact"
        raise InputTypeError(
            f"solver is {solver!r}; it must be a solver object.",
            hint=f"Pass an instance, such as {name}(), or a name, or leave it out.",
        )
    require_functions(stop, observers, example="MaxIterations(100)")
