"""Local search for cheap covers among the items that are worth their cost."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import compress
from math import inf

import numpy as np

from thatch._kernels.greedy_covers import cover_greedily
from thatch.arrays import Ints, distinct, exact_sum
from thatch.solvers.covering.cover_task import CoverTask
from thatch.solvers.swapping import GROWTH, swaps_of


class CoverDescent:
    """A search for covers below a cost among some items of a task, or of a part of it.

    What it learns about elements that are hard to cover stays, also when a cheaper
    cover is found: they get heavier, by their growth relative to what they weigh first.
    """

    def __init__(
        self,
        task: CoverTask,
        candidates: Ints,
        start: Ints,
        *,
        seed: int,
        growth: float = GROWTH,
        part: Ints | None = None,
    ) -> None:
        self.task = task
        #: The items of the part: some components of the task; `None` for the whole.
        self.part = part
        problem = task.problem
        is_kept = np.ones(problem.num_elements, dtype=np.bool_)
        if part is not None:
            is_kept[:] = False
            is_kept[problem.edges.item_elements[problem.edges.positions_of(part)]] = 1
            candidates, start = (
                each[np.isin(each, part)] for each in (candidates, start)
            )
        self._candidates = distinct(candidates, start)
        edges, is_left = problem.edges.restricted_to(self._candidates, is_kept)
        lost = float(problem.weights[is_kept & ~is_left].sum())
        self._slack = max(0.0, task.safe_slack - lost)
        self._best = np.zeros(self._candidates.size, dtype=np.int8)
        self._best[np.searchsorted(self._candidates, start)] = 1
        #: The cost of the cheapest cover that was found.
        self.cost = inf
        costs, weights = problem.costs[self._candidates], problem.weights[is_left]
        # Without slack, no element is worth more than another one.
        worth = weights if self._slack > 0 else np.ones(weights.size)
        self._swaps = swaps_of(
            costs,
            weights,
            edges,
            self._best,
            worth,
            seed=seed,
            budget=costs.sum(),
            growth=growth,
        )
        #: Share of the work of a search of the whole.
        self.share = 1.0 if part is None else edges.num_edges / problem.num_edges

    @property
    def best(self) -> Ints:
        """Items of the best cover; at first, those that the search started from."""
        return self._candidates[np.flatnonzero(self._best)]

    def adopt(self, inside: Ints) -> None:
        """Go on from a cover of the task if it is cheaper; from no items, never."""
        if self.part is not None:
            inside = inside[np.isin(inside, self.part)]
        cost = exact_sum(self.task.problem.costs[inside])
        is_inside = inside.size > 0 and np.isin(inside, self._candidates).all()
        if cost >= self.cost or not is_inside:
            return
        marks = np.isin(self._candidates, inside).astype(np.int8)
        self._swaps.adopt(marks)
        self.cost = cost

    def search(
        self, max_work: int, *, least_saving: float, least_cost: float = 0.0
    ) -> bool:
        """Search on for cheaper covers; return whether one was found.

        Parameters
        ----------
        max_work
            How many edges to look at.
        least_saving
            By how much a cheaper cover must be cheaper.
        least_cost
            The search ends once a cover costs no more.
        """
        before = self.cost
        self.cost = self._swaps.find_covers(
            max_work, self._slack, before, least_saving, least_cost
        )
        return self.cost < before


def searched(
    searches: Sequence[CoverDescent],
    max_work: int,
    *,
    least_saving: float,
    least_cost: float,
    num_threads: int,
) -> list[CoverDescent]:
    """Search side by side; return the searches that found a cheaper cover."""

    def search(descent: CoverDescent) -> bool:
        if descent.part is not None:
            work = max(1, int(descent.share * max_work))
            return descent.search(work, least_saving=least_saving)
        return descent.search(
            max_work, least_saving=least_saving, least_cost=least_cost
        )

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
