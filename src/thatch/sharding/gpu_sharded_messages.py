"""Belief propagation on shards that pass through a GPU."""

from __future__ import annotations

from math import inf
from typing import Any

import cupy
import numpy as np

from thatch._kernels import gpu_messages as kernel
from thatch._kernels.gpu import uploaded
from thatch.arrays import Floats
from thatch.sharding.gpu_shards import GpuShard, GpuShards
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation
from thatch.solvers.belief_propagation.schedule import Schedule, price_step

__all__ = ["GpuShardedMessages"]

# As on a processor, which clips the totals at 2^-1000 and 2^1000.
_LARGEST_LOG = 1000.0 * float(np.log(2.0))


class GpuShardedMessages:
    """All messages of a sharded problem, as in `ShardedMessages`, on a GPU.

    What it has per item stays on the device.
    """

    def __init__(
        self,
        problem: ShardedProblem,
        shards: GpuShards,
        schedule: Schedule,
        *,
        representation: GpuRepresentation,
        inverse_temperature: float,
        price: float,
        is_price_free: bool,
    ) -> None:
        self._problem = problem
        self._shards = shards
        self._schedule = schedule
        self._representation = representation
        self._inverse_temperature = inverse_temperature
        self._is_price_free = is_price_free
        self._costs = uploaded(problem.costs)
        self._free = cupy.zeros(1)
        #: How often every message was updated.
        self.num_iterations = 0
        #: The price of the last iteration, or the first one.
        self.price = price
        #: float64, per item, on the device: minus the scaled sum of the messages h_hat.
        self.log_sums = cupy.zeros(problem.num_items)
        #: Likewise: minus the scaled field at the start of the last iteration.
        self.totals = cupy.zeros(problem.num_items)
        #: The largest scaled change of a message in the last iteration.
        self.largest_change = inf

    def iterate(self, chosen: Any = None) -> float:
        """Update every message once; return the weight that a selection covers."""
        t = self.num_iterations
        if t > 0 and self._is_price_free:
            self.price = self._adapted_price()
        share = self._schedule.share_at(t)
        totals = self._present_totals()
        if share > 0:
            totals += share * self.totals
        self.totals = cupy.clip(totals, -_LARGEST_LOG, _LARGEST_LOG)
        sums = cupy.zeros_like(self.totals)
        largest = cupy.zeros(1)
        covered = 0.0
        for shard in self._shards:
            change = self._update(shard, sums)
            largest = cupy.maximum(largest, change)
            if chosen is not None:
                covered += shard.covered_weight(chosen)
        self.log_sums = sums
        self.largest_change = (1.0 - self._schedule.damping) * float(largest[0])
        self.num_iterations += 1
        return covered

    def _update(self, shard: GpuShard, sums: Any) -> Any:
        """Update the messages of a shard, and add them up per item."""
        real, algebra = self._representation
        messages = kernel.Messages(
            shard.graph, real=real, algebra=algebra, L=shard.state("messages")
        )
        unclaimed = -cupy.logaddexp(0.0, self._inverse_temperature * shard.weights)
        if algebra == "LINEAR":
            unclaimed = cupy.exp(unclaimed)
        change = cupy.zeros(1)
        messages.S = self.totals[shard.items].astype(real)
        damping = self._schedule.damping
        messages.reply(unclaimed.astype(real), None, damping, change)
        # The sums alone: items cost nothing here.
        messages.gather(cupy.zeros(shard.items.size), None, self._free, 0.0)
        sums[shard.items] += messages.S
        shard.keep("messages", messages.L)
        return change

    def item_marginals(self) -> Floats:
        """Marginals of the present messages: float64, shape (num_items,)."""
        totals = cupy.clip(self._present_totals(), -_LARGEST_LOG, _LARGEST_LOG)
        marginals: Floats = (1.0 / (1.0 + cupy.exp(totals))).get()
        return marginals

    def _present_totals(self) -> Any:
        scaled_price = self._inverse_temperature * self.price
        return scaled_price * self._costs + self.log_sums

    def _adapted_price(self) -> float:
        budget = self._problem.budget
        cost = float((self._costs / (1.0 + cupy.exp(self.totals))).sum())
        excess = min(1.0, max(-1.0, (cost - budget) / max(budget, 1e-300)))
        return self.price * float(np.exp(price_step(self.num_iterations) * excess))
