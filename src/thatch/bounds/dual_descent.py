"""Multipliers that lower the dual bound, found by first-order descent.

The bound is smoothed at a temperature that falls from iteration to iteration, and its
multipliers follow an accelerated gradient (`thatch._kernels.dual`). The first cooling
is quick and ends a little above the bound of the linear relaxation. A descent that is
continued is heated once more and cools slowly: its bound comes within about 0.01 % of
that of the relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch._kernels.dual import Dual
from thatch.arrays import Floats, Ints, frozen
from thatch.bounds.dual_bounds import DualPoint, certified, dual_bound
from thatch.devices import Device, device_named, require_threads
from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection

if TYPE_CHECKING:
    from thatch._kernels.gpu import Graph
    from thatch._kernels.gpu_dual import Dual as GpuDual

#: The temperature of the smoothed bound, relative to what an item of mean cost must
# earn: its first value, the factor per iteration, and its last value. Two coolings, the
# second one from this iteration on.
COOLINGS = ((0.04, 0.955, 0.0004), (0.001, 0.997, 0.00001))
_SECOND_COOLING_AT = 300
# Below the least curvature an item counts as if it were close to its price. That keeps
# steps short, and the fewer items fit into the budget, the less of it is needed: at
# most this much, and this much times the share of the items that fit.
_MOST_LEAST_CURVATURE = 0.02
_LEAST_CURVATURE_PER_SHARE = 0.2
# An iteration reads every edge twice, from distant places, and takes a few exponentials
# per item.
_WORK_PER_EDGE = 4
_WORK_PER_ITEM = 40
# With fewer edges per thread, starting a thread takes longer than it saves.
_EDGES_PER_THREAD = 20_000
# Edges visited between two calls of `should_stop`: a tenth of a second on a processor.
_EDGES_PER_CHECK = {Device.CPU: 4_000_000, Device.GPU: 2_000_000_000}


def _never() -> bool:
    """Return False: do not stop."""
    return False


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
        graph: Graph | None = None,
    ) -> None:
        """Start from the selection: an element covered twice has multiplier 0.

        On a GPU, a graph that is there already is not copied again.
        """
        self._problem = problem
        self._num_threads = num_threads
        self._per_check = max(1, _EDGES_PER_CHECK[device] // max(1, problem.num_edges))
        self._unit = float(problem.weights.max(initial=0.0)) or 1.0
        budget = problem.budget or 1.0
        # Scaled where they are needed: a copy of the scaled numbers takes longer.
        arrays, on_device = _arrays_on(device)
        # NumPy 1 may warn of an overflow that no number of the result has.
        with np.errstate(over="ignore"):
            weights = on_device(problem.weights) / self._unit
            costs = on_device(problem.costs)
            relative_costs = arrays.minimum(costs, 2.0 * budget) / budget
        counts = on_device(start.cover_counts)
        shares = arrays.asarray([1.0, 0.5, 0.0])[arrays.minimum(counts, 2)]
        # The price of the start: what it covers per budget, which is scaled to 1.
        covered = on_device(start.covered).astype(np.float64)
        price = float(weights @ covered) or float(weights.sum())
        fair = relative_costs[costs <= problem.budget]
        self._temperature_unit = price * float(fair.mean()) if fair.size else 0.0
        self._temperature = COOLINGS[0][0] * self._temperature_unit
        self._iterations = 0
        least_curvature = least_curvature_of(problem.budget / budget, fair)
        self._dual: Dual | GpuDual
        if device is Device.GPU:
            self._dual = _dual_on_gpu(
                graph or problem,
                relative_costs,
                weights,
                problem.budget / budget,
                price,
                shares * weights,
                least_curvature,
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
            shares * weights,
            max(1, min(num_threads, edges.num_edges // _EDGES_PER_THREAD)),
            least_curvature,
            *_limited_groups(problem),
        )

    def iterate(self, iterations: int) -> None:
        """Take some iterations, each in time linear in the edges."""
        if self._temperature == 0.0:
            return
        in_first = min(iterations, max(0, _SECOND_COOLING_AT - self._iterations))
        self._descend(in_first, COOLINGS[0])
        if in_first == iterations:
            return
        if self._iterations == _SECOND_COOLING_AT:
            self._temperature = COOLINGS[1][0] * self._temperature_unit
        self._descend(iterations - in_first, COOLINGS[1])

    def _descend(self, iterations: int, schedule: tuple[float, float, float]) -> None:
        _, cooling, last = schedule
        self._temperature = self._dual.descend(
            iterations, self._temperature, cooling, last * self._temperature_unit
        )
        self._iterations += iterations

    def points(
        self,
        *,
        iterations: int,
        iterations_per_point: int,
        should_stop: Callable[[], bool] = _never,
    ) -> Iterator[DualPoint]:
        """Points along the next iterations; see `dual_points`."""
        is_stopped = False
        # At least one point: with no iterations, that of the present multipliers.
        for done in range(0, max(1, iterations), iterations_per_point):
            left = min(iterations_per_point, iterations - done)
            while left > 0 and not is_stopped:
                self.iterate(min(self._per_check, left))
                left -= self._per_check
                is_stopped = should_stop()
            yield DualPoint.at(
                self._problem, self.multipliers, num_threads=self._num_threads
            )
            if is_stopped:
                return

    @property
    def is_converged(self) -> bool:
        """Whether it has cooled down: more iterations would gain nothing."""
        return self._temperature <= COOLINGS[1][2] * self._temperature_unit

    @property
    def work_per_iteration(self) -> int:
        """Work of an iteration: items and edges looked at."""
        problem = self._problem
        return _WORK_PER_EDGE * problem.num_edges + _WORK_PER_ITEM * problem.num_items

    @property
    def multipliers(self) -> Floats:
        """The present multipliers: float64, shape (num_elements,), read-only."""
        found = self._dual.multipliers()
        return frozen(np.multiply(found, self._unit, dtype=np.float64))


def least_curvature_of(budget: float, costs: Any) -> float:
    """The least curvature, from the budget and the costs of items that fit it."""
    total = float(costs.sum())
    if not total > 0.0:
        return _MOST_LEAST_CURVATURE
    return min(_MOST_LEAST_CURVATURE, _LEAST_CURVATURE_PER_SHARE * budget / total)


def _arrays_on(device: Device) -> tuple[Any, Callable[[Any], Any]]:
    """The package of arrays of a device, and what copies an array there."""
    if device is not Device.GPU:
        return np, np.asarray
    import cupy

    from thatch._kernels.gpu import uploaded

    return cupy, uploaded


def _dual_on_gpu(graph: Graph | CoverageProblem, *arguments: Any) -> GpuDual:
    """A dual on the GPU, where the graph may be already."""
    from thatch._kernels.gpu import Graph
    from thatch._kernels.gpu_dual import Dual as GpuDual

    if isinstance(graph, CoverageProblem):
        graph = Graph.of(graph.edges)
    return GpuDual(graph, *arguments)


def _limited_groups(problem: CoverageProblem) -> tuple[Ints, Ints, Floats]:
    """Where the items of each group with a limit start, these items, and its limit."""
    group, at_most = problem.group_limits
    sizes = np.bincount(group, minlength=at_most.size)
    limited = np.flatnonzero(at_most < sizes)
    items = np.argsort(group, kind="stable")
    items = items[(at_most < sizes)[group[items]]]
    starts = np.append(0, np.cumsum(sizes[limited]))
    return starts, items, at_most[limited].astype(np.float64)


def dual_points(
    problem: CoverageProblem,
    start: Selection,
    *,
    iterations: int,
    iterations_per_point: int,
    num_threads: int = 1,
    device: Device = Device.CPU,
    graph: Graph | None = None,
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
    graph
        The edges, if they are on the GPU already.
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
    descent = DualDescent(
        problem, start, num_threads=num_threads, device=device, graph=graph
    )
    return descent.points(
        iterations=iterations,
        iterations_per_point=iterations_per_point,
        should_stop=should_stop,
    )


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
        How many iterations to take; a hundred come within about 0.1 % of the bound of
        the linear relaxation, two thousand within about 0.01 %.
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
        # The second cooling starts above the bound of the first.
        iterations_per_point=min(max(1, iterations), _SECOND_COOLING_AT),
        num_threads=num_threads,
        device=device_named(device),
        should_stop=should_stop,
    ):
        bound = min(bound, certified(problem, point))
    return bound
