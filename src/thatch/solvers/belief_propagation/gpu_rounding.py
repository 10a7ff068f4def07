"""Rounding on a GPU: which fields give the best selection."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import Graph, uploaded
from thatch.arrays import Floats, Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.solvers.belief_propagation.rounding import BestRounding
from thatch.solvers.greedy import NUM_BITS


class GpuRounding:
    """Keeps the fields that give the best selection.

    The processor checks the best one at the end, by sums that are rounded once: if a
    running sum was rounded down to the budget here, or a group has a limit, it makes
    the selection itself.
    """

    #: No selection is known before the end.
    best = None

    def __init__(self, problem: CoverageProblem, graph: Graph) -> None:
        self._problem = problem
        self._graph = graph
        self._costs = uploaded(problem.costs)
        self._weights = graph.in_order(problem.weights)
        self._value = -1.0
        self._fields: Any = cupy.zeros(problem.num_items)
        self._best: Any = cupy.zeros(problem.num_items, dtype=np.int8)

    def round(self, fields: Any) -> None:
        """Round the fields; keep them if no others gave a better selection."""
        chosen = chosen_by_rank(fields, self._costs, self._problem.budget)
        value = self._value_of(chosen)
        if value >= self._value:
            self._value, self._fields, self._best = value, fields, chosen

    def selection(self) -> Selection:
        """The best selection so far; empty before the first rounding."""
        items: Ints = cupy.flatnonzero(self._best).get()
        selection = Selection(self._problem, items)
        return selection if selection.is_feasible else self.on_processor().selection()

    def on_processor(self) -> BestRounding:
        """The rounding of the best fields so far."""
        rounding = BestRounding(self._problem)
        if self._value >= 0.0:
            fields: Floats = self._fields.get().astype(np.float64)
            rounding.round(fields)
        return rounding

    def _value_of(self, chosen: Any) -> float:
        return float((self._weights * self._graph.covered(chosen)).sum())


def chosen_by_rank(fields: Any, costs: Any, budget: float) -> Any:
    """Mark every item that still fits, by field per cost: int8, shape (num_items,)."""
    chosen = cupy.zeros(costs.size, dtype=np.int8)
    order = _ranking(fields, costs)
    room = budget
    # How often the rest of the ranking is searched for items that still fit.
    for _ in range(32):
        order = order[costs[order] <= room]
        spent = cupy.cumsum(costs[order])
        count = int(cupy.searchsorted(spent, cupy.asarray([room]), side="right")[0])
        if count == 0:
            break
        chosen[order[:count]] = 1
        room -= float(spent[count - 1])
        order = order[count + 1 :]
    return chosen


def _ranking(fields: Any, costs: Any) -> Any:
    """Items in descending order of field per cost, as `ranking` orders them."""
    free = cupy.where(fields == 0, 0.0, cupy.copysign(np.inf, fields))
    ratios = cupy.where(costs > 0, fields / costs, free)
    mantissas, exponents = cupy.frexp(ratios)
    kept = cupy.rint(mantissas * 2.0**NUM_BITS)
    return cupy.argsort(-cupy.ldexp(kept, exponents - NUM_BITS))
