"""Selections that change: what every search keeps up to date.

Fields and methods are declared in `selections.pxd`, where other kernels find them.
"""

from __future__ import annotations

import cython
import numpy as np

ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
LARGEST = cython.declare(cython.double, 1e308)
# In place of the item that covers an element alone.
NONE = cython.declare(cython.int, -1)
SEVERAL = cython.declare(cython.int, -2)


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
        _swap(self.order, self.place, i, self.num_chosen)
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


@cython.cclass
class WeightedSelection(ChangingSelection):
    """A selection that also knows the loss of each chosen item.

    The loss is the weight y, at first w, that no other item covers.
    """

    def __init__(
        self, *searched: object, budget: cython.double, bits: cython.ulonglong
    ) -> None:
        """Choose nothing at first."""
        ChangingSelection.__init__(self, *searched, budget=budget, bits=bits)
        num_items, num_elements = self.c.shape[0], self.w.shape[0]
        self.y = np.array(self.w)
        self.sole = np.full(num_elements, NONE, dtype=np.int32)
        self.loss = np.zeros(num_items)
        elements = np.arange(num_elements, dtype=np.int32)
        self.element_order, self.element_place = np.tile(elements, (2, 1))
        self.item_step = np.zeros(num_items, dtype=np.int64)
        self.element_step = np.ones(num_elements, dtype=np.int64)
        self.num_uncovered, self.step = num_elements, 0
        self.most_compared = num_items

    def _choose_marked(self) -> cython.void:
        """Choose the items that are marked in `best`."""
        for i in range(self.c.shape[0]):
            if self.best[i]:
                self._flip(i)

    def _flip(self, i: cython.Py_ssize_t) -> cython.void:
        """Add or drop item i."""
        e: cython.Py_ssize_t
        total: cython.double = 0.0
        step: cython.int = self._move(i)
        self.work_left -= 2 * (self.item_start[i + 1] - self.item_start[i])
        self.step += 1
        self.item_step[i] = self.step
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            self.owner[a] ^= i
            self.counts[a] += step
            if self.counts[a] == (step > 0):
                # Covered or uncovered now.
                self.num_uncovered -= step > 0
                _swap(self.element_order, self.element_place, a, self.num_uncovered)
                self.num_uncovered += step < 0
                self.sole[a] = i if step > 0 else NONE
                self.element_step[a] = self.step
                self.value += step * self.w[a]
                total += self.y[a]
            elif self.counts[a] == 1:
                self.sole[a] = self.owner[a]
                self.loss[self.sole[a]] += self.y[a]
            elif step > 0 and self.counts[a] == 2:
                self.loss[self.sole[a]] -= self.y[a]
                self.sole[a] = SEVERAL
        self.loss[i] = total

    def _heavier(self) -> cython.Py_ssize_t:
        """The heavier of two random uncovered elements."""
        a: cython.Py_ssize_t = self.element_order[self._below(self.num_uncovered)]
        b: cython.Py_ssize_t = self.element_order[self._below(self.num_uncovered)]
        return a if self.y[a] >= self.y[b] else b

    def _make_room(self, j: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Drop items of least loss per cost until item j fits, not the last added."""
        while self.spent + self.c[j] > self.budget and self.num_chosen > 0:
            self._flip(self._least_loss(last))

    def _least_loss(self, last: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The chosen item of least loss per cost; among equals, the oldest.

        Of more items than are compared, as many random ones are.
        """
        count: cython.Py_ssize_t = min(self.num_chosen, self.most_compared)
        is_sampled: cython.bint = count < self.num_chosen
        worst: cython.Py_ssize_t = self.order[0]
        least: cython.double = LARGEST
        self.work_left -= count
        for k in range(count):
            i = self.order[self._below(self.num_chosen) if is_sampled else k]
            if i == last:
                continue
            ratio = self.loss[i] * self.per_cost[i]
            if ratio < least or (
                ratio == least and self.item_step[i] < self.item_step[worst]
            ):
                least, worst = ratio, i
        return worst


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _swap(
    order: cython.int[::1],
    place: cython.int[::1],
    x: cython.Py_ssize_t,
    position: cython.Py_ssize_t,
) -> cython.void:
    """Exchange x with what is at a position of the order."""
    other: cython.int = order[position]
    order[place[x]] = other
    place[other] = place[x]
    order[position] = x
    place[x] = position
