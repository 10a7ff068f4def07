"""`cover`: the cheapest way to reach a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isnan, nextafter

from thatch.arrays import distinct, exact_sum
from thatch.machine.devices import num_cores
from thatch.problem.constraints import DECIDED
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.notebook import as_html
from thatch.problem.selection import Restriction, Selection
from thatch.run.progress_bar import progress_bars
from thatch.run.result import Progress, Status, items_table
from thatch.run.run import Observer, Run
from thatch.run.stopping import MaxSeconds, StoppingRule
from thatch.solvers.base import require_functions, require_problem
from thatch.solvers.covering.constrained_cover import (
    FoundCover,
    constrained_cover,
    coverable_elements,
)
from thatch.solvers.covering.cover_state import CoverState
from thatch.solvers.covering.cover_task import CostUnits, CoverTask, Target
from thatch.solvers.covering.searching import search
from thatch.solvers.decided_items import undecided
from thatch.solvers.effort import Effort


def cover(
    problem: CoverageProblem,
    *,
    share: float | None = None,
    weight: float | None = None,
    effort: Effort | str = Effort(),  # noqa: B008
    max_seconds: float | None = None,
    stop: Sequence[StoppingRule] = (),
    observers: Sequence[Observer] = (),
    seed: int = 0,
    num_threads: int | None = None,
    progress: bool | None = None,
) -> CoverResult:
    """Choose the cheapest items that cover a target, with a bound on what can be saved.

    The budget of the problem is ignored, but its constraints are met. Elements that no
    item covers are never counted, and elements of weight 0 need not be covered.

    Parameters
    ----------
    problem
        The items and what they cover.
    share
        Share of the coverable weight to cover, from 0 to 1.
    weight
        Weight to cover, instead of a share. Without either: everything coverable.
    effort
        How long to search without a time limit: an `Effort`, or the name of a preset.
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
        Number of threads; at present the search uses one.
    progress
        Whether to show a progress bar, as in `thatch.solve`.

    Raises
    ------
    InputError
        If all items together cover less than the target.
    InfeasibleError
        If no selection that meets the constraints covers it.
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
    require_problem(problem)
    require_functions(stop, observers, example="TargetGap(0.01)")
    effort = Effort.of(effort)
    limits = [] if max_seconds is None else [MaxSeconds(max_seconds)]
    with progress_bars(progress, max_seconds=max_seconds, fields=_shown) as bars:
        run = Run(
            stop=[*limits, *stop, *bars],
            observers=observers,
            seed=seed,
            num_threads=num_cores() if num_threads is None else num_threads,
        )
        return _covered(problem, run, effort, share=share, weight=weight)


def _covered(
    problem: CoverageProblem,
    run: Run,
    effort: Effort,
    *,
    share: float | None,
    weight: float | None,
) -> CoverResult:
    every = problem.with_budget(exact_sum(problem.costs))
    coverable = every.weight_of(coverable_elements(every))
    target = Target.of(every, share=share, weight=weight, coverable=coverable)
    constraints = every.constraints
    if constraints is not None and not set(constraints.kinds) <= DECIDED:
        found = constrained_cover(every, target, run)
    elif (part := undecided(every)) is not None:
        found = _cheapest_with_required(part, target, run, effort)
    else:
        found = _cheapest(every, target, run, effort)
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


def _cheapest(
    problem: CoverageProblem, target: Target, run: Run, effort: Effort
) -> FoundCover:
    """The cheapest cover that the search finds, without constraints."""
    units = CostUnits.of(problem)
    task = CoverTask.of(problem, units, target)
    state = CoverState(problem, task, units, run, effort)
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


def _cheapest_with_required(
    part: Restriction, target: Target, run: Run, effort: Effort
) -> FoundCover:
    """The cheapest cover of what the required items leave, and these items."""
    rest = part.problem.with_budget(exact_sum(part.problem.costs))
    # What may stay uncovered is the same.
    weight = max(0.0, rest.reachable_weight - target.slack)
    found = _cheapest(rest, Target(weight, target.slack), run, effort)
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


_PROVED = "No selection that reaches the target costs less."


@dataclass(frozen=True, eq=False)
class CoverResult:
    """A selection that reaches the target, and a bound on the lowest cost.

    >>> from thatch import CoverageProblem, cover
    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=1)
    >>> result = cover(problem)
    >>> result
    CoverResult(optimal, cost 2, gap 0.000%, 2 items, covers 4 of 4)
    >>> result.explanation
    'No selection that reaches the target costs less.'
    """

    #: What is chosen; the budget of its problem is its cost.
    selection: Selection
    status: Status
    #: No selection that reaches the target costs less than this.
    lower_bound: float
    #: The weight that was to be covered.
    target: float
    #: The weight that all items cover together.
    coverable: float
    seconds: float
    #: One entry per improvement, and per step of the search. The least cost is between
    #: `value`, the lower bound, and `upper_bound`, the cost of the best selection.
    trace: Sequence[Progress]

    @property
    def cost(self) -> float:
        """Total cost of the selection."""
        return self.selection.cost

    @property
    def share(self) -> float:
        """Share of the coverable weight that the selection covers; 1 of nothing."""
        return self.selection.value / self.coverable if self.coverable else 1.0

    @property
    def gap(self) -> float:
        """Share of the cost that may be saved; 0 means proved optimal."""
        if self.lower_bound >= self.cost:
            return 0.0
        return (self.cost - self.lower_bound) / self.cost

    @property
    def explanation(self) -> str:
        """Why the search stopped, as a sentence for users."""
        return _PROVED if self.status is Status.OPTIMAL else self.status.value

    def __repr__(self) -> str:
        return (
            f"CoverResult({self.status.label}, cost {self.cost:g}, "
            f"gap {self.gap:.3%}, {len(self.selection)} items, "
            f"covers {self.selection.value:g} of {self.coverable:g})"
        )

    def _repr_html_(self) -> str:
        selection = self.selection
        facts: dict[str, str | float] = {
            "cost": self.cost,
            "lower bound": self.lower_bound,
            "gap": f"{self.gap:.2%}",
            "covered": f"{selection.value:,.10g} of {self.coverable:,.10g}",
            "target": self.target,
            "items": f"{len(selection):,} of {selection.problem.num_items:,}",
            "status": self.explanation,
            "seconds": f"{self.seconds:.2g}",
        }
        return as_html("CoverResult", facts, items_table(selection))
