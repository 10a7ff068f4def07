"""A shard: some elements of a problem with their weights and edges, in mapped files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch._kernels import shards as kernel
from thatch.arrays import Floats, Indices, Ints, exact_sum
from thatch.files.locations import Location
from thatch.machine.caching import cached_property
from thatch.scale.shards.array_files import mapped, release, write
from thatch.scale.shards.shard_checks import damaged

# The arrays of a shard, by the names of their files.
_ARRAYS = ("items", "starts", "element_items", "weights")
_INTEGERS = (np.int32, np.int64)
_NUMBERS = (np.uint8, np.uint16, np.float32, np.float64)
# What this process need not read once more, if it has more shards than it keeps mapped.
_verified: set[tuple[Location, str]] = set()
# Shards that a worker keeps mapped: each has four open files.
_MAX_OPEN = 64


@dataclass(frozen=True, eq=False)
class Shard:
    """Some elements of a problem, and the items that cover one of them.

    Within the shard, items have numbers of their own: item ``element_items[e]`` of the
    shard is item ``items[element_items[e]]`` of the problem.
    """

    #: Integers, shape (num_items,), ascending: the items of the problem.
    items: Ints | Indices
    #: Integers, shape (num_elements + 1,): where the edges of each element start.
    stored_starts: Ints | Indices
    #: int32, shape (num_edges,): the item that covers, by its number in the shard.
    element_items: Indices
    #: Numbers of any type, shape (num_elements,).
    stored_weights: NDArray[Any]

    @classmethod
    def compact(
        cls, items: Ints, starts: Ints, element_items: Indices, weights: Floats
    ) -> Shard:
        """The shard with each array in the smallest type that holds its numbers."""
        return cls(
            _narrowed(items, _INTEGERS),
            _narrowed(starts, _INTEGERS),
            element_items,
            _narrowed(weights, _NUMBERS),
        )

    @property
    def element_start(self) -> Ints:
        """int64, shape (num_elements + 1,): where the edges of each element start."""
        return self.stored_starts.astype(np.int64)

    @property
    def weights(self) -> Floats:
        """float64, shape (num_elements,)."""
        return self.stored_weights.astype(np.float64)

    @property
    def num_items(self) -> int:
        """How many items of the problem cover an element of the shard."""
        return self.items.size

    @property
    def num_elements(self) -> int:
        """How many elements it has."""
        return self.stored_weights.size

    @property
    def num_edges(self) -> int:
        """How many edges it has."""
        return self.element_items.size

    @cached_property
    def largest_element_degree(self) -> int:
        """The most items that cover an element of the shard."""
        return int(np.diff(self.stored_starts).max(initial=0))

    def cover_counts(self, chosen: NDArray[np.int8]) -> Indices:
        """How many chosen items each element has, from one flag per item."""
        counts = np.empty(self.num_elements, dtype=np.int32)
        kernel.count(self.element_start, self.element_items, chosen, counts)
        return counts

    def item_sums(self, of_elements: Floats) -> Floats:
        """The sum over the elements of each item: float64, shape (num_items,)."""
        sums = np.empty(self.num_items)
        kernel.sum_along(of_elements, self.element_start, self.element_items, sums)
        return sums

    @property
    def digest(self) -> str:
        """A checksum of the arrays and their types."""
        found = blake2b(digest_size=16)
        for field in fields(self):
            array = getattr(self, field.name)
            found.update(f"{array.dtype.str}{array.shape}".encode())
            found.update(np.ascontiguousarray(array).data)
        return found.hexdigest()

    def release(self) -> None:
        """Give back its memory, so that a process has one shard in memory at a time."""
        for field in fields(self):
            release(getattr(self, field.name))


def write_shard(folder: Location, shard: Shard) -> None:
    """Write the arrays of a shard."""
    folder.make_folder()
    for name, field in zip(_ARRAYS, fields(shard), strict=True):
        write(folder.child(f"{name}.npy"), getattr(shard, field.name))


# A worker keeps its shards mapped from one step to the next.
@lru_cache(maxsize=_MAX_OPEN)
def opened_shard(folder: Location, digest: str) -> Shard:
    """The shard in a folder, if its arrays are those that were written.

    Kernels do not check indices: a damaged file would end the process. Another shard
    in its place would give wrong values.
    """
    shard = Shard(*(mapped(folder.child(f"{name}.npy")) for name in _ARRAYS))
    if (folder, digest) not in _verified:
        if shard.digest != digest:
            raise damaged(folder)
        _verified.add((folder, digest))
    return shard


def opened_items(folder: Location) -> Ints | Indices:
    """The items of the shard in a folder, without its other arrays."""
    return mapped(folder.child("items.npy"))


def exact_parts(values: Floats) -> list[float]:
    """Two numbers whose sum is that of the values, up to an error of the second order.

    >>> exact_parts(np.array([0.1] * 10))[0]
    1.0
    """
    total = exact_sum(values)
    return [total, exact_sum(np.append(values, -total))]


def _narrowed(values: NDArray[Any], types: Sequence[type[np.number]]) -> NDArray[Any]:
    """The same numbers in the first type that holds them exactly."""
    for each in types:
        with np.errstate(over="ignore", invalid="ignore"):
            narrow = values.astype(each)
        if np.array_equal(narrow, values):
            return narrow
    return values
