"""Which fields make the best filling, found out on a GPU."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import Graph
from thatch.arrays import Floats
from thatch.problem.coverage_problem import CoverageProblem
from thatch.solvers.belief_propagation.rounding import BestRounding

# How often the rest of a ranking is looked through for items that still fit.
_MOST_ROUNDS = 32


class GpuRounding:
    """Keeps the fields that rank best. The filling itself is made by the processor.

    So a selection is within the budget by the same exact sums on either device; here
    values only have to be compared.
    """

    #: No selection is known before the end.
    best = None

    def __init__(self, problem: CoverageProblem, graph: Graph) -> None:
        self._problem = problem
        self._graph = graph
        self._costs = cupy.asarray(problem.costs)
        self._weights = cupy.asarray(problem.weights)
        self._value = -1.0
        self._fields: Any = cupy.zeros(problem.num_items)

    def rank_by(self, fields: Any) -> None:
        """Rank and fill; keep the fields if no others made more of them."""
        value = self._value_of(self._filled(self._ranking(fields)))
        if value >= self._value:
            self._value, self._fields = value, fields

    def finished(self) -> BestRounding:
        """The filling by the best fields so far."""
        filling = BestRounding(self._problem)
        if self._value >= 0.0:
            fields: Floats = self._fields.get().astype(np.float64)
            filling.rank_by(fields)
        return filling

    def _ranking(self, fields: Any) -> Any:
        """Items by falling field per cost, those without cost as `ranking` has them."""
        free = cupy.where(fields == 0, 0.0, cupy.copysign(np.inf, fields))
        ratios = cupy.where(self._costs > 0, fields / self._costs, free)
        return cupy.argsort(-ratios)

    def _filled(self, order: Any) -> Any:
        """Mark every item that still fits, in that order: int8, one an item."""
        chosen = cupy.zeros(self._costs.size, dtype=np.int8)
        room = self._problem.budget
        for _ in range(_MOST_ROUNDS):
            order = order[self._costs[order] <= room]
            spent = cupy.cumsum(self._costs[order])
            count = int(cupy.searchsorted(spent, cupy.asarray([room]), side="right")[0])
            if count == 0:
                break
            chosen[order[:count]] = 1
            room -= float(spent[count - 1])
            order = order[count + 1 :]
        return chosen

    def _value_of(self, chosen: Any) -> float:
        return float((self._weights * self._graph.covered(chosen)).sum())
