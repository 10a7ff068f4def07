"""Selections of a sharded problem."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, nextafter

import numpy as np
from numpy.typing import NDArray

from thatch._kernels import shards as kernel
from thatch.arrays import Floats, Indices, Ints, exact_sum, frozen
from thatch.errors import InputError
from thatch.machine.caching import cached_property
from thatch.problem.selection import Selection
from thatch.scale.shards.sharded_problem import ShardedProblem


@dataclass(frozen=True, eq=False, repr=False)
class ShardedSelection(Selection):
    """A set of items of a sharded problem, with the weight that it covers.

    What the items cover is computed shard by shard, when it is asked for. Elements are
    those of the first shard, in its order, then those of the next one. In shards that
    `ShardedProblem.from_problem` writes, this is their order in the problem; others
    keep no names or ids of elements.
    """

    problem: ShardedProblem  # type: ignore[assignment]
    items: Ints
    #: Total weight covered.
    value: float

    @property
    def bound(self) -> float:
        """The value, or the next double if it may have been rounded down."""
        is_exact = self.problem.has_integer_weights and self.value < 2.0**53
        return self.value if is_exact else nextafter(self.value, inf)

    def is_proved_by(self, bound: float) -> bool:
        """Whether an upper bound shows that no selection covers more."""
        return bound <= self.value

    @cached_property
    def cost(self) -> float:
        """Total cost of the chosen items."""
        return exact_sum(self.problem.costs[self.items])

    @cached_property
    def cover_counts(self) -> Indices:
        """How many chosen items cover each element: int32, shape (num_elements,)."""
        chosen = self._flags
        counts = np.empty(self.problem.num_elements, dtype=np.int32)
        end = 0
        for number in range(len(self.problem.shards)):
            shard = self.problem.shard(number)
            start, end = end, end + shard.num_elements
            counts[start:end] = shard.cover_counts(chosen[shard.items])
            shard.release()
        frozen(counts)
        return counts

    def without_redundant_items(self) -> Selection:
        """Refused: it needs the elements of each item, which are in many shards."""
        raise InputError(
            "redundant items of a selection cannot be found on shards.",
            hint="See contributions: 0 means that other items cover the same elements.",
        )

    @cached_property
    def coverages(self) -> Floats:
        """Weight that each chosen item covers: float64, shape (num_chosen,)."""
        return self._sums(is_alone=False)

    @cached_property
    def contributions(self) -> Floats:
        """Weight that only each chosen item covers: float64, shape (num_chosen,)."""
        return self._sums(is_alone=True)

    @property
    def _flags(self) -> NDArray[np.int8]:
        """Whether each item of the problem is chosen."""
        chosen = np.zeros(self.problem.num_items, dtype=np.int8)
        chosen[self.items] = 1
        return chosen

    def _sums(self, *, is_alone: bool) -> Floats:
        chosen = self._flags
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
