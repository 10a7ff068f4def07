"""Dual descent on shards that pass through a GPU."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import uploaded
from thatch._kernels.gpu_dual import Choice, Steps
from thatch.bounds.dual_descent import COOLINGS, least_curvature_of
from thatch.sharding.all_shards import exact_total
from thatch.sharding.covering import exact_parts
from thatch.sharding.gpu_shards import GpuShard, GpuShards
from thatch.sharding.sharded_descent import bound_from_sums
from thatch.sharding.sharded_problem import ShardedProblem

__all__ = ["GpuShardedDescent"]


class GpuShardedDescent:
    """Multipliers of a sharded problem, as in `ShardedDescent`, on a GPU.

    What it has per item stays on the device. Multipliers are single or double; the
    bound is computed from them in doubles.
    """

    def __init__(
        self,
        problem: ShardedProblem,
        shards: GpuShards,
        *,
        chosen: Any,
        value: float,
        real: type = np.float32,
    ) -> None:
        """Start from a selection on the device and the weight that it covers."""
        self._problem = problem
        self._shards = shards
        self._real = real
        self._unit = problem.largest_weight or 1.0
        budget = problem.budget or 1.0
        costs = uploaded(problem.costs)
        relative_costs = cupy.minimum(costs, 2.0 * budget) / budget
        price = (value or problem.total_weight) / self._unit
        fair = relative_costs[costs <= problem.budget]
        temperature_unit = price * float(fair.mean()) if fair.size else 0.0
        self._temperature = COOLINGS[0][0] * temperature_unit
        self._last_temperature = COOLINGS[0][2] * temperature_unit
        #: How many steps there have been.
        self.num_steps = 0
        self._choice = Choice(
            uploaded(problem.item_degrees),
            relative_costs,
            problem.budget / budget,
            price,
            least_curvature_of(problem.budget / budget, fair),
            real=real,
        )
        sums = cupy.zeros(problem.num_items)
        for shard in shards:
            multipliers = self._first_multipliers(shard, chosen)
            sums[shard.items] += self._sums_of(shard, self._steps(shard, multipliers))
            shard.keep("multipliers", multipliers)
        self._choice.s = sums.astype(real)

    @property
    def can_descend(self) -> bool:
        """Whether any item fits into the budget."""
        return self._temperature > 0.0

    def step(self) -> None:
        """Move all multipliers once."""
        temperature = self._temperature
        self._choice.begin_step()
        self._choice.choose(temperature)
        sums = cupy.zeros(self._problem.num_items)
        uphill = []
        for shard in self._shards:
            multipliers = shard.state("multipliers")
            steps = self._steps(shard, multipliers)
            local = cupy.ascontiguousarray(self._choice.choice[shard.items])
            steps.step(local, temperature, self._choice.state)
            uphill.append(steps.uphill.sum())
            sums[shard.items] += self._sums_of(shard, steps)
            shard.keep("multipliers", multipliers)
        self._choice.s = sums.astype(self._real)
        self._choice.end_step(cupy.stack(uphill) if uphill else cupy.zeros(1))
        # They are only queued; the caller checks the time next.
        cupy.cuda.get_current_stream().synchronize()
        self.num_steps += 1
        cooled = COOLINGS[0][1] * temperature
        self._temperature = max(self._last_temperature, cooled)

    def bound(self) -> float:
        """No selection within the budget is worth more than this.

        The device adds multipliers per item, in doubles; the processor does the rest.
        """
        sums = cupy.zeros(self._problem.num_items)
        free = []
        for shard in self._shards:
            multipliers = shard.state("multipliers")[0].astype(np.float64)
            clipped = cupy.clip(multipliers * self._unit, 0.0, shard.weights)
            is_reachable = cupy.diff(shard.graph.element_start) > 0
            clipped *= is_reachable
            sums[shard.items] += shard.graph.sums_of_elements(clipped)
            left = (shard.weights - clipped) * is_reachable
            free.append(exact_parts(left.get()))
        return bound_from_sums(self._problem, sums.get(), free=exact_total(free))

    def _first_multipliers(self, shard: GpuShard, chosen: Any) -> Any:
        """Those of a selection, twice: an element that it covers twice has 0."""
        counts = shard.graph.covered(chosen[shard.items], most=2)
        shares = cupy.asarray([1.0, 0.5, 0.0])[counts]
        first = (shares * (shard.weights / self._unit)).astype(self._real)
        return cupy.stack([first, first])

    def _steps(self, shard: GpuShard, multipliers: Any) -> Steps:
        weights = (shard.weights / self._unit).astype(self._real)
        return Steps(shard.graph, weights, *multipliers, real=self._real)

    def _sums_of(self, shard: GpuShard, steps: Steps) -> Any:
        sums = cupy.zeros(shard.items.size, dtype=self._real)
        steps.add(sums)
        return sums
