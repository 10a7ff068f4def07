"""Swaps that cover an element at the least loss, for cheap covers and full budgets.

A random uncovered element is covered by one of its items, and another item is dropped
for it. All such pairs are compared, by weights y_a of what stays uncovered. If as many
elements are uncovered as before, one of them gets heavier; this drives the search out
of local minima.

A cover leaves at most the weight `slack` uncovered. Whenever the selection is a cover,
an item is dropped, and the budget is what the next cover may cost.
"""

from __future__ import annotations

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.thatch._kernels.ranked_selections import RankedSelection
else:
    from thatch._kernels.ranked_selections import RankedSelection

LARGEST = cython.declare(cython.double, 1e308)
# Of more items of an element than these, as many random ones are compared: more steps
# in the same time outweigh better ones.
MOST_COMPARED = cython.declare(cython.int, 64)
# Where more of all pairs of items and elements are edges, a step changes much, and all
# uncovered elements get heavier at once.
DENSE = cython.declare(cython.double, 0.02)
# Covers of at least this many items can be improved at many places. A search that found
# nothing at one of them within this many steps goes back to the best cover, and on to
# another place. In smaller covers, the way back costs more than it saves.
MANY_CHOSEN = cython.declare(cython.Py_ssize_t, 20_000)
STEPS_PER_PLACE = cython.declare(cython.longlong, 3_000)


@cython.final
@cython.cclass
class Swaps(RankedSelection):
    """A selection that swaps items until it covers what it can."""

    # What owners of elements lose less, because an item covers these too.
    saved: cython.double[::1]
    owners: cython.int[::1]
    partner: cython.Py_ssize_t
    last: cython.Py_ssize_t
    dearest: cython.double
    is_dense: cython.bint
    has_equal_costs: cython.bint
    # Whether the best selection is a cover of many items, and the steps since then.
    has_places: cython.bint
    num_steps: cython.longlong

    def __init__(self, *searched: object, **settings: object) -> None:
        """Start from the selection marked in `best`; see `RankedSelection`."""
        RankedSelection.__init__(self, *searched, **settings)
        num_items, num_elements = self.c.shape[0], self.w.shape[0]
        num_edges: cython.double = self.item_elements.shape[0]
        self.saved = np.zeros(num_items)
        self.owners = np.zeros(num_items, dtype=np.int32)
        self.last = self.partner = -1
        self.num_steps = self.has_places = 0
        self.dearest = np.max(self.c) if num_items else 0.0
        self.is_dense = num_edges > DENSE * num_items * num_elements
        self.has_equal_costs = num_items == 0 or self.dearest == np.min(self.c)

    def adopt(self, marks: cython.const[cython.char][::1]) -> None:
        """Go on from another selection, as the best one so far."""
        for i in range(self.c.shape[0]):
            if (self.heap_place[i] >= 0) != (marks[i] > 0):
                self._flip(i)
        self._mark()

    def find_covers(
        self,
        max_work: cython.longlong,
        slack: cython.double,
        best_cost: cython.double,
        least_saving: cython.double,
        least_cost: cython.double,
    ) -> cython.double:
        """Search for covers until the work is done, in elements read, or one is cheap.

        A cover counts only if it is cheaper than the best cost by the least saving.
        Costs are positive. Returns the best cost.
        """
        tolerance: cython.double = 1e-9 * np.sum(self.w)
        self.work_left = max_work
        self.budget = best_cost - least_saving
        self.has_places = best_cost < LARGEST and self.num_chosen >= MANY_CHOSEN
        with cython.nogil:
            self._drop_to_budget(-1)
            while self.work_left > 0:
                if not self._is_cover(slack, tolerance):
                    self._step()
                    self._return_if_stray()
                    continue
                self.num_steps = 0
                cost = self._exact_cost() if self.spent < best_cost else best_cost
                if cost < best_cost:
                    best_cost = self.spent = cost
                    self.budget = best_cost - least_saving
                    self.has_places = self.num_chosen >= MANY_CHOSEN
                    self._mark()
                if best_cost <= least_cost or self.num_chosen == 0:
                    break
                self._drop_one()
        return best_cost

    def fill(self, max_work: cython.longlong, least: cython.double) -> cython.double:
        """Cover more until the work is done, in elements read, or all is covered.

        `least` is the least weight that was left uncovered so far; returns it.
        """
        tolerance: cython.double = 1e-12 * np.sum(self.w)  # sums are rounded
        self.work_left = max_work
        with cython.nogil:
            while self.work_left > 0 and least > 0.0:
                if self.num_uncovered == 0:
                    self.left = 0.0
                if self.left < least - tolerance and self._exact_cost() <= self.budget:
                    least = self.left
                    self._mark()
                if self.num_uncovered == 0:
                    break
                self._step()
        return least

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_cover(self, slack: cython.double, tolerance: cython.double) -> cython.bint:
        """Whether the uncovered weight is within the slack."""
        if self.num_uncovered == 0:
            return True
        # The running sum is rounded in every step.
        if self.left > slack + tolerance:
            return False
        self.left = 0.0
        for k in range(self.num_uncovered):
            self.left += self.w[self.uncovered[k]]
        return self.left <= slack

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _return_if_stray(self) -> cython.void:
        """Go back to the best of many items after many steps without a better one."""
        self.num_steps += 1
        if self.num_steps < STEPS_PER_PLACE or not self.has_places:
            return
        self.num_steps = 0
        for k in range(self.num_changed):
            i = self.changed[k]
            if (self.heap_place[i] >= 0) != (self.best[i] > 0):
                self._flip(i)
        self._mark()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _drop_one(self) -> cython.void:
        """Drop a random item if all cost the same, else the one of least loss."""
        place = self._below(self.num_chosen) if self.has_equal_costs else 0
        if self.score[self.heap[0]] == 0.0:
            place = 0
        self.last = self.heap[place]
        self._flip(self.last)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _drop_to_budget(self, kept: cython.Py_ssize_t) -> cython.void:
        """Drop items of least loss per cost, but not one, until the rest fits."""
        while self.spent > self.budget and self.num_chosen > (kept >= 0):
            self.last = self._least_but(kept)
            self._flip(self.last)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _step(self) -> cython.void:
        """Swap for a random uncovered element; one gets heavier if that was no gain."""
        count: cython.Py_ssize_t = self.num_uncovered
        self._swap_for(self.uncovered[self._below(count)])
        if self.num_uncovered >= count:
            self._grow()

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _swap_for(self, a: cython.Py_ssize_t) -> cython.void:
        """Cover an element by the best pair of an item to add and one to drop."""
        e: cython.Py_ssize_t
        first: cython.Py_ssize_t = self.element_start[a]
        count: cython.Py_ssize_t = self.element_start[a + 1] - first
        is_sampled: cython.bint = count > MOST_COMPARED
        added: cython.Py_ssize_t = -1
        dropped: cython.Py_ssize_t = -1
        least: cython.double = LARGEST
        # What a unit of cost is worth: what the cheapest loss would free.
        price: cython.double = 0.0
        if self.num_chosen:
            price = self.score[self.heap[0]] * self.per_cost[self.heap[0]]
        compared: cython.Py_ssize_t = MOST_COMPARED if is_sampled else count
        self.work_left -= 8 + compared
        for k in range(compared):
            e = first + (self._below(count) if is_sampled else k)
            i = self.element_items[e]
            if i == self.last or self.c[i] > self.budget:
                continue
            if price * (self.c[i] - self.dearest) - self.score[i] > least:
                continue
            loss = self._swap_loss(i, price)
            if loss < least or (
                loss == least and self.item_step[i] < self.item_step[added]
            ):
                least, added, dropped = loss, i, self.partner
        self.last = -1
        if added < 0:
            return
        self._flip(added)
        if dropped >= 0:
            self._flip(dropped)
            self.last = dropped
        self._drop_to_budget(added)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _swap_loss(self, i: cython.Py_ssize_t, price: cython.double) -> cython.double:
        """What is lost by adding item i and dropping its best partner.

        What they cost counts at the price. Items that cover elements of i alone lose
        less if i comes: they are compared with the item of least loss per cost.
        """
        loss: cython.double = price * self.c[i] - self.score[i]
        self.partner = -1
        if self.spent + self.c[i] <= self.budget or self.num_chosen == 0:
            return loss
        count: cython.Py_ssize_t = 0
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            if self.counts[a] == 1 and self.y[a] > 0.0:
                r = self.owner[a]
                if self.saved[r] == 0.0:
                    self.owners[count] = r
                    count += 1
                self.saved[r] += self.y[a]
        self.work_left -= self.item_start[i + 1] - self.item_start[i]
        self.partner = self.heap[0]
        least: cython.double = 0.0
        for k in range(count):
            r = self.owners[k]
            lost = self.score[r] - self.saved[r] - price * self.c[r]
            self.saved[r] = 0.0
            if lost < least or (
                lost == least and self.item_step[r] < self.item_step[self.partner]
            ):
                least, self.partner = lost, r
        return loss + least

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _grow(self) -> cython.void:
        """Make an uncovered element heavier, or all where elements have many items."""
        if not self.is_dense:
            self._grow_element(self.uncovered[self._below(self.num_uncovered)])
            return
        for k in range(self.num_uncovered):
            self._grow_element(self.uncovered[k])
