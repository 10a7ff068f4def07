"""Local search: exchanges while they improve, and perturbations of local optima.

A round climbs to a selection that no exchange of one chosen item improves, and perturbs
it: items are dropped at random or along a random walk, others added by noisy gains.
"""

from __future__ import annotations

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.thatch._kernels.selections import ChangingSelection
else:
    from thatch._kernels.selections import ChangingSelection


# A perturbation reduces every gain by a random share of itself, up to this.
NOISE = cython.declare(cython.double, 0.8)


@cython.final
@cython.cclass
class Search(ChangingSelection):
    """A selection that also knows the gain of each item.

    The gain of an item outside is the weight that it would add; of an item inside, the
    weight that would be lost without it.
    """

    chosen: cython.char[::1]
    # Whether a change of a neighbor may have made an exchange of the item useful.
    is_due: cython.char[::1]
    gain: cython.double[::1]
    waiting: cython.int[::1]
    added: cython.int[::1]
    # Results of `_look`.
    most_gain: cython.Py_ssize_t
    most_per_cost: cython.Py_ssize_t
    largest_ratio: cython.double
    best_value: cython.double
    stalled = cython.declare(cython.Py_ssize_t, visibility="public")

    def __init__(
        self,
        *searched: object,
        budget: cython.double,
        bits: cython.ulonglong,
        tolerance: cython.double,
    ) -> None:
        """Start from the selection marked in `best`; see `ChangingSelection`.

        Values closer than the tolerance are equal.
        """
        ChangingSelection.__init__(self, *searched, budget=budget, bits=bits)
        self.tolerance = tolerance
        self.stalled = 0
        num_items = self.c.shape[0]
        self.chosen = np.zeros(num_items, dtype=np.int8)
        self.is_due = np.ones(num_items, dtype=np.int8)
        self.gain = np.zeros(num_items)
        self.waiting, self.added = np.zeros((2, num_items), dtype=np.int32)

    def search(
        self,
        rounds: cython.Py_ssize_t,
        noise: cython.double,
        max_work: cython.longlong,
    ) -> cython.longlong:
        """Complete with noise; then climb and perturb in rounds; return the work done.

        Work is items and edges looked at. The search pauses at `max_work`, even within
        a climb; `stalled` counts the last rounds that found nothing better.
        """
        t: cython.Py_ssize_t = 0
        self.work_left = max_work
        with cython.nogil:
            self._remake()
            self.best_value = self.value
            self._complete(noise)
            while t < rounds and self.work_left > 0:
                if t > 0:
                    self._perturb()
                self._climb()
                self._compare()
                t += 1
        return max_work - self.work_left

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _remake(self) -> cython.void:
        """Return to the best selection, recomputing sums so that errors do not grow."""
        self.value = 0.0
        self.spent = 0.0
        self.num_chosen = 0
        for a in range(self.w.shape[0]):
            self.counts[a] = 0
            self.owner[a] = 0
        for i in range(self.c.shape[0]):
            if self.group.shape[0] and self.chosen[i]:
                self.room[self.group[i]] += 1
            self.chosen[i] = 0
            self.gain[i] = 0.0
            for e in range(self.item_start[i], self.item_start[i + 1]):
                self.gain[i] += self.w[self.item_elements[e]]
        for i in range(self.c.shape[0]):
            self.is_due[i] = 1
            if self.best[i]:
                self._flip(i)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _flip(self, i: cython.Py_ssize_t) -> cython.void:
        """Add or remove item i; its own gain does not change."""
        own: cython.double = self.gain[i]
        step: cython.int = self._move(i)
        self.value += step * own
        self.chosen[i] = 1 - self.chosen[i]
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            loss = step * self.w[a]
            if step < 0:
                self.counts[a] -= 1
                self.owner[a] ^= i
            if self.counts[a] == 0:
                self.work_left -= self.element_start[a + 1] - self.element_start[a]
                for f in range(self.element_start[a], self.element_start[a + 1]):
                    self.gain[self.element_items[f]] -= loss
            elif self.counts[a] == 1:
                self.gain[self.owner[a]] -= loss
            if step > 0:
                self.counts[a] += 1
                self.owner[a] ^= i
        self.work_left -= self.item_start[i + 1] - self.item_start[i]
        self.gain[i] = own

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _mark_neighbors(self, i: cython.Py_ssize_t) -> cython.void:
        """Mark the neighbors of item i, which has changed, as due for an exchange."""
        self.is_due[i] = 1
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            # An element covered more often is part of no gain.
            if self.counts[a] <= 2:
                self.work_left -= self.element_start[a + 1] - self.element_start[a]
                for f in range(self.element_start[a], self.element_start[a + 1]):
                    self.is_due[self.element_items[f]] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _look(self, noise: cython.double, banned: cython.Py_ssize_t) -> cython.void:
        """Find the items that fit of largest gain and gain per cost; -1 if none."""
        room: cython.double = self.budget - self.spent
        is_grouped: cython.bint = self.group.shape[0] > 0
        largest: cython.double = 0.0
        self.most_gain = self.most_per_cost = -1
        self.largest_ratio = 0.0
        self.work_left -= self.c.shape[0] - self.num_chosen
        for k in range(self.num_chosen, self.c.shape[0]):
            i = self.order[k]
            merit = self.gain[i]
            if merit <= self.tolerance or self.c[i] > room or i == banned:
                continue
            if is_grouped and self.room[self.group[i]] <= 0:
                continue
            if noise > 0.0:
                merit = merit * (1.0 - noise * self._below(1 << 30) * 2.0**-30)
            if merit > largest:
                largest = merit
                self.most_gain = i
            merit = merit * self.per_cost[i]
            if merit > self.largest_ratio:
                self.largest_ratio = merit
                self.most_per_cost = i

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _complete(self, noise: cython.double) -> cython.void:
        """Add items by gain per cost until none fits or gains."""
        self._look(noise, -1)
        while self.most_per_cost >= 0:
            self._flip(self.most_per_cost)
            self._mark_neighbors(self.most_per_cost)
            self._look(noise, -1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _climb(self) -> cython.void:
        """Complete the selection; exchange single items while that improves it."""
        before: cython.double = -1.0
        self._complete(0.0)
        while self.value > before + self.tolerance and self.work_left > 0:
            before = self.value
            count = self._shuffle_due()
            for k in range(count):
                i = self.waiting[k]
                if self.chosen[i] and self.is_due[i] and self.work_left > 0:
                    self.is_due[i] = 0
                    self._replace(i)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _replace(self, i: cython.Py_ssize_t) -> cython.void:
        """Drop item i and complete, starting with another; undo if that is worse."""
        before: cython.double = self.value
        self._flip(i)
        self._look(0.0, i)
        by_ratio = self.most_per_cost
        if by_ratio >= 0 and self._can_reach(before):
            if self._complete_from(self.most_gain, True, before) or (
                self._complete_from(by_ratio, False, before)
            ):
                self._mark_neighbors(i)
                self._complete(0.0)
                return
        self._flip(i)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _can_reach(self, value: cython.double) -> cython.bint:
        """Whether the remaining budget at the largest ratio could reach the value."""
        room: cython.double = self.budget - self.spent
        return self.value + room * self.largest_ratio >= value - self.tolerance

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _complete_from(
        self, first: cython.Py_ssize_t, by_gain: cython.bint, before: cython.double
    ) -> cython.bint:
        """Add items while the former value can be reached; undo if it is not."""
        j: cython.Py_ssize_t = first
        num_added: cython.Py_ssize_t = 0
        while j >= 0:
            self._flip(j)
            self.added[num_added] = j
            num_added += 1
            self._look(0.0, -1)
            if not self._can_reach(before):
                break
            j = self.most_gain if by_gain else self.most_per_cost
        if self.value >= before - self.tolerance:
            for k in range(num_added):
                self._mark_neighbors(self.added[k])
            return True
        for k in range(num_added):
            self._flip(self.added[k])
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _compare(self) -> cython.void:
        """Keep the selection if it is as good as the best, else return to the best."""
        self.stalled += 1
        if self.value > self.best_value + self.tolerance:
            self.stalled = 0
        if self.value >= self.best_value - self.tolerance:
            self.best_value = self.value
            self._mark()
        else:
            for i in range(self.c.shape[0]):
                if self.chosen[i] != self.best[i]:
                    self._flip(i)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _perturb(self) -> cython.void:
        """Drop a few items, anywhere or along a random walk; complete with noise."""
        drops: cython.Py_ssize_t = min(3 + self._below(14), self.num_chosen)
        if self._below(2) == 0:
            for k in range(drops):
                i = self.order[self._below(self.num_chosen)]
                self._flip(i)
                self._mark_neighbors(i)
        elif drops > 0:
            i = self.order[self._below(self.num_chosen)]
            for k in range(20 * drops):
                if self.chosen[i]:
                    self._flip(i)
                    self._mark_neighbors(i)
                    drops -= 1
                if drops == 0 or self.item_start[i] == self.item_start[i + 1]:
                    break
                degree = self.item_start[i + 1] - self.item_start[i]
                a = self.item_elements[self.item_start[i] + self._below(degree)]
                degree = self.element_start[a + 1] - self.element_start[a]
                i = self.element_items[self.element_start[a] + self._below(degree)]
        self._complete(NOISE)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _shuffle_due(self) -> cython.Py_ssize_t:
        """Put the chosen items that are due into `waiting`, shuffled; how many."""
        count: cython.Py_ssize_t = 0
        for k in range(self.num_chosen):
            if self.is_due[self.order[k]]:
                j = self._below(count + 1)
                self.waiting[count] = self.waiting[j]
                self.waiting[j] = self.order[k]
                count += 1
        return count
