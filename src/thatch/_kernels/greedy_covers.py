"""Greedy covers: the item of most gain per cost, until enough is covered."""

from __future__ import annotations

import cython
import numpy as np


def cover_greedily(
    c: cython.const[cython.double][::1],
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    slack: cython.double,
    chosen: cython.char[::1],
) -> None:
    """Choose the item of most gain per cost until at most the slack is uncovered.

    Gains only fall: an item whose gain was computed last and is still the largest is
    the best, although the gains of the others are old.
    """
    uncovered: cython.double = np.sum(w)
    is_covered: cython.char[::1] = np.zeros(w.shape[0], dtype=np.int8)
    ratios: cython.double[::1] = np.zeros(c.shape[0])
    heap: cython.int[::1] = np.arange(c.shape[0], dtype=np.int32)
    with cython.nogil:
        for i in range(c.shape[0]):
            ratios[i] = _new_weight(i, w, item_start, item_elements, is_covered) / c[i]
        for i in range(c.shape[0] // 2, -1, -1):
            _sink(heap, ratios, i)
        while uncovered > slack:
            i = heap[0]
            gain = _new_weight(i, w, item_start, item_elements, is_covered)
            if ratios[i] <= 0.0:
                break
            if gain / c[i] < ratios[i]:
                ratios[i] = gain / c[i]
            else:
                chosen[i] = 1
                ratios[i] = 0.0
                uncovered -= gain
                for e in range(item_start[i], item_start[i + 1]):
                    is_covered[item_elements[e]] = 1
            _sink(heap, ratios, 0)


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _new_weight(
    i: cython.Py_ssize_t,
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    is_covered: cython.char[::1],
) -> cython.double:
    """The weight of item i that is not covered yet."""
    total: cython.double = 0.0
    for e in range(item_start[i], item_start[i + 1]):
        total += w[item_elements[e]] * (is_covered[item_elements[e]] == 0)
    return total


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _sink(
    heap: cython.int[::1], ratios: cython.double[::1], place: cython.Py_ssize_t
) -> cython.void:
    """Move an item down until no item below it has a larger ratio."""
    if place >= heap.shape[0]:
        return
    i = heap[place]
    while 2 * place + 1 < heap.shape[0]:
        below = 2 * place + 1
        if below + 1 < heap.shape[0] and (
            ratios[heap[below + 1]] > ratios[heap[below]]
        ):
            below += 1
        if ratios[heap[below]] <= ratios[i]:
            break
        heap[place] = heap[below]
        place = below
    heap[place] = i
