"""A shard: some elements of a problem with their weights and edges, in mapped files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from thatch._kernels import dual as kernel
from thatch._kernels import shards as shard_kernel
from thatch.arrays import Floats, Indices, Ints
from thatch.caching import cached_property
from thatch.files.locations import Location
from thatch.sharding.array_files import mapped

__all__ = ["ARRAYS", "Shard", "opened_shard"]

#: The arrays of a shard, by the names of their files.
ARRAYS = ("items", "element_start", "element_items", "weights")
# Shards that a worker keeps mapped.
_MAX_OPEN = 1000


@dataclass(frozen=True, eq=False)
class Shard:
    """Some elements of a problem, and the items that cover one of them.

    Within the shard, items have numbers of their own: item ``element_items[e]`` of the
    shard is item ``items[element_items[e]]`` of the problem.
    """

    #: int64, shape (num_items,), ascending: the items of the problem.
    items: Ints
    #: int64, shape (num_elements + 1,): where the edges of each element start.
    element_start: Ints
    #: int32, shape (num_edges,): the item that covers, by its number in the shard.
    element_items: Indices
    #: float64, shape (num_elements,).
    weights: Floats

    @property
    def num_items(self) -> int:
        """How many items of the problem cover an element of the shard."""
        return self.items.size

    @property
    def num_elements(self) -> int:
        """How many elements it has."""
        return self.weights.size

    @property
    def num_edges(self) -> int:
        """How many edges it has."""
        return self.element_items.size

    @cached_property
    def largest_element_degree(self) -> int:
        """The most items that cover an element of the shard."""
        return int(np.diff(self.element_start).max(initial=0))

    def cover_counts(self, chosen: NDArray[np.int8]) -> Indices:
        """How many chosen items each element has, from one flag per item."""
        counts = np.empty(self.num_elements, dtype=np.int32)
        shard_kernel.count(self.element_start, self.element_items, chosen, counts)
        return counts

    def item_sums(self, of_elements: Floats) -> Floats:
        """The sum over the elements of each item: float64, shape (num_items,)."""
        sums = np.empty(self.num_items)
        kernel.sum_along(of_elements, self.element_start, self.element_items, sums)
        return sums


# A worker keeps its shards mapped from one step to the next.
@lru_cache(maxsize=_MAX_OPEN)
def opened_shard(folder: Location) -> Shard:
    """The shard in a folder."""
    return Shard(*(mapped(folder.child(f"{name}.npy")) for name in ARRAYS))
