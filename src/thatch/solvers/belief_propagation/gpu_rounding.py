"""Rounding on a GPU: which fields give the best selection."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import Graph
from thatch.arrays import Floats
from thatch.problem.coverage_problem import CoverageProblem
from thatch.solvers.belief_propagation.rounding import BestRounding

# How often the rest of a ranking is searched for items that still fit.
_MAX_ROUNDS = 32


class GpuRounding:
    """Keeps the fields that give the best selection.

    The processor makes the selection itself, so that it is within the budget by the
    same exact sums on either device; here values are only compared.
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

    def round(self, fields: Any) -> None:
        """Round the fields; keep them if no others gave a better selection."""
        value = self._value_of(self._chosen(self._ranking(fields)))
        if value >= self._value:
            self._value, self._fields = value, fields

    def on_processor(self) -> BestRounding:
        """The rounding of the best fields so far."""
        rounding = BestRounding(self._problem)
        if self._value >= 0.0:
            fields: Floats = self._fields.get().astype(np.float64)
            rounding.round(fields)
        return rounding

    def _ranking(self, fields: Any) -> Any:
        """Items in descending order of field per cost, as `ranking` orders them."""
        free = cupy.where(fields == 0, 0.0, cupy.copysign(np.inf, fields))
        ratios = cupy.where(self._costs > 0, fields / self._costs, free)
        return cupy.argsort(-ratios)

    def _chosen(self, order: Any) -> Any:
        """Mark every item that still fits, in that order: int8, shape (num_items,)."""
        chosen = cupy.zeros(self._costs.size, dtype=np.int8)
        room = self._problem.budget
        for _ in range(_MAX_ROUNDS):
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
