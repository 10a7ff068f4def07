"""Annealing: random exchanges, mostly between neighbors.

With a price mu, the energy of a selection is - value - mu x (budget not spent). A
proposal that raises it by x is accepted with probability e^(-x/T); T falls, and in the
end the price.
"""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.libc.math import exp, pow, sqrt

if cython.compiled:
    from cython.cimports.thatch._kernels.selections import ChangingSelection
else:
    from thatch._kernels.selections import ChangingSelection

MAX_DROPPED = cython.declare(cython.int, 8)
# In place of the item that covers an element alone.
NONE = cython.declare(cython.int, -1)
SEVERAL = cython.declare(cython.int, -2)


@cython.final
@cython.cclass
class Exchanges(ChangingSelection):
    """A selection whose items are exchanged at random.

    The loss of a chosen item is the weight that no other item covers.
    """

    sole: cython.int[::1]
    loss: cython.double[::1]
    # The uncovered elements, then the others, and the position of each element.
    element_order: cython.int[::1]
    element_place: cython.int[::1]
    num_uncovered: cython.Py_ssize_t
    dropped: cython.int[::1]
    best_value: cython.double
    price: cython.double
    is_ranked: cython.bint  # of an element, the first items are proposed most
    mu: cython.double
    T: cython.double

    def __init__(
        self,
        *searched: object,
        budget: cython.double,
        bits: cython.ulonglong,
        price: cython.double,
        is_ranked: cython.bint,
    ) -> None:
        """Start from the selection marked in `best`; see `ChangingSelection`."""
        ChangingSelection.__init__(self, *searched, budget=budget, bits=bits)
        num_items, num_elements = self.c.shape[0], self.w.shape[0]
        self.sole = np.full(num_elements, NONE, dtype=np.int32)
        self.loss = np.zeros(num_items)
        elements = np.arange(num_elements, dtype=np.int32)
        self.element_order, self.element_place = np.tile(elements, (2, 1))
        self.num_uncovered = num_elements
        self.is_ranked = is_ranked
        self.price = self.mu = price
        self.tolerance = 1e-12 * np.sum(self.w)  # sums are rounded
        self.dropped = np.zeros(MAX_DROPPED, dtype=np.int32)
        for i in range(num_items):
            if self.best[i]:
                self._flip(i)
        self.best_value = -1.0

    def anneal(
        self,
        T: cython.double,
        first_T: cython.double,
        last_T: cython.double,
        total: cython.double,
        max_work: cython.longlong,
    ) -> tuple:
        """Propose exchanges at a falling T; return the work done and the T reached.

        Over the total work, in elements read, T falls from first to last. The best
        selection at a pause of the second half is marked.
        """
        k: cython.Py_ssize_t
        middle: cython.double = sqrt(first_T * last_T)
        self.work_left = max_work
        self.T = T
        with cython.nogil:
            while self.work_left > 0 and self.T > last_T:
                before = self.work_left
                for k in range(64):
                    self._propose()
                self.T *= pow(last_T / first_T, (before - self.work_left) / total)
                self.mu = self.price * min(1.0, (self.T - last_T) / (middle - last_T))
            if self.T < middle:
                self._mark_if_better()
        return max_work - self.work_left, self.T

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _propose(self) -> cython.void:
        """Propose to add an item, and drop others if the budget requires it."""
        i: cython.Py_ssize_t = -1
        num_dropped: cython.Py_ssize_t = 0
        self.work_left -= 30  # about as many edges are read
        if self.num_chosen > 0:
            i = self.order[self._below(self.num_chosen)]
        j = self._candidate(i)
        if j < 0 or self.c[j] > self.budget:
            return
        if self.place[j] < self.num_chosen:
            if self.price > 0.0 and self._accepts(self.mu * self.c[j] - self.loss[j]):
                self._flip(j)
            return
        need = self.spent + self.c[j] - self.budget
        if self.group.shape[0] and self.room[self.group[j]] <= 0:
            if i < 0 or self.group[i] != self.group[j] or need > self.c[i]:
                return
            need = max(need, 5e-324)  # item i makes room, whatever it costs
        if i >= 0 and 0.0 < need <= self.c[i]:
            # Most proposals are of this kind, and rejected: item i is not dropped yet.
            change = self._gain(j, i) - self.mu * (self.c[j] - self.c[i])
            if self._accepts(change - self.loss[i]):
                self._flip(i)
                self._flip(j)
            return
        change = -self.mu * self.c[j]
        while need > 0.0 and num_dropped < MAX_DROPPED and self.num_chosen > 0:
            change += self.mu * self.c[i] - self.loss[i]
            self._flip(i)
            self.dropped[num_dropped] = i
            num_dropped += 1
            need = self.spent + self.c[j] - self.budget
            i = self.order[self._below(max(1, self.num_chosen))]
        if need <= 0.0 and self._accepts(change + self._gain(j, NONE)):
            self._flip(j)
            return
        for k in range(num_dropped):
            self._flip(self.dropped[k])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _candidate(self, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """An item near item i, or one that covers an uncovered element; -1 if none."""
        a: cython.Py_ssize_t = -1
        if i >= 0 and self._below(100) < 95:
            degree = self.item_start[i + 1] - self.item_start[i]
            if degree > 0:
                a = self.item_elements[self.item_start[i] + self._below(degree)]
        elif self.num_uncovered > 0:
            a = self._heavier()
        degree = 0 if a < 0 else self.element_start[a + 1] - self.element_start[a]
        if degree == 0:
            return -1
        if self.is_ranked:
            degree = 1 + self._below(degree)
        return self.element_items[self.element_start[a] + self._below(degree)]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _accepts(self, change: cython.double) -> cython.bint:
        """Whether a proposal that changes the energy by this much less is accepted."""
        return change >= 0.0 or self._below(1 << 30) < exp(change / self.T) * (1 << 30)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _mark_if_better(self) -> cython.void:
        """Mark the selection if it is the best so far."""
        if self.value <= self.best_value + self.tolerance or self.spent > self.budget:
            return
        self.best_value = self.value
        self._mark()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _gain(self, j: cython.Py_ssize_t, i: cython.int) -> cython.double:
        """The weight that item j would add once item i is dropped."""
        none: cython.int = NONE
        total: cython.double = 0.0
        self.work_left -= self.item_start[j + 1] - self.item_start[j]
        for e in range(self.item_start[j], self.item_start[j + 1]):
            sole = self.sole[self.item_elements[e]]
            # A product, since a branch could not be predicted.
            total += self.w[self.item_elements[e]] * ((sole == none) | (sole == i))
        return total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _flip(self, i: cython.Py_ssize_t) -> cython.void:
        """Add or drop item i."""
        e: cython.Py_ssize_t
        total: cython.double = 0.0
        step: cython.int = self._move(i)
        self.work_left -= 2 * (self.item_start[i + 1] - self.item_start[i])
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            self.owner[a] ^= i
            self.counts[a] += step
            if self.counts[a] == (step > 0):
                # Covered or uncovered now.
                self.num_uncovered -= step > 0
                self._place_element(a, self.num_uncovered)
                self.num_uncovered += step < 0
                self.sole[a] = i if step > 0 else NONE
                self.value += step * self.w[a]
                total += self.w[a]
            elif self.counts[a] == 1:
                self.sole[a] = self.owner[a]
                self.loss[self.sole[a]] += self.w[a]
            elif step > 0 and self.counts[a] == 2:
                self.loss[self.sole[a]] -= self.w[a]
                self.sole[a] = SEVERAL
        self.loss[i] = total

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _place_element(
        self, a: cython.Py_ssize_t, position: cython.Py_ssize_t
    ) -> cython.void:
        """Exchange element a with what is at a position of their order."""
        other: cython.int = self.element_order[position]
        self.element_order[self.element_place[a]] = other
        self.element_place[other] = self.element_place[a]
        self.element_order[position] = a
        self.element_place[a] = position

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _heavier(self) -> cython.Py_ssize_t:
        """The heavier of two random uncovered elements."""
        a: cython.Py_ssize_t = self.element_order[self._below(self.num_uncovered)]
        b: cython.Py_ssize_t = self.element_order[self._below(self.num_uncovered)]
        return a if self.w[a] >= self.w[b] else b
