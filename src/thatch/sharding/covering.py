"""What a selection covers of a shard, and what its items weigh."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats, exact_sum
from thatch.sharding.steps import ShardFiles

__all__ = ["CoveringStep", "ItemWeightsStep", "covered_parts", "exact_parts"]


@dataclass(frozen=True)
class CoveringStep:
    """The weight that a published selection covers."""

    files: ShardFiles
    selection: int

    def run(self) -> list[float]:
        """Return numbers whose sum is the covered weight."""
        return covered_parts(self.files, self.selection)


@dataclass(frozen=True)
class ItemWeightsStep:
    """The weight that each item covers by itself."""

    files: ShardFiles

    def run(self) -> None:
        """Write the sums per item of the shard: step 0."""
        shard = self.files.shard
        self.files.keep("weights", 0, shard.item_sums(shard.weights))


def covered_parts(files: ShardFiles, selection: int) -> list[float]:
    """Numbers whose sum is the weight that a published selection covers here."""
    shard = files.shard
    counts = shard.cover_counts(files.of_items("selection", selection))
    return exact_parts(shard.weights[counts > 0])


def exact_parts(values: Floats) -> list[float]:
    """Two numbers whose sum is that of the values, up to an error of the second order.

    >>> exact_parts(np.array([0.1] * 10))[0]
    1.0
    """
    total = exact_sum(values)
    return [total, exact_sum(np.append(values, -total))]
