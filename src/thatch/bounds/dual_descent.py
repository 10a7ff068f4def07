"""Charges for the dual bound, found by first-order descent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from thatch._kernels.dual import Dual
from thatch.arrays import Floats
from thatch.devices import Device
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection

if TYPE_CHECKING:
    from thatch._kernels.gpu_dual import Dual as GpuDual

# The temperature at which the bound is smoothed, as a share of what an item of mean
# cost must earn: where it begins, by what factor it falls, where it stays.
_FIRST_TEMPERATURE = 0.04
_COOLING = 0.955
_LAST_TEMPERATURE = 0.0004
# Below so many edges a thread, starting it costs more than it saves.
_EDGES_PER_THREAD = 20_000


class DualDescent:
    """Charges, one an element, that make the dual bound lower with every iteration.

    >>> from thatch.bounds.dual_bounds import dual_bound
    >>> from thatch.instances import toy
    >>> star = toy.star(10)
    >>> multipliers = DualDescent(star.problem, Selection.of(star.problem, [0]))
    >>> multipliers.improve(100)
    >>> dual_bound(star.problem, multipliers.values), star.optimum
    (13.0, 13.0)
    """

    def __init__(
        self,
        problem: CoverageProblem,
        start: Selection,
        *,
        num_threads: int = 1,
        device: Device = Device.CPU,
    ) -> None:
        """Begin where the selection leaves them: covered twice, an element is free."""
        self._unit = float(problem.weights.max(initial=0.0)) or 1.0
        budget = problem.budget or 1.0
        weights = problem.weights / self._unit
        shares = np.select([start.cover_counts == 0, start.cover_counts == 1], [1, 0.5])
        self._scaled = shares * weights
        # The price of the start: what it covers for the whole budget, now 1.
        price = float(weights @ start.covered) or float(weights.sum())
        fair = problem.costs[problem.costs <= problem.budget] / budget
        self._temperature_unit = price * float(fair.mean()) if fair.size else 0.0
        self._temperature = _FIRST_TEMPERATURE * self._temperature_unit
        fitting_costs = np.minimum(problem.costs, 2.0 * budget) / budget
        self._dual: Dual | GpuDual
        if device is Device.GPU:
            from thatch._kernels.gpu import Graph
            from thatch._kernels.gpu_dual import Dual as GpuDual

            graph = Graph.of(problem.edges)
            self._dual = GpuDual(
                graph,
                fitting_costs,
                weights,
                problem.budget / budget,
                price,
                self._scaled,
            )
            return
        edges = problem.edges
        self._dual = Dual(
            fitting_costs,
            weights,
            edges.item_start,
            edges.item_elements,
            edges.element_start,
            edges.element_items,
            problem.budget / budget,
            price,
            self._scaled,
            max(1, min(num_threads, edges.num_edges // _EDGES_PER_THREAD)),
        )

    def improve(self, iterations: int) -> None:
        """Take so many steps, each in time linear in the edges."""
        if self._temperature > 0.0:
            self._temperature = self._dual.descend(
                iterations,
                self._temperature,
                _COOLING,
                _LAST_TEMPERATURE * self._temperature_unit,
            )

    @property
    def values(self) -> Floats:
        """The charges, one an element."""
        return np.asarray(self._dual.multipliers(), dtype=np.float64) * self._unit
