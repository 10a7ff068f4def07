"""`sweep`: the best value at every budget, with bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import Floats, Ints, frozen, numbers
from thatch.errors import InputError
from thatch.machine.devices import num_cores
from thatch.planning.budget_bounds import bounds_of_budgets
from thatch.planning.budget_search import BudgetSearch
from thatch.planning.nesting import nested_results
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate
from thatch.run.result import Result, Results, Status, new_frame
from thatch.run.run import Run
from thatch.run.stopping import MaxSeconds
from thatch.solvers.base import require_problem
from thatch.solvers.decided_items import has_only_limits, restored, undecided
from thatch.solvers.effort import Effort
from thatch.solvers.greedy import chosen_in_order, item_weights, ranking
from thatch.solvers.solving import solve

# Within a time limit, the share of it that the first searches of all budgets get. What
# is left is for learning from neighbors.
_SHARE_OF_FIRST_SEARCHES = 0.6
# Where that is short, the share of it for the bounds of all budgets.
_SHARE_OF_BOUNDS = 0.25


@dataclass(frozen=True, eq=False)
class Sweep(Results):
    """One result per budget, in ascending order of the budgets."""

    @property
    def budgets(self) -> Floats:
        """The budgets."""
        return np.array([each.selection.problem.budget for each in self.results])

    @property
    def values(self) -> Floats:
        """Covered weight at each budget; it never falls."""
        return np.array([each.selection.value for each in self.results])

    @property
    def upper_bounds(self) -> Floats:
        """What no selection exceeds at each budget."""
        return np.array([each.upper_bound for each in self.results])

    @property
    def is_nested(self) -> bool:
        """Whether every selection contains those of smaller budgets."""
        chosen = [set(each.selection.items.tolist()) for each in self.results]
        return all(one <= other for one, other in pairwise(chosen))

    def to_frame(self, package: str | None = None) -> Any:
        """One row per budget; see `Result.to_frame`."""
        return new_frame(
            {
                "budget": self.budgets,
                "cost": np.array([each.selection.cost for each in self.results]),
                "items": np.array([len(each.selection) for each in self.results]),
                "value": self.values,
                "upper_bound": self.upper_bounds,
                "gap": np.array([each.gap for each in self.results]),
            },
            package,
        )

    def __repr__(self) -> str:
        if not self.results:
            return "Sweep(no budgets)"
        largest = max(each.gap for each in self.results)
        first, last = self.budgets[0], self.budgets[-1]
        return (
            f"Sweep({len(self)} budgets from {first:g} to {last:g}, largest gap "
            f"{largest:.3%})"
        )


def sweep(
    problem: CoverageProblem,
    budgets: ArrayLike,
    *,
    nested: bool = False,
    max_seconds: float | None = None,
    seed: int = 0,
    num_threads: int | None = None,
) -> Sweep:
    """Solve a problem at several budgets, each starting from its neighbors.

    With constraints that need an integer program, each budget is solved by itself.

    Parameters
    ----------
    problem
        The problem; its own budget does not matter.
    budgets
        The budgets, in any order.
    nested
        Whether every selection must contain those of smaller budgets, so that a plan
        grows without being revised. Bounds do not take this into account.
    max_seconds
        The time limit of all budgets together.
    seed
        Seed of all random numbers.
    num_threads
        Number of threads; default: all cores.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets(
    ...     [{0, 1, 2, 3}, {0, 1, 4}, {2, 3, 5}], budget=1
    ... )
    >>> sweep(problem, [1, 2]).values, sweep(problem, [1, 2], nested=True).values
    (array([4., 6.]), array([4., 5.]))
    """
    require_problem(problem)
    given = distinct_budgets(budgets)
    limits = [] if max_seconds is None else [MaxSeconds(max_seconds)]
    threads = num_cores() if num_threads is None else num_threads
    run = Run(stop=limits, seed=seed, num_threads=threads)
    problems = [problem.with_budget(budget) for budget in given.tolist()]
    if not problems:
        return Sweep(())
    if has_only_limits(problem):
        # Nesting takes as long again.
        results = _swept(problems, run.with_time_share(0.5) if nested else run)
    else:
        results = [
            _solved_alone(each, run, len(problems) - k)
            for k, each in enumerate(problems)
        ]
    if nested:
        results = nested_results(results, run)
    return Sweep(tuple(_monotone(results)))


def distinct_budgets(budgets: ArrayLike) -> Floats:
    """Budgets in ascending order, each once."""
    given = np.sort(numbers("budgets", budgets))
    if given.size and not (np.isfinite(given).all() and given[0] >= 0):
        bad = given[0] if given[0] < 0 else given[~np.isfinite(given)][0]
        raise InputError(
            f"budgets contains {bad}; budgets must be finite and non-negative.",
            hint="Leave it out.",
        )
    is_new = np.ones(given.size, dtype=bool)
    is_new[1:] = given[1:] != given[:-1]
    return frozen(given[is_new])


def _solved_alone(problem: CoverageProblem, run: Run, count: int) -> Result:
    seconds = run.seconds_left / count if run.seconds_left < np.inf else None
    return solve(
        problem,
        max_seconds=seconds,
        seed=run.seed,
        num_threads=run.num_threads,
        progress=False,
    )


def _swept(problems: Sequence[CoverageProblem], run: Run) -> list[Result]:
    """Results that learn from their neighbors, in turn from both ends."""
    parts = [undecided(each, max_seconds=run.seconds_left) for each in problems]
    effort = Effort()
    # Work of a round at one budget, in items and edges looked at.
    work = min(2.5e7, effort.first_work.at(problems[-1].num_edges))
    points: list[BudgetSearch] = []
    start: Ints = np.zeros(0, dtype=np.int64)
    inner = [
        problem if part is None else part.problem
        for problem, part in zip(problems, parts, strict=True)
    ]
    seconds = effort.greedy_seconds(inner[-1].num_items, inner[-1].num_edges)
    bounds: Sequence[tuple[float, Certificate | None]] = [(inf, None)] * len(inner)
    if _is_short(inner, run, effort):
        bounds = bounds_of_budgets(inner, run.with_time_share(_SHARE_OF_BOUNDS))
    first_searches = run.with_time_share(_SHARE_OF_FIRST_SEARCHES)
    for k, each in enumerate(inner):
        if run.seconds_left < seconds:
            break
        # Searches with other seeds find different selections, to be combined.
        own_run = run.unreported()
        own_run.seed = run.seed + k
        share = first_searches.with_time_share(1.0 / (len(inner) - k)).unreported()
        share.seed = own_run.seed
        point = BudgetSearch(each, start, share, effort)
        for _ in range(2):
            point.advance(work, is_first=True)
        point.continue_in(own_run)
        points.append(point)
        start = point.best.items
    _take_turns(points, work)
    is_cut_short = run.must_stop
    results = [point.result(is_cut_short=is_cut_short) for point in points]
    results += _ranked(inner[len(points) :], run)
    results = [
        result.with_bound(*bound) if bound[0] < inf else result
        for result, bound in zip(results, bounds, strict=True)
    ]
    return [
        result if part is None else restored(part, result)
        for part, result in zip(parts, results, strict=True)
    ]


def _is_short(problems: Sequence[CoverageProblem], run: Run, effort: Effort) -> bool:
    """Whether there is too little time to bound every budget by itself."""
    seconds = effort.presolve_seconds_per_edge * problems[-1].num_edges
    return run.seconds_left < len(problems) * seconds


def _ranked(problems: Sequence[CoverageProblem], run: Run) -> list[Result]:
    """Results of one ranking of the items, for which there is always time."""
    if not problems:
        return []
    order = ranking(problems[-1], item_weights(problems[-1]))
    return [
        run.result(
            chosen_in_order(problem, order),
            Status.TIME_LIMIT,
            upper_bound=problem.reachable_bound,
            certificate=Certificate(),
        )
        for problem in problems
    ]


def _take_turns(points: Sequence[BudgetSearch], work: float) -> None:
    """Learn from the neighbors and search on, in turn from both ends.

    A budget rests once it has not improved for some turns, until a neighbor has.
    """
    everywhere = range(len(points))
    stalled = [0] * len(points)
    for turn in range(10):
        for k in everywhere if turn % 2 else reversed(everywhere):
            # A budget rests after this many rounds in which neither it nor a neighbor
            # improved.
            if stalled[k] >= 2:
                continue
            neighbors = [other for other in (k - 1, k + 1) if other in everywhere]
            before = points[k].best.value
            for other in neighbors:
                points[k].combine_with(points[other].best.items)
            points[k].advance(work, is_first=False)
            stalled[k] += 1
            if points[k].best.value > before:
                for other in (k, *neighbors):
                    stalled[other] = 0


def _monotone(results: Sequence[Result]) -> list[Result]:
    """Values that never fall, and bounds that hold for smaller budgets too."""
    better: list[Result] = []
    for result in results:
        if better and better[-1].selection.is_better_than(result.selection):
            items = better[-1].selection.items
            selection = Selection(result.selection.problem, items)
            if selection.is_feasible:
                result = replace(result, selection=selection)
        better.append(result.with_bound(result.upper_bound))
    for k in reversed(range(len(better) - 1)):
        above = better[k + 1]
        better[k] = better[k].with_bound(above.upper_bound, above.certificate)
    return better
