"""Recombination search on a core of the items that are still open."""

from __future__ import annotations

from math import inf
from operator import attrgetter

import numpy as np

from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.run import Run
from thatch.solvers.branch_and_reduce import SearchState
from thatch.solvers.effort import Effort
from thatch.solvers.explorers import Guide
from thatch.solvers.pricing import priced_core
from thatch.solvers.recombination_search import (
    RecombinationSearch,
    advance_side_by_side,
)

# The search is guided by newer multipliers after this many rounds.
_ROUNDS_PER_GUIDE = 8
# A search draws seeds for its explorers, one after another: at most this many.
_SEEDS_PER_SEARCH = 10**6


class CoreSearch:
    """Recombination searches on one core of the open problem after another."""

    def __init__(self, run: Run, effort: Effort) -> None:
        self._run = run
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
        return 1 if self._run.seconds_left == inf else self._run.num_threads

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

    def advance(self, state: SearchState, work: float) -> SearchState:
        """Search for some work, and improve the state by what was found."""
        searches = self._searches
        is_over = self._core is not None and all(
            search.num_restarts for search in searches
        )
        if not searches or is_over or state.problem is not self._problem:
            searches = self._searches = self._next_searches(state)
            self._num_rounds = 0
        if state.dual is not None and self._num_rounds % _ROUNDS_PER_GUIDE == 0:
            price, profits = state.dual.price, state.dual.reduced_profits
            if self._core is not None:
                profits = profits[self._core.items]
            guide = Guide.of(searches[0].problem, price, profits)
            for search in searches:
                search.guide = guide
        self._num_rounds += 1
        advance_side_by_side(searches, work, self._run)
        found = max((search.best for search in searches), key=attrgetter("value"))
        if self._core is not None:
            found = self._core.restored(found)
        return state.improved_by(found)

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
                run=self._run,
            )
            self._num_cores += 1
            problem = self._core.problem
            inside = np.isin(self._core.items, start.items)
            start = Selection(problem, np.flatnonzero(inside))
        seed = self._run.seed + self._num_searches
        self._num_searches += 1
        return [
            RecombinationSearch(
                problem, start, seed=seed + k * _SEEDS_PER_SEARCH, effort=self._effort
            )
            for k in range(self._num_side_by_side)
        ]
