"""Random problems that are written in shards, without ever holding all edges.

Every edge is computed from its position by a random permutation that needs no memory,
so any shard can be written alone. The same seed gives the same problem on every
machine, whatever the number of shards.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thatch._kernels import hashing as kernel
from thatch.arrays import Floats, Indices
from thatch.errors import InputError
from thatch.machine.caching import cached_property
from thatch.options import require_integer
from thatch.scale.shards.shard_writer import (
    ShardWriter,
    checked_budget,
    writing_progress,
)
from thatch.scale.shards.sharded_problem import ShardedProblem

# Of the permutation, two per round.
_NUM_KEYS = 6


def write_biregular(
    address: str | os.PathLike[str],
    *,
    num_items: int,
    item_degree: int = 9,
    element_degree: int = 3,
    budget: float,
    num_shards: int,
    seed: int,
    costs: tuple[int, int] = (1, 10),
    weights: tuple[int, int] = (1, 10),
    overwrite: bool = False,
    progress: bool | None = None,
) -> ShardedProblem:
    """Write a random problem in which all items have one degree, all elements another.

    It is drawn like a `BiregularGraph`, but of any size: only the costs and one shard
    are in memory. The problem does not depend on the number of shards.

    Parameters
    ----------
    address
        The folder to write, at a path or an address.
    num_items, item_degree, element_degree
        The degree of elements must divide the number of edges.
    budget
        Maximum total cost.
    num_shards
        Number of shards, of about as many edges each.
    seed
        Seed of the random numbers.
    costs, weights
        The lowest and the highest; all integers in between are equally likely.
    overwrite
        Whether shards in the folder are replaced, if there are any.
    progress
        True for a progress bar from the start; None for one if it takes long.

    >>> import tempfile
    >>> write_biregular(
    ...     tempfile.mkdtemp(), num_items=100, budget=100, num_shards=2, seed=0
    ... )
    ShardedProblem(100 items, 300 elements, 900 edges, 2 shards, budget 100)
    """
    budget = checked_budget(budget)
    edges = BiregularEdges(num_items, item_degree, element_degree, seed)
    require_integer("num_shards", num_shards, least=1, hint="Pass 1 or more.")
    for name, (low, high) in (("costs", costs), ("weights", weights)):
        _require_range(name, low, high)
    ends = [edges.num_elements * k // num_shards for k in range(num_shards + 1)]
    with (
        ShardWriter.to(
            address, edges.costs(*costs), budget=budget, overwrite=overwrite
        ) as writer,
        writing_progress(progress) as shown,
    ):
        for k in shown.shards(num_shards):
            first, last = ends[k], ends[k + 1]
            rows = edges.rows(first, last)
            starts = element_degree * np.arange(last - first + 1)
            writer.add(starts, rows.ravel(), edges.weights(first, last, *weights))
    return ShardedProblem.open(address)


@dataclass(frozen=True)
class BiregularEdges:
    """The edges of a random biregular graph, computed where they are needed.

    >>> BiregularEdges(6, item_degree=2, element_degree=3, seed=1).rows(1, 3)
    array([[1, 2, 5],
           [0, 2, 4]], dtype=int32)
    """

    num_items: int
    item_degree: int
    element_degree: int
    seed: int

    def __post_init__(self) -> None:
        for name in ("num_items", "item_degree", "element_degree"):
            hint = "Pass 3, for example."
            require_integer(name, getattr(self, name), least=1, hint=hint)
        require_integer("seed", self.seed, hint="Pass 0 or more.")
        if self.num_items >= 2**31:
            raise InputError(
                f"num_items is {self.num_items}; it must be below 2^31.",
                hint="Use a smaller graph.",
            )
        if self.num_edges % self.element_degree:
            raise InputError(
                f"num_items x item_degree is {self.num_edges}; element_degree, which "
                f"is {self.element_degree}, must divide it.",
                hint="100 items of degree 9 fit 300 elements of degree 3.",
            )
        if self.element_degree > self.num_items:
            raise InputError(
                f"element_degree is {self.element_degree}; it must be at most "
                f"num_items, which is {self.num_items}.",
                hint="An item covers an element at most once.",
            )

    @property
    def num_edges(self) -> int:
        """How many edges there are."""
        return self.num_items * self.item_degree

    @property
    def num_elements(self) -> int:
        """How many elements there are."""
        return self.num_edges // self.element_degree

    def rows(self, first: int, last: int) -> Indices:
        """Items of the elements from `first` up to `last`, ascending in each row."""
        found = np.empty((last - first, self.element_degree), dtype=np.int32)
        for start, stop in self._blocks(first, last):
            block = self._block(start, stop)
            low, high = max(start, first), min(stop, last)
            found[low - first : high - first] = block[low - start : high - start]
        return found

    def costs(self, low: int, high: int) -> Floats:
        """Costs of all items: integers between the bounds."""
        return self._integers(0, self.num_items, self._keys[_NUM_KEYS], low, high)

    def weights(self, first: int, last: int, low: int, high: int) -> Floats:
        """Weights of some elements: integers between the bounds."""
        return self._integers(first, last, self._keys[_NUM_KEYS + 1], low, high)

    @cached_property
    def _keys(self) -> NDArray[np.uint64]:
        """The keys of the permutation, of the costs and of the weights."""
        return np.random.PCG64(self.seed).random_raw(_NUM_KEYS + 2)

    def _integers(
        self, first: int, last: int, key: np.uint64, low: int, high: int
    ) -> Floats:
        values = np.empty(last - first)
        kernel.uniform_integers(first, key, low, high, values)
        return values

    def _blocks(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """First and last element of each block that has one of these elements."""
        # Repeated edges are replaced within blocks, which do not depend on the shards.
        size = max(64, 2**16 // self.element_degree)
        num_blocks = max(1, self.num_elements // size)
        for k in range(min(first // size, num_blocks - 1), num_blocks):
            start = k * size
            if start >= last:
                return
            # The last block is longer: in a short one, no edges may fit.
            yield start, self.num_elements if k == num_blocks - 1 else start + size

    def _block(self, start: int, stop: int) -> Indices:
        """Items of the elements of a block.

        If elements have most of the items, those that they lack are drawn: there, edges
        can always be switched until none is repeated.
        """
        num_missing = self.num_items - self.element_degree
        if 2 * self.element_degree <= self.num_items:
            return self._drawn(start, stop, self.element_degree)
        is_edge = np.ones((stop - start, self.num_items), dtype=np.bool_)
        if num_missing:
            missing = self._drawn(start, stop, num_missing)
            np.put_along_axis(is_edge, missing.astype(np.int64), False, axis=1)
        items = np.nonzero(is_edge)[1].astype(np.int32)
        return items.reshape(stop - start, self.element_degree)

    def _drawn(self, start: int, stop: int, degree: int) -> Indices:
        """Distinct items of the elements of a block, each of which has as many."""
        size = self.num_elements * degree
        rows = np.empty((stop - start, degree), dtype=np.int32)
        keys = self._keys[:_NUM_KEYS]
        kernel.permuted_groups(
            start * degree, size, size // self.num_items, keys, rows.ravel()
        )
        if _sorted_with_repeats(rows):
            _switch_repeats(rows, np.random.PCG64([self.seed, start]))
        return rows


def _sorted_with_repeats(rows: Indices) -> bool:
    """Sort each row; return whether one has a repeated entry."""
    # Longer rows are sorted by NumPy.
    if rows.shape[1] <= 32:
        return bool(kernel.sort_rows(rows))
    rows.sort(axis=1)
    return bool((rows[:, 1:] == rows[:, :-1]).any())


def _switch_repeats(rows: Indices, bits: np.random.PCG64) -> None:
    """Switch each repeated entry with one of another row, and sort the rows again."""
    num_rows, degree = rows.shape
    for a, k in _repeats(rows):
        while True:
            b, m = divmod(int(bits.random_raw() % (num_rows * degree)), degree)
            if rows[b, m] not in rows[a] and rows[a, k] not in rows[b]:
                rows[a, k], rows[b, m] = rows[b, m], rows[a, k]
                break
    rows.sort(axis=1)


def _repeats(rows: Indices) -> list[tuple[int, int]]:
    row, position = np.nonzero(rows[:, 1:] == rows[:, :-1])
    return list(zip(row.tolist(), (position + 1).tolist(), strict=True))


def _require_range(name: str, low: int, high: int) -> None:
    for bound in (low, high):
        require_integer(name, bound, hint="Pass two integers, such as (1, 10).")
    if not low <= high < 2**31:
        raise InputError(
            f"{name} is ({low}, {high}); the bounds must satisfy 0 <= low <= high < "
            "2^31.",
            hint="Pass the smaller number first.",
        )
