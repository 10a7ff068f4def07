"""Shards: what they cover, and sums of what they contribute to items."""

from __future__ import annotations

import cython


def cover(
    element_start: cython.const[cython.longlong][::1],
    element_items: cython.const[cython.int][::1],
    chosen: cython.const[cython.schar][::1],
    covered: cython.schar[::1],
) -> None:
    """Set which elements have a chosen item."""
    a: cython.Py_ssize_t
    e: cython.Py_ssize_t
    found: cython.schar
    with cython.nogil:
        for a in range(covered.shape[0]):
            found = 0
            for e in range(element_start[a], element_start[a + 1]):
                found |= chosen[element_items[e]]
            covered[a] = found


def add_to(
    totals: cython.double[::1],
    items: cython.const[cython.longlong][::1],
    sums: cython.const[cython.double][::1],
) -> None:
    """Add the sums of a shard to those of its items."""
    k: cython.Py_ssize_t
    with cython.nogil:
        for k in range(items.shape[0]):
            totals[items[k]] += sums[k]
