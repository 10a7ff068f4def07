"""Recombination search on a core of the items that are still open.

At good multipliers, few items of a large problem have a reduced profit near 0 or above,
and a search among them is many times faster (as in Caprara, Fischetti and Toth 1999).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from operator import attrgetter

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.run import Run
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.effort import Effort
from thatch.solvers.explorers import Guide
from thatch.solvers.recombination_search import (
    RecombinationSearch,
    advance_side_by_side,
)
from thatch.solvers.search_state import SearchState
from thatch.solvers.step_efforts import PricingEffort


class CoreSearch:
    """Recombination searches on one core of the open problem after another."""

    def __init__(self, run: Run, effort: Effort) -> None:
        #: Its time limit, seed and threads.
        self.run = run
        self._effort = effort
        self._num_searches = 0
        # Of the present open problem: cores before, the core, and its search. Without a
        # core, the whole problem is searched.
        self._problem: CoverageProblem | None = None
        self._num_cores = 0
        self._core: Restriction | None = None
        self._searches: list[RecombinationSearch] = []
        # Rounds of the present search.
        self._num_rounds = 0

    @property
    def _num_side_by_side(self) -> int:
        """One per thread; without a time limit one, so that threads change nothing."""
        return 1 if self.run.seconds_left == inf else self.run.num_threads

    def has_core(self, state: SearchState) -> bool:
        """Whether a core is searched first, not the whole problem."""
        return self._is_core_of(self._num_items(state), state)

    def _is_core_of(self, num_items: int, state: SearchState) -> bool:
        """Whether a core of that size is much smaller than the problem."""
        least = self._effort.min_items_per_core_item * num_items
        return least <= state.problem.num_items

    def _num_items(self, state: SearchState) -> int:
        """Number of items of the first core."""
        least, per_item = self._effort.core_items
        return max(least, per_item * len(state.start))

    def advance(self, state: SearchState, work: float) -> Selection:
        """Search for some work; return the best selection of the open problem."""
        searches = self._searches
        is_over = self._core is not None and all(
            search.num_restarts for search in searches
        )
        if not searches or is_over or state.problem is not self._problem:
            searches = self._searches = self._next_searches(state)
            self._num_rounds = 0
        per_guide = self._effort.recombination.rounds_per_guide
        if state.dual is not None and self._num_rounds % per_guide == 0:
            price, profits = state.dual.price, state.dual.reduced_profits
            if self._core is not None:
                profits = profits[self._core.items]
            guide = Guide.of(searches[0].problem, price, profits)
            for search in searches:
                search.guide = guide
        self._num_rounds += 1
        advance_side_by_side(searches, work, self.run)
        found = max((search.best for search in searches), key=attrgetter("value"))
        return found if self._core is None else self._core.restored(found)

    def _next_searches(self, state: SearchState) -> list[RecombinationSearch]:
        """Search another core, or the whole problem if that is hardly larger."""
        problem, start = state.problem, state.start
        if problem is not self._problem:
            self._num_cores = 0
        # Every other core is larger than all before.
        doublings = (self._num_cores + 1) // 2 if self._num_cores % 2 else 0
        num_items = 2**doublings * self._num_items(state)
        self._problem, self._core = problem, None
        if state.dual is not None and self._is_core_of(num_items, state):
            self._core = priced_core(
                problem,
                state.dual,
                [start],
                num_items=num_items,
                turn=self._num_cores,
                run=self.run,
                effort=self._effort.pricing,
            )
            self._num_cores += 1
            problem = self._core.problem
            inside = np.isin(self._core.items, start.items)
            start = Selection(problem, np.flatnonzero(inside))
        seed = self.run.seed + self._num_searches
        self._num_searches += 1
        # A search draws seeds for its explorers one after another: they are far apart.
        return [
            RecombinationSearch(
                problem, start, seed=seed + k * 10**6, effort=self._effort
            )
            for k in range(self._num_side_by_side)
        ]


def priced_core(
    problem: CoverageProblem,
    dual: DualPoint,
    kept: Sequence[Selection],
    *,
    num_items: int,
    turn: int,
    run: Run,
    effort: PricingEffort = PricingEffort(),  # noqa: B008
) -> Restriction:
    """Restrict a problem to the items of the best reduced profits.

    Parameters
    ----------
    problem
        The problem to restrict.
    dual
        Multipliers, which price the items.
    kept
        Selections whose items stay.
    num_items
        How many items to keep by their reduced profit.
    turn
        How many cores there were before: if the whole budget is too much to price
        items, another share of it is taken each time.
    run
        Ends a further descent early, if there is one.
    effort
        How long that descent is.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0, 1}, {1}, {2}], budget=1)
    >>> dual = DualPoint.at(problem, problem.weights)
    >>> priced_core(problem, dual, [], num_items=1, turn=0, run=Run()).items
    array([0])
    """
    if dual.bound < effort.saturated_share * problem.reachable_weight:
        is_kept = _best(dual.reduced_profits, num_items)
    else:
        share = effort.smaller_budgets[turn % len(effort.smaller_budgets)]
        smaller = replace(problem, budget=share * problem.budget)
        profits = _priced(smaller, kept, num_items, run, effort)
        is_kept = _kept(problem, profits, num_items, effort)
    for selection in kept:
        is_kept[selection.items] = True
    return _restricted(problem, is_kept)


def _priced(
    problem: CoverageProblem,
    kept: Sequence[Selection],
    num_items: int,
    run: Run,
    effort: PricingEffort,
) -> Floats:
    """Reduced profits from a descent on all items, then on the best ones in turn."""
    start = kept[0].items if kept else np.empty(0, dtype=np.int64)
    point = _descended(problem, start, effort.iterations_on_all, run)
    for _ in range(effort.pricings):
        profits = point.reduced_profits
        is_kept = _kept(problem, profits, num_items, effort)
        best = _restricted(problem, is_kept)
        inside = np.flatnonzero(np.isin(best.items, start))
        found = _descended(best.problem, inside, effort.iterations_on_best, run)
        point = DualPoint.at(problem, found.multipliers)
        if run.must_stop:
            break
    return point.reduced_profits


def _descended(
    problem: CoverageProblem, start: Ints, iterations: int, run: Run
) -> DualPoint:
    descent = DualDescent(
        problem, Selection(problem, start), num_threads=run.num_threads
    )
    (point,) = descent.points(
        iterations=iterations,
        iterations_per_point=iterations,
        should_stop=lambda: run.must_stop,
    )
    return point


def _restricted(problem: CoverageProblem, is_kept: Flags) -> Restriction:
    none = np.empty(0, dtype=np.int64)
    return Restriction.of(problem, np.flatnonzero(is_kept), none)


def _kept(
    problem: CoverageProblem, profits: Floats, num_items: int, effort: PricingEffort
) -> Flags:
    """Mark the best items, and the best of every element."""
    per_element = _best_of_elements(problem, profits, effort.items_per_element)
    return _best(profits, num_items) | per_element


def _best(profits: Floats, num_items: int) -> Flags:
    """Mark the items of the best reduced profits."""
    is_best = np.zeros(profits.size, dtype=bool)
    num_items = min(num_items, profits.size)
    is_best[np.argpartition(-profits, num_items - 1)[:num_items]] = True
    return is_best


def _best_of_elements(
    problem: CoverageProblem, profits: Floats, per_element: int
) -> Flags:
    """Mark the items of the best reduced profits of every element."""
    edges = problem.edges
    is_best = np.zeros(problem.num_items, dtype=bool)
    starts = edges.element_start[:-1][edges.element_degrees > 0]
    degrees = edges.element_degrees[edges.element_degrees > 0]
    left = profits[edges.element_items]
    for _ in range(per_element):
        most = np.maximum.reduceat(left, starts)
        is_most = (left == np.repeat(most, degrees)) & (left > -np.inf)
        is_best[edges.element_items[is_most]] = True
        left[is_most] = -np.inf
    return is_best
