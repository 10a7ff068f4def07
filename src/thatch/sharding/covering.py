"""What a selection covers of a shard, and what its items weigh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch._kernels import dual as kernel
from thatch._kernels import shards as shard_kernel
from thatch.sharding.descending import exact_parts
from thatch.sharding.steps import ShardFiles

__all__ = ["CoveringStep", "ItemWeightsStep"]


@dataclass(frozen=True)
class CoveringStep:
    """The weight that a published selection covers."""

    files: ShardFiles
    number: int

    def run(self) -> list[float]:
        """Return numbers whose sum is the covered weight."""
        shard = self.files.shard
        chosen = self.files.of_items("chosen", self.number)
        covered = np.empty(shard.num_elements, dtype=np.int8)
        shard_kernel.cover(shard.element_start, shard.element_items, chosen, covered)
        return exact_parts(shard.weights[covered.astype(np.bool_)])


@dataclass(frozen=True)
class ItemWeightsStep:
    """The weight that each item covers by itself."""

    files: ShardFiles

    def run(self) -> None:
        """Write the sums per item of the shard: step 0."""
        shard = self.files.shard
        sums = np.empty(shard.num_items)
        weights = np.ascontiguousarray(shard.weights)
        kernel.sum_along(weights, shard.element_start, shard.element_items, sums)
        self.files.keep("weights", 0, sums)
