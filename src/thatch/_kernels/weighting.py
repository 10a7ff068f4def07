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

if cython.compiled:
    from cython.cimports.thatch._kernels.selections import WeightedSelection
else:
    from thatch._kernels.selections import WeightedSelection


@cython.final
@cython.cclass
class Weighting(WeightedSelection):
    """A selection that is a cover every now and then, at a lower cost each time.

    Its budget is what the next cover may cost, its value is minus the weight that is
    uncovered.
    """

    # What one step adds to the weight of an uncovered element.
    growth: cython.double[::1]
    slack: cython.double
    least_saving: cython.double
    best_cost: cython.double

    def __init__(
        self,
        c: cython.const[cython.double][::1],
        w: cython.const[cython.double][::1],
        edges: object,
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
        growth = np.array(w) if slack > 0.0 else np.ones(w.shape[0])
        limits = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        WeightedSelection.__init__(
            self, c, w, edges, limits, best, budget=0.0, bits=bits
        )
        self.growth, self.y = growth, np.array(growth)
        self.most_compared = 1000
        self.slack, self.least_saving = slack, least_saving
        self.best_cost, self.budget = best_cost, best_cost - least_saving
        self.value = -np.sum(w)
        self.tolerance = 1e-9 * -self.value
        self._choose_marked()

    def search(self, max_work: cython.longlong, least_cost: cython.double) -> tuple:
        """Search until the work is done, in elements read, or a cover is cheap enough.

        Returns the work done and whether a cheaper cover was marked.
        """
        last: cython.Py_ssize_t = -1
        before: cython.double = self.best_cost
        self.work_left = max_work
        with cython.nogil:
            while self.work_left > 0:
                if self._is_cover():
                    self._mark_if_cheaper()
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
                    a = self.element_order[k]
                    self.y[a] += self.growth[a]
        return max_work - self.work_left, self.best_cost < before

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_cover(self) -> cython.bint:
        """Whether the uncovered weight is within the slack."""
        if self.num_uncovered == 0:
            return True
        # The running sum is rounded in every step.
        if -self.value > self.slack + self.tolerance:
            return False
        self.value = 0.0
        for k in range(self.num_uncovered):
            self.value -= self.w[self.element_order[k]]
        return -self.value <= self.slack

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _mark_if_cheaper(self) -> cython.void:
        """Mark the selection if it is cheaper than the best cover."""
        self.spent = 0.0
        for k in range(self.num_chosen):
            self.spent += self.c[self.order[k]]
        if self.spent >= self.best_cost:
            return
        self.best_cost = self.spent
        self.budget = self.best_cost - self.least_saving
        self._mark()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _most_gain(self, a: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The item of element a that gains most per cost; -1 if none is cheap enough.

        Among equals, the one that was dropped first. Of many items, only some random
        ones are compared: more steps in the same time outweigh better ones.
        """
        first: cython.Py_ssize_t = self.element_start[a]
        count: cython.Py_ssize_t = self.element_start[a + 1] - first
        is_sampled: cython.bint = count > 60
        most: cython.Py_ssize_t = -1
        largest: cython.double = -2.0
        for k in range(20 if is_sampled else count):
            e = first + (self._below(count) if is_sampled else k)
            j = self.element_items[e]
            if self.c[j] > self.budget:
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
