"""Shards: what they cover, and sums of what they contribute to items."""

from __future__ import annotations

import cython

ItemNumber = cython.fused_type(cython.int, cython.longlong)


def count(
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    chosen: cython.const[cython.schar][::1],
    counts: cython.int[::1],
) -> None:
    """Set how many chosen items each element has."""
    found: cython.int
    with cython.nogil:
        for a in range(counts.shape[0]):
            found = 0
            for e in range(element_start[a], element_start[a + 1]):
                found = found + chosen[element_items[e]]
            counts[a] = found


def add_to(
    totals: cython.double[::1],
    items: cython.const[ItemNumber][::1],
    sums: cython.const[cython.floating][::1],
) -> None:
    """Add the sums of a shard to those of its items."""
    with cython.nogil:
        for k in range(items.shape[0]):
            totals[items[k]] += sums[k]


def sum_along(
    values: cython.const[cython.double][::1],
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    s: cython.double[::1],
) -> None:
    """s_i = sum of the values of the elements of i, without edges grouped by item."""
    with cython.nogil:
        s[:] = 0.0
        for a in range(values.shape[0]):
            for e in range(element_start[a], element_start[a + 1]):
                s[element_items[e]] += values[a]
