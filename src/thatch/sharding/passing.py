"""Belief propagation on a shard: an update of its messages.

The driver publishes the totals T_i of `thatch._kernels.messages`; a shard replies, and
leaves the logarithm of the product of the messages to each of its items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch._kernels import messages as kernel
from thatch.sharding.shard import Shard
from thatch.sharding.steps import ShardFiles

__all__ = ["PassingStep"]

# Elements per value of the largest change.
_BLOCK_SIZE = 4096


@dataclass(frozen=True)
class PassingStep:
    """An update of all messages of a shard, by eqs. (BP1) and (BP2)."""

    files: ShardFiles
    #: Counted from 1.
    number: int
    inverse_temperature: float
    damping: float

    def run(self) -> float:
        """Update the messages; return the largest scaled change, before damping."""
        shard = self.files.shard
        totals = self.files.of_items("totals", self.number)
        replies = self._replies(shard, totals.dtype)
        largest_change = self._update(shard, replies, totals)
        self.files.keep("messages", self.number, replies)
        sums = np.empty(shard.num_items)
        exponents = np.empty(shard.num_items, dtype=np.int32)
        kernel.log_products(replies, shard.element_items, sums, exponents)
        self.files.keep("sums", self.number, sums)
        return largest_change

    def _replies(self, shard: Shard, real: np.dtype[Any]) -> NDArray[Any]:
        if self.number == 1:
            return np.ones(shard.num_edges, dtype=real)
        return np.array(self.files.state("messages", self.number - 1))

    def _update(
        self, shard: Shard, replies: NDArray[Any], totals: NDArray[Any]
    ) -> float:
        real = totals.dtype
        scaled_weights = self.inverse_temperature * shard.weights
        unclaimed = np.exp(-np.logaddexp(0.0, scaled_weights)).astype(real)
        blocks = np.arange(0, shard.num_elements, _BLOCK_SIZE)
        blocks = np.append(blocks, shard.num_elements).astype(np.int64)
        changes = np.zeros(blocks.size - 1)
        longest = max(shard.largest_element_degree, kernel.STRETCH)
        kernel.reply(
            replies,
            totals,
            unclaimed,
            shard.element_start,
            shard.element_items,
            blocks,
            self.damping,
            changes,
            np.empty((1, 3, longest), dtype=real),
            1,
        )
        return float(changes.max(initial=0.0))
