"""Multipliers that lower the dual bound, found by first-order descent.

The bound is smoothed at a temperature that falls from iteration to iteration, and its
multipliers follow an accelerated gradient (`thatch._kernels.dual`). The first cooling
is quick and ends a little above the bound of the linear relaxation. A descent that is
continued is heated once more and cools slowly: its bound comes within about 0.01 % of
that of the relaxation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from thatch._kernels.dual import Dual
from thatch.arrays import Floats, Ints, frozen
from thatch.machine.devices import Device, device_named, require_threads
from thatch.options import require_integer
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.solvers.bounds.dual_bounds import DualPoint, certified

if TYPE_CHECKING:
    from thatch._kernels.gpu import Graph
    from thatch._kernels.gpu_dual import Dual as GpuDual

#: The temperature of the smoothed bound, relative to what an item of mean cost must
# earn: its first value, the factor per iteration, and its last value. Two coolings, the
# second one from this iteration on.
COOLINGS = ((0.04, 0.955, 0.0004), (0.001, 0.997, 0.00001))
_SECOND_COOLING_AT = 300


def _never() -> bool:
    """Return False: do not stop."""
    return False


class DualDescent:
    """Multipliers whose dual bound falls as they are iterated.

    >>> from thatch.problem.instances import toy
    >>> star = toy.star(10)
    >>> from thatch.solvers.bounds import dual_bound
    >>> descent = DualDescent(star.problem, Selection.of(star.problem, [0]))
    >>> descent.iterate(100)
    >>> dual_bound(star.problem, descent.multipliers), star.optimum
    (13.0, 13.0)
    """

    #: See `Descent`: `step` takes many iterations.
    has_slow_steps: ClassVar[bool] = False

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
        edges_per_check = 2_000_000_000 if device is Device.GPU else 1_000_000
        # Iterations that take a few hundredths of a second on a processor.
        self._per_check = max(1, edges_per_check // max(1, problem.num_edges))
        self._unit = float(problem.weights.max(initial=0.0)) or 1.0
        # Scaled where they are needed: a copy of the scaled numbers takes longer.
        arrays, on_device = _arrays_on(device)
        # NumPy 1 may warn of an overflow that no number of the result has.
        with np.errstate(over="ignore"):
            weights = on_device(problem.weights) / self._unit
        counts = on_device(start.cover_counts)
        shares = arrays.asarray([1.0, 0.5, 0.0])[arrays.minimum(counts, 2)]
        # The price of the start: what it covers per budget, which is scaled to 1.
        covered = on_device(start.covered).astype(np.float64)
        price = float(weights @ covered) or float(weights.sum())
        scales = DescentScales.of(on_device(problem.costs), problem.budget, price)
        self._temperature_unit = scales.temperature_unit
        self._temperature = COOLINGS[0][0] * self._temperature_unit
        #: How many iterations there have been.
        self.num_steps = 0
        #: What shows the last bound.
        self.last_point: DualPoint | None = None
        self._dual: Dual | GpuDual
        if device is Device.GPU:
            self._dual = _dual_on_gpu(
                graph or problem,
                scales.relative_costs,
                weights,
                scales.relative_budget,
                price,
                shares * weights,
                scales.least_curvature,
            )
            return
        edges = problem.edges
        # With fewer edges per thread, starting a thread takes longer than it saves.
        self._dual = Dual(
            scales.relative_costs,
            weights,
            edges,
            scales.relative_budget,
            price,
            shares * weights,
            max(1, min(num_threads, edges.num_edges // 20_000)),
            scales.least_curvature,
            _limited_groups(problem),
        )

    def iterate(self, iterations: int) -> None:
        """Take some iterations, each in time linear in the edges."""
        if self._temperature == 0.0:
            return
        in_first = min(iterations, max(0, _SECOND_COOLING_AT - self.num_steps))
        self._descend(in_first, COOLINGS[0])
        if in_first == iterations:
            return
        if self.num_steps == _SECOND_COOLING_AT:
            self._temperature = COOLINGS[1][0] * self._temperature_unit
        self._descend(iterations - in_first, COOLINGS[1])

    def _descend(self, iterations: int, schedule: tuple[float, float, float]) -> None:
        _, cooling, last = schedule
        self._temperature = self._dual.descend(
            iterations, self._temperature, cooling, last * self._temperature_unit
        )
        self.num_steps += iterations

    def points(
        self,
        *,
        iterations: int,
        iterations_per_point: int,
        should_stop: Callable[[], bool] = _never,
    ) -> Iterator[DualPoint]:
        """Points along the next iterations, each evaluated after some of them.

        Parameters
        ----------
        iterations
            How many iterations to take in all.
        iterations_per_point
            How many iterations to take from one point to the next.
        should_stop
            Called several times per second; the point at which it returns True is the
            last.

        >>> from thatch.problem.instances import toy
        >>> star = toy.star(10).problem
        >>> descent = DualDescent(star, Selection.of(star, [0]))
        >>> points = descent.points(iterations=100, iterations_per_point=50)
        >>> [round(point.bound) for point in points]
        [13, 13]
        """
        is_stopped = False
        # At least one point: with no iterations, that of the present multipliers.
        for done in range(0, max(1, iterations), iterations_per_point):
            left = min(iterations_per_point, iterations - done)
            while left > 0 and not is_stopped:
                self.step(left)
                left -= self._per_check
                is_stopped = should_stop()
            yield self._point()
            if is_stopped:
                return

    def step(self, most: int) -> None:
        """Take iterations for a moment: hundredths of a second on a processor."""
        self.iterate(min(self._per_check, most))

    @property
    def can_descend(self) -> bool:
        """Whether more iterations would gain anything."""
        return not self.is_converged

    def bound(self) -> float:
        """No selection within the budget is worth more than this."""
        self.last_point = self._point()
        return certified(self._problem, self.last_point)

    def _point(self) -> DualPoint:
        return DualPoint.at(
            self._problem, self.multipliers, num_threads=self._num_threads
        )

    @property
    def is_converged(self) -> bool:
        """Whether it has cooled down: more iterations would gain nothing."""
        return self._temperature <= COOLINGS[1][2] * self._temperature_unit

    @property
    def work_per_iteration(self) -> int:
        """Work of an iteration: items and edges looked at."""
        problem = self._problem
        # It reads every edge twice, from distant places, and takes a few exponentials
        # per item.
        return 4 * problem.num_edges + 40 * problem.num_items

    @property
    def multipliers(self) -> Floats:
        """The present multipliers: float64, shape (num_elements,), read-only."""
        found = self._dual.multipliers()
        return frozen(np.multiply(found, self._unit, dtype=np.float64))


class DescentScales(NamedTuple):
    """What costs and the first price say about a descent.

    Costs are relative to the budget. Those of items that never fit are cut at twice the
    budget.
    """

    relative_costs: Any
    #: 1, or 0 for a budget of 0.
    relative_budget: float
    #: What an item of mean cost that fits must earn, in units of the largest weight.
    temperature_unit: float
    #: Below it an item counts as if it were close to its price.
    least_curvature: float

    @classmethod
    def of(cls, costs: Any, budget: float, price: float) -> DescentScales:
        """The scales of costs that are on the processor or on a GPU."""
        unit = budget or 1.0
        with np.errstate(over="ignore"):
            relative_costs = costs.clip(max=2.0 * unit)
            relative_costs /= unit
        fair = relative_costs[costs <= budget]
        mean = float(fair.mean()) if fair.size else 0.0
        # It keeps steps short. The fewer items fit, the less of it is needed: in
        # proportion to the share of the items that fit.
        total = float(fair.sum())
        curvature = 0.02
        if total > 0.0:
            curvature = min(curvature, 0.2 * (budget / unit) / total)
        return cls(relative_costs, budget / unit, price * mean, curvature)


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

    >>> from thatch.problem.instances import toy
    >>> first_order_bound(toy.greedy_trap().problem)
    16.0
    """
    require_threads(num_threads)
    require_integer("iterations", iterations, hint="Pass 0 or more.")
    start = Selection.of(problem, []) if start is None else start
    point = descended_point(
        problem,
        start,
        iterations,
        num_threads=num_threads,
        device=device_named(device),
        should_stop=should_stop,
    )
    return certified(problem, point)


def descended_point(
    problem: CoverageProblem,
    start: Selection,
    iterations: int,
    *,
    num_threads: int = 1,
    device: Device = Device.CPU,
    should_stop: Callable[[], bool] = _never,
) -> DualPoint:
    """The dual point of `first_order_bound`."""
    descent = DualDescent(problem, start, num_threads=num_threads, device=device)
    points = descent.points(
        iterations=iterations,
        # The second cooling starts above the bound of the first.
        iterations_per_point=min(max(1, iterations), _SECOND_COOLING_AT),
        should_stop=should_stop,
    )
    first = DualPoint.at(problem, problem.weights)
    return min([first, *points], key=attrgetter("bound"))
