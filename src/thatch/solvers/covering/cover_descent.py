"""Local search for cheap covers among the items that are worth their cost."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import compress

import numpy as np

from thatch._kernels.greedy_covers import cover_greedily
from thatch._kernels.weighting import Weighting
from thatch.arrays import Ints, distinct
from thatch.solvers.covering.cover_task import CoverTask


class CoverDescent:
    """A search for covers below a cost among some items of a task."""

    def __init__(
        self,
        task: CoverTask,
        candidates: Ints,
        start: Ints,
        *,
        cost: float,
        least_saving: float,
        seed: int,
    ) -> None:
        self._candidates = distinct(candidates, start)
        problem = task.problem
        every = np.ones(problem.num_elements, dtype=np.bool_)
        edges, is_left = problem.edges.restricted_to(self._candidates, every)
        lost = float(problem.weights[~is_left].sum())
        self._best = np.zeros(self._candidates.size, dtype=np.int8)
        self._best[np.searchsorted(self._candidates, start)] = 1
        first_bits = 0x9E3779B97F4A7C15
        all_bits = 2**64 - 1
        self._kernel = Weighting(
            problem.costs[self._candidates],
            problem.weights[is_left],
            edges,
            max(0.0, task.safe_slack - lost),
            least_saving,
            cost,
            (first_bits * (2 * seed + 1)) & all_bits,
            self._best,
        )

    @property
    def best(self) -> Ints:
        """Items of the best cover; at first, those that the search started from."""
        return self._candidates[np.flatnonzero(self._best)]

    def search(self, max_work: int, *, least_cost: float) -> bool:
        """Search for some steps; return whether a cheaper cover was found."""
        _, has_improved = self._kernel.search(max_work, least_cost)
        return bool(has_improved)


def searched(
    searches: Sequence[CoverDescent],
    max_work: int,
    *,
    least_cost: float,
    num_threads: int,
) -> list[CoverDescent]:
    """Search side by side; return the searches that found a cheaper cover."""
    search = partial(CoverDescent.search, max_work=max_work, least_cost=least_cost)
    if min(len(searches), num_threads) == 1:
        return [each for each in searches if search(each)]
    with ThreadPoolExecutor(num_threads) as threads:
        return list(compress(searches, threads.map(search, searches)))


def greedy_cover(task: CoverTask) -> Ints:
    """A cover by the items of most gain per cost."""
    chosen = np.zeros(task.items.size, dtype=np.int8)
    problem = task.problem
    cover_greedily(
        problem.costs,
        problem.weights,
        problem.edges.item_start,
        problem.edges.item_elements,
        # Weights are subtracted one by one here; without slack, the greedy choice
        # goes on until nothing is gained.
        max(0.0, task.safe_slack - 0.25 * task.rounding) or -1.0,
        chosen,
    )
    return np.flatnonzero(chosen)
