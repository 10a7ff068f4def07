"""Buckets of edges, sorted by element and item, with weights: shards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch._kernels import graph as kernel
from thatch.arrays import Floats, Indices, Ints
from thatch.sharding.buckets import Buckets
from thatch.sharding.edge_tables import EdgeTables
from thatch.sharding.item_numbers import IntegerItems, NamedItems
from thatch.sharding.table_files import TableFiles
from thatch.sharding.table_formats import require_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SortedBucket", "sorted_buckets"]


@dataclass(frozen=True, eq=False)
class SortedBucket:
    """Elements in the order of their first rows, and their edges in that of items."""

    #: int64, shape (num_elements + 1,): where the edges of each element start.
    element_start: Ints
    #: int64, shape (num_edges,): numbers of items in the problem.
    items: Ints
    #: float64, shape (num_elements,).
    weights: Floats


class _BadRowError(Exception):
    """A row that is refused, the first in its bucket for one reason."""

    def __init__(self, table: TableFiles, row: int, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.table = table
        self.row = row
        self.error = table.error(row, message, hint=hint)


def sorted_buckets(
    tables: EdgeTables,
    items: IntegerItems | NamedItems,
    edges: Buckets,
    weights: Buckets | None,
    numbers: Iterable[int],
) -> Iterator[SortedBucket]:
    """Sort the edges of all buckets; they are checked against the weights.

    Parameters
    ----------
    tables
        For errors.
    items
        All items.
    edges
        Elements, keys of items, and rows.
    weights
        Elements, their weights, and rows; None: 1 each.
    numbers
        Numbers of the buckets.

    Raises
    ------
    FileFormatError
        About the first row of the weights, or else of the edges, that is in error.
    """
    first: _BadRowError | None = None
    for k in numbers:
        # The columns of a bucket are passed on, not kept: there is memory for one.
        found = _sorted_until(
            tables,
            items,
            edges.read(k),
            None if weights is None else weights.read(k),
            first,
        )
        if isinstance(found, SortedBucket):
            if first is None:
                yield found
        else:
            first = found
    if first is not None:
        raise first.error


def _sorted_until(
    tables: EdgeTables,
    items: IntegerItems | NamedItems,
    edges: list[Any],
    weights: list[Any] | None,
    first: _BadRowError | None,
) -> SortedBucket | _BadRowError:
    """The bucket, or a bad row before the first one so far, or else that."""
    while True:
        if first is not None:
            is_weight = first.table is tables.weights
            # An error in the weights comes before all in the edges.
            edges = _before(edges, 0 if is_weight else first.row)
            if is_weight and weights is not None:
                weights = _before(weights, first.row)
        try:
            found = _sorted_bucket(tables, items, edges, weights)
        except _BadRowError as error:
            # Its traceback would keep the bucket in memory.
            first = error.with_traceback(None)
        else:
            return found if first is None else first


def _before(columns: list[Any], row: int) -> list[Any]:
    """The columns of a bucket before a row; rows are last, and ascending."""
    end = int(np.searchsorted(np.asarray(columns[-1]), row))
    return [column[:end] for column in columns]


def _sorted_bucket(
    tables: EdgeTables,
    items: IntegerItems | NamedItems,
    edges: list[Any],
    weights: list[Any] | None,
) -> SortedBucket:
    elements, keys, rows = edges
    if weights is None:
        encoded = elements.dictionary_encode()
        element_of = np.asarray(encoded.indices)
        weight_of = np.ones(len(encoded.dictionary))
    else:
        element_of = _weighed(tables, elements, rows, weights)
        weight_of = np.asarray(weights[1])
    own, item_of = _numbered(items, keys)
    _, by_item = _grouped(item_of, own.size)
    element_start, by_element = _grouped(element_of[by_item], weight_of.size)
    order = by_item[by_element]
    ordered = item_of[order]
    if kernel.first_repeat(element_start, ordered) >= 0:
        first, later = _first_repeat(element_of, item_of, order)
        raise _BadRowError(
            tables.edges,
            rows[later].as_py(),
            f"repeats {tables.edges.place(rows[first].as_py())}: the edge from item "
            f"{items.label(keys[later].as_py())} to element "
            f"{elements[later].as_py()!r}.",
            hint="Keep one row per edge.",
        )
    return SortedBucket(element_start, own[ordered], weight_of)


def _first_repeat(
    element_of: Indices, item_of: Indices, order: Indices
) -> tuple[int, int]:
    """The first edge that is repeated, by its repeat, and that repeat."""
    earlier, later = order[:-1], order[1:]
    is_repeat = item_of[earlier] == item_of[later]
    is_repeat &= element_of[earlier] == element_of[later]
    k = int(np.argmin(later[is_repeat]))
    return int(earlier[is_repeat][k]), int(later[is_repeat][k])


def _weighed(
    tables: EdgeTables, elements: pa.Array, rows: pa.Array, weights: list[Any]
) -> Indices:
    """The position of each edge's element among the weights."""
    weighed, _, weight_rows = weights
    table = tables.weights
    assert table is not None
    # Elements are numbered by first appearance: those of the weights come first.
    encoded = require_pyarrow().concat_arrays([weighed, elements]).dictionary_encode()
    numbers = np.asarray(encoded.indices)
    own, found = numbers[: len(weighed)], numbers[len(weighed) :]
    is_repeat = own != np.arange(own.size)
    if is_repeat.any():
        k = int(np.argmax(is_repeat))
        raise _BadRowError(
            table,
            weight_rows[k].as_py(),
            f"repeats element {weighed[k].as_py()!r}, which has a weight already.",
            hint="Keep one row per element.",
        )
    is_unknown = found >= own.size
    if is_unknown.any():
        e = int(np.argmax(is_unknown))
        raise _BadRowError(
            tables.edges,
            rows[e].as_py(),
            f"has element {elements[e].as_py()!r}, which has no weight in "
            f"{table.source.address}.",
            hint="Add its weight, or leave the weights out.",
        )
    return found


def _numbered(items: IntegerItems | NamedItems, keys: pa.Array) -> tuple[Ints, Indices]:
    """Numbers of the distinct items, ascending, and the position of each among them."""
    encoded = keys.dictionary_encode()
    own = np.sort(np.asarray(encoded.dictionary))
    order = np.argsort(np.asarray(encoded.dictionary))
    position = np.empty(own.size, dtype=np.int32)
    position[order] = np.arange(own.size, dtype=np.int32)
    return items.numbers(own), position[np.asarray(encoded.indices)]


def _grouped(keys: Indices, num_keys: int) -> tuple[Ints, Indices]:
    starts = np.zeros(num_keys + 1, dtype=np.int64)
    order = np.empty(keys.size, dtype=np.int32)
    kernel.group(np.ascontiguousarray(keys, dtype=np.int32), starts, order)
    return starts, order
