"""`cover`: the cheapest way to reach a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isnan, nextafter

from thatch.arrays import Flags, Ints, exact_sum
from thatch.machine.devices import num_cores
from thatch.options import require_choice
from thatch.problem.constraints import DECIDED
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.notebook import as_html
from thatch.problem.selection import Restriction, Selection
from thatch.run.certificates import Certificate
from thatch.run.progress_bar import progress_bars
from thatch.run.result import Progress, Status, items_table
from thatch.run.run import Observer, Run
from thatch.run.stopping import MaxSeconds, StoppingRule
from thatch.solvers.auto import Auto
from thatch.solvers.base import require_functions, require_problem
from thatch.solvers.covering.certifying import finished_proof
from thatch.solvers.covering.constrained_cover import (
    FoundCover,
    constrained_cover,
)
from thatch.solvers.covering.cover_state import CoverState
from thatch.solvers.covering.cover_task import CostUnits, CoverTask, Target
from thatch.solvers.covering.searching import search
from thatch.solvers.decided_items import undecided
from thatch.solvers.effort import Effort
from thatch.solvers.proving.claims import coverable as coverable_elements
from thatch.solvers.solver_settings import SHARES_OF
from thatch.solvers.solving import solve

# What is left of a time limit to evaluate all open nodes of the proof.
_SHARE_TO_PROVE, _MOST_SECONDS_TO_PROVE = 0.1, 2.0


def cover(
    problem: CoverageProblem,
    *,
    share: float | None = None,
    weight: float | None = None,
    share_of: str = "all",
    effort: Effort | str = Effort(),  # noqa: B008
    max_seconds: float | None = None,
    stop: Sequence[StoppingRule] = (),
    observers: Sequence[Observer] = (),
    seed: int = 0,
    num_threads: int | None = None,
    progress: bool | None = None,
) -> CoverResult:
    """Choose the cheapest items that cover a target, with a bound on what can be saved.

    The budget of the problem is ignored, but its constraints are met. Of covers that
    cost the same, one that covers more is preferred. Elements of weight 0 need not be
    covered.

    Parameters
    ----------
    problem
        The items and what they cover.
    share
        Share of the weight to cover, from 0 to 1.
    weight
        Weight to cover, instead of a share. Without either: everything coverable.
    share_of
        What the share is of: ``all`` weight, or what is ``coverable``.
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
        Number of threads, by default one per core. Large components are searched side
        by side; within a time limit, so is one component, with several seeds.
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
    ...     {"north": {"a", "b"}, "east": {"b", "c"}, "south": {"c", "d"}}
    ... )
    >>> cover(problem).selection.labels
    ['north', 'south']
    >>> result = cover(problem, share=0.5)
    >>> result.cost, result.lower_bound, result.share
    (1.0, 1.0, 0.5)
    """
    require_problem(problem)
    require_functions(stop, observers, example="TargetGap(0.01)")
    require_choice("share_of", share_of, list(SHARES_OF), default="all")
    effort = Effort.of(effort)
    target_of = partial(Target.of, share=share, weight=weight, share_of=share_of)
    limits = [] if max_seconds is None else [MaxSeconds(max_seconds)]
    with progress_bars(progress, max_seconds=max_seconds, fields=_shown) as bars:
        run = Run(
            stop=[*limits, *stop, *bars],
            observers=observers,
            seed=seed,
            num_threads=num_cores() if num_threads is None else num_threads,
        )
        return _covered(problem, run, effort, target_of)


def _covered(
    problem: CoverageProblem,
    run: Run,
    effort: Effort,
    target_of: Callable[..., Target],
) -> CoverResult:
    outer = run
    if run.seconds_left < inf:
        share_left = _SHARE_TO_PROVE * run.seconds_left
        run = run.with_reserve(min(share_left, _MOST_SECONDS_TO_PROVE))
    every = problem.with_budget(exact_sum(problem.costs))
    coverable = coverable_elements(every)
    target = target_of(every, coverable=coverable)
    constraints = every.constraints
    if constraints is not None and not set(constraints.kinds) <= DECIDED:
        found = constrained_cover(every, target, run)
    elif (part := undecided(every, max_seconds=run.seconds_left)) is not None:
        found = _cheapest_with_required(part, target, run, effort)
    else:
        found = _cheapest(every, target, run, effort)
    selection = _covering_more(problem, found.items, coverable, outer)
    cost = selection.cost
    return CoverResult(
        selection=selection,
        status=found.status,
        lower_bound=_rounded_down(problem, min(found.lower_bound, cost)),
        target=target.weight,
        slack=target.slack,
        coverable=every.weight_of(coverable),
        seconds=run.seconds,
        trace=tuple(run.trace),
        certificate=found.certificate,
    )


def _covering_more(
    problem: CoverageProblem, items: Ints, coverable: Flags, run: Run
) -> Selection:
    """A cover of the same cost that covers more, if a short search finds one."""
    found = Selection(problem, items)
    found = Selection(problem.with_budget(found.cost), items)
    is_full = not (problem.weights[coverable & ~found.covered] > 0).any()
    if is_full or run.must_stop:
        return found
    more = solve(
        found.problem,
        Auto(effort=Effort.fast()),
        # As long as it took to find the cover, at most.
        max_seconds=min(run.seconds, run.seconds_left)
        if run.seconds_left < inf
        else None,
        seed=run.seed,
        num_threads=run.num_threads,
        progress=False,
    ).selection
    return more if more.is_better_than(found) else found


def _rounded_down(problem: CoverageProblem, bound: float) -> float:
    """A bound on rounded costs as one on exact ones, which may be a little lower."""
    if problem.has_exact_costs or bound <= 0.0:
        return bound
    return nextafter(bound, -inf)


def _cheapest(
    problem: CoverageProblem,
    target: Target,
    run: Run,
    effort: Effort,
    within: Restriction | None = None,
) -> FoundCover:
    """The cheapest cover that the search finds, with required items if there are any.

    Parameters
    ----------
    problem
        The problem without constraints.
    target, run, effort
        What to cover, and how.
    within
        What required and forbidden items left this problem.
    """
    units = CostUnits.of(problem)
    left = run.seconds_left
    has_time = effort.cover.has_time_to_presolve(problem.num_edges, left)
    task = CoverTask.of(problem, units, target, is_presolved=has_time)
    state = CoverState(problem, task, units, target.slack, run, effort, within)
    if task.is_trivial:
        state.offer(task.items[:0], step="presolve")
    else:
        search(state)
    proof = finished_proof(state)
    assert proof.selection is not None
    found = proof.selection.items
    status = Status.OPTIMAL if proof.is_optimal else state.status or run.check_stop()
    return FoundCover(found, proof.bound, status or Status.FINISHED, proof.certificate)


def _cheapest_with_required(
    part: Restriction, target: Target, run: Run, effort: Effort
) -> FoundCover:
    """The cheapest cover that has the required items, and no forbidden ones."""
    rest = part.problem.with_budget(exact_sum(part.problem.costs))
    # What may stay uncovered is the same.
    weight = max(0.0, rest.reachable_weight - target.slack)
    target = Target(weight, target.slack, target.rounding)
    return _cheapest(rest, target, run, effort, part)


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
    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}])
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
    #: How much of the coverable weight may stay uncovered, computed exactly.
    slack: float
    #: The weight that all items cover together.
    coverable: float
    seconds: float
    #: One entry per improvement, and per step of the search. The least cost is between
    #: `value`, the lower bound, and `upper_bound`, the cost of the best selection.
    trace: Sequence[Progress]
    #: What proves the lower bound, for `thatch.verification`.
    certificate: Certificate | None = None

    @property
    def cost(self) -> float:
        """Total cost of the selection."""
        return self.selection.cost

    @property
    def share(self) -> float:
        """Share of all weight that the selection covers; 1 of nothing."""
        return self.selection.value / self.total if self.total else 1.0

    @property
    def total(self) -> float:
        """The weight of all elements."""
        return exact_sum(self.selection.problem.weights)

    @property
    def gap(self) -> float:
        """Share of the cost that may be saved; 0 means proved optimal."""
        if self.status is Status.OPTIMAL or self.lower_bound >= self.cost:
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
            f"covers {self.selection.value:g} of {self.total:g})"
        )

    def _repr_html_(self) -> str:
        selection = self.selection
        facts: dict[str, str | float] = {
            "cost": self.cost,
            "lower bound": self.lower_bound,
            "gap": f"{self.gap:.2%}",
            "covered": f"{selection.value:,.10g} of {self.total:,.10g}",
            "target": self.target,
            "items": f"{len(selection):,} of {selection.problem.num_items:,}",
            "status": self.explanation,
            "seconds": f"{self.seconds:.2g}",
        }
        return as_html("CoverResult", facts, items_table(selection))
