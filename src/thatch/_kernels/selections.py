"""Selections that change: what every search keeps up to date.

Fields and methods are declared in `selections.pxd`, where other kernels find them.
"""

from __future__ import annotations

import cython
import numpy as np

ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cclass
class SelectionSearch:
    """What every search reads, and what it finds."""

    def __init__(
        self,
        c: cython.const[cython.double][::1],
        w: cython.const[cython.double][::1],
        edges: object,
        limits: tuple,
        best: cython.char[::1],
    ) -> None:
        """Cover nothing at first; `best` will mark the best selection found.

        The limits are the group of each item, and how many more of each group fit.
        """
        self.c, self.w, self.best = c, w, best
        self.item_start, self.item_elements = edges.item_start, edges.item_elements
        self.element_start = edges.element_start
        self.element_items = edges.element_items
        self.group, self.room = limits
        self.counts = np.zeros(w.shape[0], dtype=np.int32)


@cython.cclass
class ChangingSelection(SelectionSearch):
    """A selection with its cost, the best one so far, and random numbers.

    `owner` is the bitwise exclusive or of the chosen items of an element: if there is
    one, it is that item.
    """

    def __init__(
        self, *searched: object, budget: cython.double, bits: cython.ulonglong
    ) -> None:
        """Choose nothing at first; `bits`, the seed, must not be 0."""
        SelectionSearch.__init__(self, *searched)
        self.budget, self.bits = budget, bits
        self.per_cost = 1.0 / np.maximum(self.c, max(1e-12 * budget, 1e-300))
        self.owner = np.zeros(self.w.shape[0], dtype=np.int32)
        items = np.arange(self.c.shape[0], dtype=np.int32)
        self.order, self.place = np.tile(items, (2, 1))
        self.num_chosen = self.work_left = 0
        self.spent = self.value = self.tolerance = 0.0

    def _move(self, i: cython.Py_ssize_t) -> cython.int:
        """Move item i to the others or back; return 1 if it is added, -1 if dropped."""
        step: cython.int = 1 if self.place[i] >= self.num_chosen else -1
        self.num_chosen -= step < 0
        other: cython.int = self.order[self.num_chosen]
        self.order[self.place[i]] = other
        self.place[other] = self.place[i]
        self.order[self.num_chosen] = i
        self.place[i] = self.num_chosen
        self.num_chosen += step > 0
        self.spent += step * self.c[i]
        if self.group.shape[0]:
            self.room[self.group[i]] -= step
        return step

    def _mark(self) -> cython.void:
        """Mark the present selection as the best."""
        for k in range(self.c.shape[0]):
            self.best[self.order[k]] = k < self.num_chosen

    def _below(self, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Random number below the count, by Marsaglia's xorshift."""
        self.bits ^= (self.bits << 13) & ALL_BITS
        self.bits ^= self.bits >> 7
        self.bits ^= (self.bits << 17) & ALL_BITS
        return (self.bits >> 33) % count
