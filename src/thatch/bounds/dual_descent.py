"""Multipliers that lower the dual bound, found by first-order descent.

The bound is smoothed at a temperature that falls from iteration to iteration, and its
multipliers follow an accelerated gradient (`thatch._kernels.dual`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from thatch._kernels.dual import Dual
from thatch.arrays import Floats
from thatch.bounds.dual_bounds import DualPoint, certified, dual_bound
from thatch.devices import Device, device_named, require_threads
from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection

if TYPE_CHECKING:
    from thatch._kernels.gpu_dual import Dual as GpuDual

# The temperature of the smoothed bound, relative to what an item of mean cost must
# earn: its first value, the factor per iteration, and its last value.
_FIRST_TEMPERATURE = 0.04
_COOLING = 0.955
_LAST_TEMPERATURE = 0.0004
# With fewer edges per thread, starting a thread takes longer than it saves.
_EDGES_PER_THREAD = 20_000
# Edges visited between two calls of `should_stop`: a tenth of a second on a processor.
_EDGES_PER_CHECK = {Device.CPU: 4_000_000, Device.GPU: 2_000_000_000}


class DualDescent:
    """Multipliers whose dual bound falls as they are iterated.

    >>> from thatch.instances import toy
    >>> star = toy.star(10)
    >>> descent = DualDescent(star.problem, Selection.of(star.problem, [0]))
    >>> descent.iterate(100)
    >>> dual_bound(star.problem, descent.multipliers), star.optimum
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
        """Start from the selection: an element covered twice has multiplier 0."""
        self._unit = float(problem.weights.max(initial=0.0)) or 1.0
        budget = problem.budget or 1.0
        # NumPy 1 may warn of an overflow that no number of the result has.
        with np.errstate(over="ignore"):
            weights = problem.weights / self._unit
            relative_costs = np.minimum(problem.costs, 2.0 * budget) / budget
        shares = np.select([start.cover_counts == 0, start.cover_counts == 1], [1, 0.5])
        self._scaled = shares * weights
        # The price of the start: what it covers per budget, which is scaled to 1.
        price = float(weights @ start.covered) or float(weights.sum())
        fair = relative_costs[problem.costs <= problem.budget]
        self._temperature_unit = price * float(fair.mean()) if fair.size else 0.0
        self._temperature = _FIRST_TEMPERATURE * self._temperature_unit
        self._dual: Dual | GpuDual
        if device is Device.GPU:
            from thatch._kernels.gpu import Graph
            from thatch._kernels.gpu_dual import Dual as GpuDual

            graph = Graph.of(problem.edges)
            self._dual = GpuDual(
                graph,
                relative_costs,
                weights,
                problem.budget / budget,
                price,
                self._scaled,
            )
            return
        edges = problem.edges
        self._dual = Dual(
            relative_costs,
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

    def iterate(self, iterations: int) -> None:
        """Take some iterations, each in time linear in the edges."""
        if self._temperature > 0.0:
            self._temperature = self._dual.descend(
                iterations,
                self._temperature,
                _COOLING,
                _LAST_TEMPERATURE * self._temperature_unit,
            )

    @property
    def multipliers(self) -> Floats:
        """The present multipliers: float64, shape (num_elements,)."""
        return np.asarray(self._dual.multipliers(), dtype=np.float64) * self._unit


def _never() -> bool:
    """Return False: do not stop."""
    return False


def dual_points(
    problem: CoverageProblem,
    start: Selection,
    *,
    iterations: int,
    iterations_per_point: int,
    num_threads: int = 1,
    device: Device = Device.CPU,
    should_stop: Callable[[], bool] = _never,
) -> Iterator[DualPoint]:
    """Points along a descent, each evaluated after some more iterations.

    Parameters
    ----------
    problem
        The problem whose optimum is bounded.
    start
        A selection to start from: the better it is, the faster the bound falls.
    iterations
        How many iterations to take in all.
    iterations_per_point
        How many iterations to take from one point to the next.
    num_threads, device
        Where to compute; see `first_order_bound`.
    should_stop
        Called several times per second; the point at which it returns True is the last.

    >>> from thatch.instances import toy
    >>> star = toy.star(10)
    >>> start = Selection.of(star.problem, [0])
    >>> points = dual_points(
    ...     star.problem, start, iterations=100, iterations_per_point=50
    ... )
    >>> [round(point.bound) for point in points]
    [13, 13]
    """
    descent = DualDescent(problem, start, num_threads=num_threads, device=device)
    per_check = max(1, _EDGES_PER_CHECK[device] // max(1, problem.num_edges))
    is_stopped = False
    # At least one point: with no iterations, that of the start.
    for done in range(0, max(1, iterations), iterations_per_point):
        left = min(iterations_per_point, iterations - done)
        while left > 0 and not is_stopped:
            descent.iterate(min(per_check, left))
            left -= per_check
            is_stopped = should_stop()
        yield DualPoint.at(problem, descent.multipliers)
        if is_stopped:
            return


def first_order_bound(
    problem: CoverageProblem,
    *,
    start: Selection | None = None,
    iterations: int = 300,
    num_threads: int = 1,
    device: str = Device.CPU,
    should_stop: Callable[[], bool] = _never,
) -> float:
    """Bound from a descent, each iteration in time linear in the edges.

    It is close to that of the linear relaxation, on problems far too large for that.

    Parameters
    ----------
    problem
        The problem whose optimum is bounded.
    start
        A selection to start from; a good one saves iterations.
    iterations
        How many iterations to take; a hundred come within about 0.1 %.
    num_threads
        How many threads to use; the bound does not depend on it.
    device
        Where to find multipliers, cpu or gpu; the bound is evaluated on the processor.
    should_stop
        Called several times per second; once it returns True, the bound so far is
        returned.

    >>> from thatch.instances import toy
    >>> first_order_bound(toy.greedy_trap().problem)
    16.0
    """
    require_threads(num_threads)
    require_integer("iterations", iterations, hint="Pass 0 or more.")
    bound = dual_bound(problem, problem.weights)
    for point in dual_points(
        problem,
        Selection.of(problem, []) if start is None else start,
        iterations=iterations,
        iterations_per_point=max(1, iterations),
        num_threads=num_threads,
        device=device_named(device),
        should_stop=should_stop,
    ):
        bound = min(bound, certified(problem, point))
    return bound
