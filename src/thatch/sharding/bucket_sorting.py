"""One bucket of edges, sorted by element and item, with weights: a shard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch._kernels import graph as kernel
from thatch.arrays import Floats, Indices, Ints
from thatch.sharding.edge_tables import EdgeTables
from thatch.sharding.item_numbers import IntegerItems, NamedItems
from thatch.sharding.table_formats import require_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SortedBucket", "sorted_bucket"]


@dataclass(frozen=True, eq=False)
class SortedBucket:
    """Elements in the order of their first rows, and their edges in that of items."""

    #: int64, shape (num_elements + 1,): where the edges of each element start.
    element_start: Ints
    #: int64, shape (num_edges,): numbers of items in the problem.
    items: Ints
    #: float64, shape (num_elements,).
    weights: Floats


def sorted_bucket(
    tables: EdgeTables,
    items: IntegerItems | NamedItems,
    edges: list[Any],
    weights: list[Any] | None,
) -> SortedBucket:
    """Sort the edges of a bucket; they are checked against its weights.

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
    """
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
    repeat = int(kernel.first_repeat(element_start, ordered))
    if repeat >= 0:
        first, later = int(order[repeat - 1]), int(order[repeat])
        raise tables.edges.error(
            rows[later].as_py(),
            f"repeats {tables.edges.place(rows[first].as_py())}: the edge from item "
            f"{items.label(keys[later].as_py())} to element "
            f"{elements[later].as_py()!r}.",
            hint="Keep one row per edge.",
        )
    return SortedBucket(element_start, own[ordered], weight_of)


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
        raise table.error(
            weight_rows[k].as_py(),
            f"repeats element {weighed[k].as_py()!r}, which has a weight already.",
            hint="Keep one row per element.",
        )
    is_unknown = found >= own.size
    if is_unknown.any():
        e = int(np.argmax(is_unknown))
        raise tables.edges.error(
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
