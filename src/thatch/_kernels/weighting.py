"""Covers of falling cost, by a search that weighs what it leaves uncovered.

A cover is a selection that leaves at most the weight `slack` uncovered. Whenever the
selection is a cover, the item of least loss per cost is dropped, until it is none.
Then the search covers an uncovered element by the item of most gain per cost, after it
has dropped others, so that the selection stays cheaper than the best cover. Gains and
losses are in weights y_a, which grow while an element stays uncovered; this drives the
search out of local minima. A dropped item returns once an element of it has changed.
"""

from __future__ import annotations

import cython
import numpy as np

ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
# In place of the item that covers an element alone.
NONE = cython.declare(cython.int, -1)
SEVERAL = cython.declare(cython.int, -2)
LARGEST = cython.declare(cython.double, 1e308)
# Of more chosen items than this, only as many random ones are compared.
MOST_COMPARED = cython.declare(cython.int, 1000)
# Of more items of an element than the first, only the second number is compared: more
# steps in the same time outweigh better ones.
MANY_ITEMS = cython.declare(cython.int, 60)
NUM_SAMPLED = cython.declare(cython.int, 20)


@cython.cclass
class Weighting:
    """A selection that changes, with cover counts, losses and cost kept up to date.

    The loss of a chosen item is the weight that no other covers. `owner` is the bitwise
    exclusive or of an element's chosen items: if there is one, it is that item.
    """

    c: cython.const[cython.double][::1]
    w: cython.const[cython.double][::1]
    item_start: cython.const[cython.longlong][::1]
    item_elements: cython.const[cython.int][::1]
    element_start: cython.const[cython.longlong][::1]
    element_items: cython.const[cython.int][::1]
    best: cython.char[::1]
    per_cost: cython.double[::1]
    # What one step adds to the weight of an uncovered element.
    growth: cython.double[::1]
    y: cython.double[::1]
    counts: cython.int[::1]
    owner: cython.int[::1]
    sole: cython.int[::1]
    loss: cython.double[::1]
    # Chosen items, then the others, and their positions; uncovered elements likewise.
    order: cython.int[::1]
    place: cython.int[::1]
    element_order: cython.int[::1]
    element_place: cython.int[::1]
    # The steps at which items were last added or dropped, and elements last covered or
    # uncovered. A step adds or drops one item.
    item_step: cython.longlong[::1]
    element_step: cython.longlong[::1]
    num_chosen: cython.Py_ssize_t
    num_uncovered: cython.Py_ssize_t
    step: cython.longlong
    slack: cython.double
    tolerance: cython.double
    least_saving: cython.double
    uncovered: cython.double
    spent: cython.double
    best_cost: cython.double
    bits: cython.ulonglong
    work_left: cython.longlong

    def __init__(
        self,
        c: cython.const[cython.double][::1],
        w: cython.const[cython.double][::1],
        item_start: cython.const[cython.longlong][::1],
        item_elements: cython.const[cython.int][::1],
        element_start: cython.const[cython.longlong][::1],
        element_items: cython.const[cython.int][::1],
        slack: cython.double,
        least_saving: cython.double,
        best_cost: cython.double,
        bits: cython.ulonglong,
        best: cython.char[::1],
    ) -> None:
        """Start from the items marked in `best`, which will mark the best cover found.

        Costs are positive. A cover counts only if it is cheaper than the best cost by
        the least saving. The seed must not be 0.
        """
        self.c, self.w = c, w
        self.item_start, self.item_elements = item_start, item_elements
        self.element_start, self.element_items = element_start, element_items
        self.slack, self.least_saving = slack, least_saving
        self.bits, self.best = bits, best
        num_items, num_elements = c.shape[0], w.shape[0]
        self.per_cost = 1.0 / np.asarray(c)
        self.growth = np.array(w) if slack > 0.0 else np.ones(num_elements)
        self.y = np.array(self.growth)
        self.counts, self.owner = np.zeros((2, num_elements), dtype=np.int32)
        self.sole = np.full(num_elements, NONE, dtype=np.int32)
        self.loss = np.zeros(num_items)
        self.order = np.arange(num_items, dtype=np.int32)
        self.place = np.arange(num_items, dtype=np.int32)
        self.element_order = np.arange(num_elements, dtype=np.int32)
        self.element_place = np.arange(num_elements, dtype=np.int32)
        self.item_step = np.zeros(num_items, dtype=np.int64)
        self.element_step = np.ones(num_elements, dtype=np.int64)
        self.num_chosen, self.num_uncovered = 0, num_elements
        self.spent = self.step = self.work_left = 0
        self.uncovered = np.sum(w)
        self.tolerance = 1e-9 * self.uncovered
        self.best_cost = best_cost
        for i in np.flatnonzero(best).tolist():
            self._flip(i)

    def search(self, max_work: cython.longlong, least_cost: cython.double) -> tuple:
        """Search until the work is done, in elements read, or a cover is cheap enough.

        Returns the work done and whether a cheaper cover was marked.
        """
        k: cython.Py_ssize_t
        j: cython.Py_ssize_t
        last: cython.Py_ssize_t = -1
        before: cython.double = self.best_cost
        self.work_left = max_work
        with cython.nogil:
            while self.work_left > 0:
                if self._is_cover():
                    self._mark()
                    if self.best_cost <= least_cost or self.num_chosen == 0:
                        break
                    self._flip(self._least_loss(-1))
                    continue
                self.work_left -= 8 + self.num_uncovered
                j = self._most_gain(self._heavier())
                if j >= 0:
                    self._make_room(j, last)
                    self._flip(j)
                    last = j
                    if self._is_cover():
                        continue
                for k in range(self.num_uncovered):
                    self._grow(self.element_order[k])
        return max_work - self.work_left, self.best_cost < before

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_cover(self) -> cython.bint:
        """Whether the uncovered weight is within the slack."""
        k: cython.Py_ssize_t
        if self.num_uncovered == 0:
            return True
        # The running sum is rounded in every step.
        if self.uncovered > self.slack + self.tolerance:
            return False
        self.uncovered = 0.0
        for k in range(self.num_uncovered):
            self.uncovered += self.w[self.element_order[k]]
        return self.uncovered <= self.slack

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _mark(self) -> cython.void:
        """Mark the selection if it is cheaper than the best cover."""
        k: cython.Py_ssize_t
        self.spent = 0.0
        for k in range(self.num_chosen):
            self.spent += self.c[self.order[k]]
        if self.spent >= self.best_cost:
            return
        self.best_cost = self.spent
        for k in range(self.c.shape[0]):
            self.best[self.order[k]] = k < self.num_chosen

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _heavier(self) -> cython.Py_ssize_t:
        """The heavier of two random uncovered elements."""
        a: cython.Py_ssize_t = self.element_order[self._below(self.num_uncovered)]
        b: cython.Py_ssize_t = self.element_order[self._below(self.num_uncovered)]
        return a if self.y[a] >= self.y[b] else b

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _most_gain(self, a: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The item of element a that gains most per cost; -1 if none is cheap enough.

        Among equals, the one that was dropped first.
        """
        e: cython.Py_ssize_t
        k: cython.Py_ssize_t
        first: cython.Py_ssize_t = self.element_start[a]
        count: cython.Py_ssize_t = self.element_start[a + 1] - first
        is_sampled: cython.bint = count > MANY_ITEMS
        j: cython.Py_ssize_t
        most: cython.Py_ssize_t = -1
        ratio: cython.double
        largest: cython.double = -2.0
        limit: cython.double = self.best_cost - self.least_saving
        for k in range(NUM_SAMPLED if is_sampled else count):
            e = first + (self._below(count) if is_sampled else k)
            j = self.element_items[e]
            if self.c[j] > limit:
                continue
            ratio = self._gain(j) * self.per_cost[j]
            if ratio > largest or (
                ratio == largest and self.item_step[j] < self.item_step[most]
            ):
                largest, most = ratio, j
        return most

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _gain(self, j: cython.Py_ssize_t) -> cython.double:
        """The weight that item j would cover; -1 if nothing near it has changed."""
        a: cython.Py_ssize_t
        e: cython.Py_ssize_t
        step: cython.longlong = self.item_step[j]
        has_changed: cython.bint = False
        total: cython.double = 0.0
        self.work_left -= self.item_start[j + 1] - self.item_start[j]
        for e in range(self.item_start[j], self.item_start[j + 1]):
            a = self.item_elements[e]
            has_changed |= self.element_step[a] > step
            # A product, since a branch could not be predicted.
            total += self.y[a] * (self.counts[a] == 0)
        return total if has_changed else -1.0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _make_room(self, j: cython.Py_ssize_t, last: cython.Py_ssize_t) -> cython.void:
        """Drop items until item j fits below the best cost, not the last one added."""
        limit: cython.double = self.best_cost - self.least_saving
        while self.spent + self.c[j] > limit and self.num_chosen > 0:
            self._flip(self._least_loss(last))

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _least_loss(self, last: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The chosen item of least loss per cost; among equals, the oldest."""
        k: cython.Py_ssize_t
        i: cython.Py_ssize_t
        count: cython.Py_ssize_t = min(self.num_chosen, MOST_COMPARED)
        is_sampled: cython.bint = count < self.num_chosen
        worst: cython.Py_ssize_t = self.order[0]
        ratio: cython.double
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
    @cython.nogil
    @cython.exceptval(check=False)
    def _grow(self, a: cython.Py_ssize_t) -> cython.void:
        """Add to the weight of an uncovered element."""
        self.y[a] += self.growth[a]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _flip(self, i: cython.Py_ssize_t) -> cython.void:
        """Add or drop item i."""
        a: cython.Py_ssize_t
        e: cython.Py_ssize_t
        step: cython.int = 1 if self.place[i] >= self.num_chosen else -1
        total: cython.double = 0.0
        self.work_left -= 2 * (self.item_start[i + 1] - self.item_start[i])
        self.num_chosen -= step < 0
        _move(self.order, self.place, i, self.num_chosen)
        self.num_chosen += step > 0
        self.spent += step * self.c[i]
        self.step += 1
        self.item_step[i] = self.step
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            self.owner[a] ^= i
            self.counts[a] += step
            if self.counts[a] == (step > 0):
                # Covered or uncovered now.
                self.num_uncovered -= step > 0
                _move(self.element_order, self.element_place, a, self.num_uncovered)
                self.num_uncovered += step < 0
                self.sole[a] = i if step > 0 else NONE
                self.element_step[a] = self.step
                self.uncovered -= step * self.w[a]
                total += self.y[a]
            elif self.counts[a] == 1:
                self.sole[a] = self.owner[a]
                self.loss[self.sole[a]] += self.y[a]
            elif step > 0 and self.counts[a] == 2:
                self.loss[self.sole[a]] -= self.y[a]
                self.sole[a] = SEVERAL
        self.loss[i] = total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _below(self, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Random number below the count, by Marsaglia's xorshift."""
        self.bits ^= (self.bits << 13) & ALL_BITS
        self.bits ^= self.bits >> 7
        self.bits ^= (self.bits << 17) & ALL_BITS
        return (self.bits >> 33) % count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _move(
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
