"""Selections of a sharded problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch._kernels import shards as kernel
from thatch.arrays import Floats, Ints, exact_sum
from thatch.caching import cached_property
from thatch.problem.selection import Selection
from thatch.sharding.sharded_problem import ShardedProblem

__all__ = ["ShardedSelection"]


@dataclass(frozen=True, eq=False, repr=False)
class ShardedSelection(Selection):
    """A set of items of a sharded problem, with the weight that it covers.

    What the items cover by themselves is computed shard by shard, when it is asked for.
    """

    problem: ShardedProblem  # type: ignore[assignment]
    items: Ints
    #: Total weight covered.
    value: float

    @cached_property
    def cost(self) -> float:
        """Total cost of the chosen items."""
        return exact_sum(self.problem.costs[self.items])

    @cached_property
    def coverages(self) -> Floats:
        """Weight that each chosen item covers: float64, shape (num_chosen,)."""
        return self._sums(is_alone=False)

    @cached_property
    def contributions(self) -> Floats:
        """Weight that only each chosen item covers: float64, shape (num_chosen,)."""
        return self._sums(is_alone=True)

    def _sums(self, *, is_alone: bool) -> Floats:
        chosen = np.zeros(self.problem.num_items, dtype=np.int8)
        chosen[self.items] = 1
        totals = np.zeros(self.problem.num_items)
        for number in range(len(self.problem.shards)):
            shard = self.problem.shard(number)
            weights = shard.weights
            if is_alone:
                weights = np.where(
                    shard.cover_counts(chosen[shard.items]) == 1, weights, 0.0
                )
            kernel.add_to(totals, shard.items, shard.item_sums(weights))
            shard.release()
        return totals[self.items]
