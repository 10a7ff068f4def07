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
from thatch.arrays import Floats
from thatch.sharding.covering import covered_parts
from thatch.sharding.shard import Shard
from thatch.sharding.steps import TYPES, ShardFiles
from thatch.solvers.belief_propagation.schedule import Precision

__all__ = ["PassingStep"]

# Elements per value of the largest change.
_BLOCK_SIZE = 4096
# Totals in single precision are clipped here, as in the kernel.
_LARGEST_SINGLE = 2.0**125


@dataclass(frozen=True)
class PassingStep:
    """An update of all messages of a shard, by eqs. (BP1) and (BP2)."""

    files: ShardFiles
    #: Counted from 1.
    number: int
    inverse_temperature: float
    damping: float
    precision: Precision
    #: The number of the published selection whose covered weight is asked for, if any.
    selection: int | None = None

    def run(self) -> tuple[float, list[float]]:
        """Update the messages.

        Return the largest scaled change, before damping, and numbers whose sum is the
        weight that the selection covers.
        """
        shard = self.files.shard
        replies = self._replies(shard)
        largest_change = self._update(shard, replies)
        self.files.keep("messages", self.number, replies)
        sums = np.empty(shard.num_items)
        exponents = np.empty(shard.num_items, dtype=np.int32)
        kernel.log_products(replies, shard.element_items, sums, exponents)
        self.files.keep("sums", self.number, sums.astype(replies.dtype))
        if self.selection is None:
            return largest_change, []
        return largest_change, covered_parts(self.files, self.selection)

    def _replies(self, shard: Shard) -> NDArray[Any]:
        if self.number == 1:
            return np.ones(shard.num_edges, dtype=TYPES[self.precision])
        return np.array(self.files.state("messages", self.number - 1))

    def _totals(self) -> NDArray[Any]:
        totals: Floats = self.files.of_items("totals", self.number)
        if self.precision is Precision.DOUBLE:
            return totals
        return totals.clip(1.0 / _LARGEST_SINGLE, _LARGEST_SINGLE).astype(np.float32)

    def _update(self, shard: Shard, replies: NDArray[Any]) -> float:
        # It does not overflow: products have no larger exponents.
        unclaimed = 1.0 / (1.0 + np.exp(self.inverse_temperature * shard.weights))
        blocks = np.arange(0, shard.num_elements, _BLOCK_SIZE)
        blocks = np.append(blocks, shard.num_elements).astype(np.int64)
        changes = np.zeros(blocks.size - 1)
        longest = max(shard.largest_element_degree, kernel.STRETCH)
        kernel.reply(
            replies,
            self._totals(),
            unclaimed.astype(replies.dtype),
            shard.element_start,
            shard.element_items,
            blocks,
            self.damping,
            changes,
            np.empty((1, 3, longest), dtype=replies.dtype),
            1,
        )
        return float(changes.max(initial=0.0))
