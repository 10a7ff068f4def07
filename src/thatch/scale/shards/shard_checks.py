"""Checks of shards: of those that are given, and of those that are read."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from thatch._kernels import graph as kernel
from thatch.arrays import (
    Floats,
    Indices,
    Ints,
    require_finite_and_not_negative,
    require_finite_sum,
)
from thatch.errors import FileFormatError, InputError, InputTypeError
from thatch.files.locations import Location


def checked_rows(
    element_start: ArrayLike, edge_items: ArrayLike, weights: Floats, *, num_items: int
) -> tuple[Ints, Indices]:
    """Where the edges of each element start, and their items, ascending.

    >>> starts, items = checked_rows([0, 2], [2, 0], np.ones(1), num_items=3)
    >>> items
    array([0, 2], dtype=int32)
    """
    starts = _integers("element_start", element_start)
    edges = _integers("items", edge_items)
    require_finite_and_not_negative("weights", weights, "element")
    require_finite_sum("weights", weights)
    if starts.size != weights.size + 1:
        raise InputError(
            f"element_start has {starts.size} entries; it must have one more than the "
            f"{weights.size} weights.",
            hint="The last entry is the number of edges.",
        )
    if starts[0] != 0 or starts[-1] != edges.size or (np.diff(starts) < 0).any():
        raise InputError(
            f"element_start must ascend from 0 to the number of edges, {edges.size}.",
            hint="The edges of element a are from element_start[a] to "
            "element_start[a + 1].",
        )
    is_bad = (edges < 0) | (edges >= num_items)
    if is_bad.any():
        e = int(np.argmax(is_bad))
        raise InputError(
            f"items[{e}] is {edges[e]}; it must be from 0 to {num_items - 1}.",
            hint="Items are numbered from 0, in the order of their costs.",
        )
    items = _in_order(starts, edges.astype(np.int32, copy=False))
    return starts.astype(np.int64, copy=False), items


def _integers(name: str, values: ArrayLike) -> Ints | Indices:
    array = np.asarray(values)
    if array.size == 0 and array.ndim == 1:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputTypeError(
            f"{name} has type {array.dtype} and {array.ndim} dimensions; it must be a "
            "flat array of integers.",
            hint=f"Pass {name} as one array of integers.",
        )
    # The largest unsigned integers would turn negative.
    if array.dtype.kind == "u":
        array = np.minimum(array, np.iinfo(np.int64).max).astype(np.int64)
    return array if array.dtype == np.int32 else array.astype(np.int64, copy=False)


def _in_order(starts: Ints | Indices, items: Indices) -> Indices:
    """The items of each element, ascending; none may be repeated."""
    if not _is_ascending(starts, items):
        owners = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        items = items[np.lexsort((items, owners))]
        starts = starts.astype(np.int64)
        repeat = int(kernel.first_repeat(starts, items))
        if repeat >= 0:
            a = int(np.searchsorted(starts, repeat, side="right")) - 1
            raise InputError(
                f"the edge from item {items[repeat]} to element {a} of the shard is "
                "repeated.",
                hint="Remove the duplicate.",
            )
    return items


def _is_ascending(starts: Ints | Indices, items: Indices) -> bool:
    is_ascending = items[1:] > items[:-1]
    firsts = starts[(starts > 0) & (starts < items.size)]
    is_ascending[firsts - 1] = True
    return bool(is_ascending.all())


def damaged(file: Location) -> FileFormatError:
    """The error about a file or folder that is not as it was written."""
    return FileFormatError(
        file.address, "it is damaged or incomplete.", hint="Make the shards again."
    )
