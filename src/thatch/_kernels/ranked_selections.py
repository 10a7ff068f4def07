"""Selections in which what to add and what to drop is always known.

The score of an item is the weight that it would cover, or that it covers alone if it is
chosen: it stays the same when the item is added or dropped. A step updates only the
scores of items that share an element with what it covers or uncovers. Weights are
integers, so no sum is ever rounded.

Fields and methods are declared in `ranked_selections.pxd`.
"""

from __future__ import annotations

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.thatch._kernels.selections import SelectionSearch
else:
    from thatch._kernels.selections import SelectionSearch

ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
NONE = cython.declare(cython.int, -1)
# What adding or dropping an item costs besides the edges that it reads.
FLIP_WORK = cython.declare(cython.longlong, 80)


@cython.cclass
class RankedSelection(SelectionSearch):
    """A selection with its scores, its items of least score, and the best one so far.

    `owner` is the bitwise exclusive or of the chosen items of an element: if there is
    one, it is that item.
    """

    def __init__(
        self,
        c: cython.const[cython.double][::1],
        w: cython.const[cython.double][::1],
        edges: object,
        best: cython.char[::1],
        *,
        budget: cython.double,
        bits: cython.ulonglong,
        y: cython.double[::1],
        growth: cython.double[::1],
    ) -> None:
        """Choose the items marked in `best`, which will mark the best selection found.

        The weights y and what they grow by are integers. The seed must not be 0.
        """
        limits = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        SelectionSearch.__init__(self, c, w, edges, limits, best)
        num_items, num_elements = c.shape[0], w.shape[0]
        self.budget, self.bits, self.y, self.growth = budget, bits, y, growth
        self.per_cost = 1.0 / np.maximum(c, max(1e-12 * budget, 1e-300))
        self.owner = np.zeros(num_elements, dtype=np.int32)
        # Elements without items stay behind the uncovered ones.
        degrees = np.diff(edges.element_start)
        order = np.argsort(degrees == 0, kind="stable").astype(np.int32)
        self.uncovered, self.element_place = order, np.argsort(order).astype(np.int32)
        self.num_uncovered = np.count_nonzero(degrees)
        self.left = np.sum(np.array(w)[degrees > 0])
        self.score = np.zeros(num_items)
        for i in range(num_items):
            for e in range(self.item_start[i], self.item_start[i + 1]):
                self.score[i] += self.y[self.item_elements[e]]
        self.item_step = np.zeros(num_items, dtype=np.int64)
        self.heap, self.changed = np.zeros((2, num_items), dtype=np.int32)
        self.heap_place = np.full(num_items, NONE, dtype=np.int32)
        self.is_changed = np.zeros(num_items, dtype=np.int8)
        self.num_chosen = self.num_changed = self.step = self.work_left = 0
        self.spent = 0.0
        for i in range(num_items):
            if best[i]:
                self._flip(i)
        self._mark()

    def _mark(self) -> cython.void:
        """Mark the present selection as the best."""
        for k in range(self.num_changed):
            i = self.changed[k]
            self.best[i] = self.heap_place[i] >= 0
            self.is_changed[i] = 0
        self.num_changed = 0

    def _exact_cost(self) -> cython.double:
        """What the chosen items cost; the running sum may be rounded in every step."""
        total: cython.double = 0.0
        for k in range(self.num_chosen):
            total += self.c[self.heap[k]]
        return total

    def _flip(self, i: cython.Py_ssize_t) -> cython.void:
        """Add or drop item i. Its score is its gain before and its loss after."""
        e: cython.Py_ssize_t
        is_added: cython.bint = self.heap_place[i] < 0
        self.step += 1
        self.item_step[i] = self.step
        self.work_left -= FLIP_WORK + self.item_start[i + 1] - self.item_start[i]
        if not self.is_changed[i]:
            self.is_changed[i] = 1
            self.changed[self.num_changed] = i
            self.num_changed += 1
        if is_added:
            self.spent += self.c[i]
            self.heap_place[i] = self.num_chosen
            self.heap[self.num_chosen] = i
            self.num_chosen += 1
            for e in range(self.item_start[i], self.item_start[i + 1]):
                self._cover(self.item_elements[e], i)
            self._rise(i)
        else:
            self.spent -= self.c[i]
            self._leave_heap(i)
            for e in range(self.item_start[i], self.item_start[i + 1]):
                self._uncover(self.item_elements[e], i)

    def _cover(self, a: cython.Py_ssize_t, i: cython.Py_ssize_t) -> cython.void:
        """Count item i as one that covers element a."""
        weight: cython.double = self.y[a]
        self.counts[a] += 1
        if self.counts[a] == 1:
            self.num_uncovered -= 1
            self._place(a, self.num_uncovered)
            self.left -= self.w[a]
            self._add_to_scores(a, i, -weight)
        elif self.counts[a] == 2:
            self.score[self.owner[a]] -= weight
            self._rise(self.owner[a])
        self.owner[a] ^= i

    def _uncover(self, a: cython.Py_ssize_t, i: cython.Py_ssize_t) -> cython.void:
        """Count item i no more as one that covers element a."""
        weight: cython.double = self.y[a]
        self.counts[a] -= 1
        self.owner[a] ^= i
        if self.counts[a] == 0:
            self._place(a, self.num_uncovered)
            self.num_uncovered += 1
            self.left += self.w[a]
            self._add_to_scores(a, i, weight)
        elif self.counts[a] == 1:
            self.score[self.owner[a]] += weight
            self._sink(self.owner[a])

    def _add_to_scores(
        self, a: cython.Py_ssize_t, i: cython.Py_ssize_t, weight: cython.double
    ) -> cython.void:
        """Add to the scores of all items of an element but item i."""
        for e in range(self.element_start[a], self.element_start[a + 1]):
            self.score[self.element_items[e]] += weight
        self.score[i] -= weight
        self.work_left -= self.element_start[a + 1] - self.element_start[a]

    def _grow_element(self, a: cython.Py_ssize_t) -> cython.void:
        """Make an uncovered element heavier."""
        growth: cython.double = self.growth[a]
        self.y[a] += growth
        for e in range(self.element_start[a], self.element_start[a + 1]):
            self.score[self.element_items[e]] += growth
        self.work_left -= self.element_start[a + 1] - self.element_start[a]

    def _place(self, a: cython.Py_ssize_t, position: cython.Py_ssize_t) -> cython.void:
        """Exchange element a with what is at a position of the uncovered ones."""
        other: cython.int = self.uncovered[position]
        self.uncovered[self.element_place[a]] = other
        self.element_place[other] = self.element_place[a]
        self.uncovered[position] = a
        self.element_place[a] = position

    def _least_but(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The first item to drop that is not item i."""
        if self.heap[0] != i:
            return self.heap[0]
        first: cython.Py_ssize_t = self.heap[1]
        for k in range(2, min(5, self.num_chosen)):
            if self._is_before(self.heap[k], first):
                first = self.heap[k]
        return first

    def _is_before(self, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
        """Whether item i is dropped before item j."""
        one: cython.double = self.score[i] * self.per_cost[i]
        other: cython.double = self.score[j] * self.per_cost[j]
        return one < other or (one == other and self.item_step[i] < self.item_step[j])

    def _rise(self, i: cython.Py_ssize_t) -> cython.void:
        """Move an item up in the heap, of four below each, to its place."""
        place: cython.Py_ssize_t = self.heap_place[i]
        while place > 0:
            above: cython.Py_ssize_t = self.heap[(place - 1) >> 2]
            if not self._is_before(i, above):
                break
            self.heap[place] = above
            self.heap_place[above] = place
            place = (place - 1) >> 2
        self.heap[place] = i
        self.heap_place[i] = place

    def _sink(self, i: cython.Py_ssize_t) -> cython.void:
        """Move an item down in the heap to its place."""
        place: cython.Py_ssize_t = self.heap_place[i]
        while 4 * place + 1 < self.num_chosen:
            lower: cython.Py_ssize_t = 4 * place + 1
            for k in range(lower + 1, min(lower + 4, self.num_chosen)):
                if self._is_before(self.heap[k], self.heap[lower]):
                    lower = k
            below: cython.Py_ssize_t = self.heap[lower]
            if not self._is_before(below, i):
                break
            self.heap[place] = below
            self.heap_place[below] = place
            place = lower
        self.heap[place] = i
        self.heap_place[i] = place

    def _leave_heap(self, i: cython.Py_ssize_t) -> cython.void:
        """Take an item out of the heap."""
        self.num_chosen -= 1
        filler: cython.Py_ssize_t = self.heap[self.num_chosen]
        place: cython.Py_ssize_t = self.heap_place[i]
        self.heap_place[i] = NONE
        if filler == i:
            return
        self.heap[place] = filler
        self.heap_place[filler] = place
        self._rise(filler)
        self._sink(filler)

    def _below(self, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Random number below the count, by Marsaglia's xorshift."""
        self.bits ^= (self.bits << 13) & ALL_BITS
        self.bits ^= self.bits >> 7
        self.bits ^= (self.bits << 17) & ALL_BITS
        return (self.bits >> 33) % count
