"""`cover`: the least cost that covers a target."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isnan, nextafter

from thatch.arrays import distinct, exact_sum
from thatch.covering.constrained import (
    FoundCover,
    constrained_cover,
    coverable_elements,
    decided_part,
)
from thatch.covering.cover_result import CoverResult
from thatch.covering.cover_task import CostUnits, CoverTask
from thatch.covering.search_state import SearchState
from thatch.covering.searching import search
from thatch.covering.target import Target
from thatch.devices import num_cores
from thatch.errors import InputTypeError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.progress import Progress
from thatch.run.progress_bar import progress_bars
from thatch.run.result import Status
from thatch.run.run import Observer, Run
from thatch.run.stopping import MaxSeconds, StoppingRule
from thatch.solvers.base import require_problem


def cover(
    problem: CoverageProblem,
    *,
    share: float | None = None,
    weight: float | None = None,
    max_seconds: float | None = None,
    stop: Sequence[StoppingRule] = (),
    observers: Sequence[Observer] = (),
    seed: int = 0,
    num_threads: int | None = None,
    progress: bool | None = None,
) -> CoverResult:
    """Choose items of least cost that cover a target; the result has a certified gap.

    The budget of the problem is ignored; its constraints are kept. Elements that no
    item covers are never counted, and elements of weight 0 need not be covered.

    Parameters
    ----------
    problem
        The items and what they cover.
    share
        Share of the coverable weight to cover, from 0 to 1.
    weight
        Weight to cover, instead of a share; without both, everything coverable.
    max_seconds
        The time limit; the cheapest selection found by then is returned. Without one,
        the search ends when the optimum is proved, or after a fixed effort.
    stop
        Further stopping rules. In the `Progress` that they are called with, `value` is
        the lower bound and `upper_bound` the cost: `TargetGap` works as in `solve`.
    observers
        Functions called with the same `Progress`.
    seed
        Seed of all random numbers; without a time limit, the same seed gives the same
        result.
    num_threads
        How many; the search uses one at present.
    progress
        Whether to show a progress bar, as in `thatch.solve`.

    Raises
    ------
    InputError
        If all items together cover less than the target.
    InfeasibleError
        If no selection that keeps the constraints covers it.
    NoTimeError
        If there are constraints, and no such selection was found in time.

    >>> from thatch import CoverageProblem, cover
    >>> problem = CoverageProblem.from_sets(
    ...     {"north": {"a", "b"}, "east": {"b", "c"}, "south": {"c", "d"}}, budget=0
    ... )
    >>> cover(problem).selection.labels
    ['north', 'south']
    >>> result = cover(problem, share=0.5)
    >>> result.cost, result.lower_bound, result.share
    (1.0, 1.0, 0.5)
    """
    _require_kinds(problem, stop, observers)
    limits = [] if max_seconds is None else [MaxSeconds(max_seconds)]
    with progress_bars(progress, max_seconds=max_seconds, fields=_shown) as bars:
        run = Run(
            stop=[*limits, *stop, *bars],
            observers=observers,
            seed=seed,
            num_threads=num_cores() if num_threads is None else num_threads,
        )
        return _covered(problem, run, share=share, weight=weight)


def _covered(
    problem: CoverageProblem, run: Run, *, share: float | None, weight: float | None
) -> CoverResult:
    every = problem.with_budget(exact_sum(problem.costs))
    coverable = every.weight_of(coverable_elements(every))
    target = Target.of(every, share=share, weight=weight, coverable=coverable)
    part = decided_part(every)
    if every.constraints is None:
        found = _cheapest(every, target, run)
    elif part is not None:
        found = _cheapest_with_required(part, target, run)
    else:
        found = constrained_cover(every, target, run)
    cost = exact_sum(problem.costs[found.items])
    return CoverResult(
        selection=Selection(problem.with_budget(cost), found.items),
        status=found.status,
        lower_bound=min(found.lower_bound, cost),
        target=target.weight,
        coverable=coverable,
        seconds=run.seconds,
        trace=tuple(run.trace),
    )


def _cheapest(problem: CoverageProblem, target: Target, run: Run) -> FoundCover:
    """The cheapest cover that the search finds, without constraints."""
    units = CostUnits.of(problem)
    task = CoverTask.of(problem, units, target)
    state = SearchState(problem, task, units, run)
    if task.is_trivial:
        state.offer(task.items[:0], step="presolve")
    else:
        search(state)
    bound = units.as_cost(state.bound)
    if state.is_proved and units.is_integral:
        # The cost has been summed in units, without rounding.
        bound = exact_sum(problem.costs[state.items])
    status = Status.OPTIMAL if state.is_proved else state.status or Status.FINISHED
    return FoundCover(state.items, bound, status)


def _cheapest_with_required(part: Restriction, target: Target, run: Run) -> FoundCover:
    """The cheapest cover of what the required items leave, and these items."""
    rest = part.problem.with_budget(exact_sum(part.problem.costs))
    # What may stay uncovered is the same.
    weight = max(0.0, rest.reachable_weight - target.slack)
    found = _cheapest(rest, Target(weight, target.slack), run)
    items = distinct(part.items[found.items], part.taken)
    spent = exact_sum(part.original.costs[part.taken])
    bound = spent + found.lower_bound
    if not part.original.has_exact_costs:
        bound = nextafter(bound, 0.0)
    if found.status is Status.OPTIMAL:
        bound = exact_sum(part.original.costs[items])
    return FoundCover(items, bound, found.status)


def _shown(progress: Progress) -> dict[str, str]:
    """Cost, bound and gap, for a progress bar."""
    fields = {}
    if progress.upper_bound < inf:
        fields["cost"] = f"{progress.upper_bound:,.7g}"
    if not isnan(progress.value):
        fields["bound"] = f"{progress.value:,.7g}"
        if 0 < progress.upper_bound < inf:
            gap = max(0.0, 1.0 - progress.value / progress.upper_bound)
            fields["gap"] = f"{gap:.2%}"
    return fields


def _require_kinds(problem: object, stop: object, observers: object) -> None:
    require_problem(problem)
    for name, functions in (("stop", stop), ("observers", observers)):
        if not isinstance(functions, Sequence) or not all(map(callable, functions)):
            raise InputTypeError(
                f"{name} is {functions!r}; it must be a list of functions.",
                hint="Write stop=[TargetGap(0.01)], for example.",
            )
