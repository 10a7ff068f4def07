"""Belief propagation on shards that pass through a GPU."""

from __future__ import annotations

from typing import Any

import cupy

from thatch._kernels import gpu_messages as kernel
from thatch._kernels.gpu import uploaded
from thatch.scale.running.gpu_shards import GpuShard, GpuShards
from thatch.scale.running.sharded_messages import (
    LARGEST_LOG,
    MessageRules,
    ShardedMessages,
)
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation
from thatch.solvers.belief_propagation.loop import MessagesState


class GpuShardedMessages(ShardedMessages):
    """Messages of shards on a GPU; what there is per item stays on the device."""

    def __init__(
        self,
        problem: ShardedProblem,
        shards: GpuShards,
        rules: MessageRules,
        state: MessagesState,
        *,
        representation: GpuRepresentation,
    ) -> None:
        """Start from neutral messages, unless the shards have others."""
        super().__init__(problem, rules, state)
        self._shards = shards
        self._representation = representation
        self._costs = uploaded(problem.costs)
        self._free = cupy.zeros(1)
        self.log_sums: Any = cupy.zeros(problem.num_items)
        #: Minus the scaled fields at the start of the last iteration.
        self.totals: Any = cupy.zeros(problem.num_items)

    def item_fields(self) -> Any:
        return -self.totals

    def _expected_cost(self) -> float:
        return float((self._costs / (1.0 + cupy.exp(self.totals))).sum())

    def _update(self, number: int, selection: Any) -> tuple[float, float]:
        share = self._schedule.share_at(number - 1)
        totals = self._scaled_price * self._costs + self.log_sums
        if share > 0:
            totals += share * self.totals
        self.totals = cupy.clip(totals, -LARGEST_LOG, LARGEST_LOG)
        sums = cupy.zeros_like(self.totals)
        largest = cupy.zeros(1)
        covered = 0.0
        for shard in self._shards:
            largest = cupy.maximum(largest, self._update_shard(shard, sums))
            if selection is not None:
                covered += shard.covered_weight(selection)
        self.log_sums = sums
        return float(largest[0]), covered

    def _update_shard(self, shard: GpuShard, sums: Any) -> Any:
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
