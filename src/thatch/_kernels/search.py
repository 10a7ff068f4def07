"""Local search: exchanges while they help, and kicks out of dead ends."""

from __future__ import annotations

import cython
import numpy as np

ALL_BITS = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


@cython.cclass
class Search:
    """A selection that changes, with cover counts, gains and cost kept up to date.

    The gain of an item outside is the weight it would add; of an item inside, the
    weight that it alone covers and that would go with it. An element that one item
    covers knows which: the exclusive or of its chosen items is then that item.
    """

    c: cython.const[cython.double][::1]
    w: cython.const[cython.double][::1]
    item_start: cython.const[cython.longlong][::1]
    item_elements: cython.const[cython.int][::1]
    element_start: cython.const[cython.longlong][::1]
    element_items: cython.const[cython.int][::1]
    chosen: cython.char[::1]
    best: cython.char[::1]
    counts: cython.int[::1]
    owner: cython.int[::1]
    gain: cython.double[::1]
    order: cython.int[::1]
    added: cython.int[::1]
    budget: cython.double
    spent: cython.double
    value: cython.double
    best_value: cython.double
    tolerance: cython.double
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
        budget: cython.double,
        tolerance: cython.double,
        bits: cython.ulonglong,
        best: cython.char[::1],
    ) -> None:
        """Search from the selection marked in `best`, which keeps the best found.

        Values that differ by less than the tolerance count as equal. `bits` seed the
        random choices and must not be 0.
        """
        self.c = c
        self.w = w
        self.item_start = item_start
        self.item_elements = item_elements
        self.element_start = element_start
        self.element_items = element_items
        self.budget = budget
        self.tolerance = tolerance
        self.bits = bits
        self.best = best
        self.best_value = -1.0
        self.chosen = np.zeros(c.shape[0], dtype=np.int8)
        self.counts = np.zeros(w.shape[0], dtype=np.int32)
        self.owner = np.zeros(w.shape[0], dtype=np.int32)
        self.gain = np.zeros(c.shape[0])
        self.order = np.zeros(c.shape[0], dtype=np.int32)
        self.added = np.zeros(c.shape[0], dtype=np.int32)

    def search(
        self, rounds: cython.Py_ssize_t, max_work: cython.longlong
    ) -> cython.Py_ssize_t:
        """Climb, keep the best, kick; so often. How many rounds were finished.

        The search pauses early after looking at `max_work` items, even in mid-climb.
        All that is kept up to date is made anew first: rounding must not pile up.
        """
        t: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        self.work_left = max_work
        with cython.nogil:
            self._restart()
            while t < rounds and self.work_left > 0:
                self._climb()
                if self.value > self.best_value + self.tolerance:
                    self.best_value = self.value
                    for i in range(self.c.shape[0]):
                        self.best[i] = self.chosen[i]
                elif self.value < self.best_value - self.tolerance:
                    for i in range(self.c.shape[0]):
                        if self.chosen[i] != self.best[i]:
                            self._flip(i)
                if self.work_left > 0:
                    t += 1
                    self._kick(2 + self._below(6))
        return t

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _restart(self) -> cython.void:
        i: cython.Py_ssize_t
        a: cython.Py_ssize_t
        e: cython.Py_ssize_t
        self.value = 0.0
        self.spent = 0.0
        for a in range(self.w.shape[0]):
            self.counts[a] = 0
            self.owner[a] = 0
        for i in range(self.c.shape[0]):
            self.chosen[i] = 0
            self.gain[i] = 0.0
            for e in range(self.item_start[i], self.item_start[i + 1]):
                self.gain[i] += self.w[self.item_elements[e]]
        for i in range(self.c.shape[0]):
            if self.best[i]:
                self._flip(i)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _flip(self, i: cython.Py_ssize_t) -> cython.void:
        """Take item i in or out; its own gain is the same before and after."""
        a: cython.Py_ssize_t
        e: cython.Py_ssize_t
        f: cython.Py_ssize_t
        step: cython.int = -1 if self.chosen[i] else 1
        own: cython.double = self.gain[i]
        self.value += step * own
        self.spent += step * self.c[i]
        self.chosen[i] = 1 - self.chosen[i]
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            if step < 0:
                self.counts[a] -= 1
                self.owner[a] ^= i
            if self.counts[a] == 0:
                for f in range(self.element_start[a], self.element_start[a + 1]):
                    self.gain[self.element_items[f]] -= step * self.w[a]
            elif self.counts[a] == 1:
                self.gain[self.owner[a]] -= step * self.w[a]
            if step > 0:
                self.counts[a] += 1
                self.owner[a] ^= i
        self.gain[i] = own

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _climb(self) -> cython.void:
        """Fill the budget; drop single items and refill while that gains anything."""
        k: cython.Py_ssize_t
        num_chosen: cython.Py_ssize_t
        improved: cython.bint = True
        self._fill(0.0)
        while improved:
            improved = False
            num_chosen = self._shuffle_chosen()
            for k in range(num_chosen):
                if self._replace(self.order[k], True) or self._replace(
                    self.order[k], False
                ):
                    improved = True
                if self.work_left <= 0:
                    return

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _replace(self, i: cython.Py_ssize_t, by_gain: cython.bint) -> cython.bint:
        """Drop item i and refill with others first; undo it unless that is better."""
        k: cython.Py_ssize_t
        num_added: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t
        before: cython.double = self.value
        if not self.chosen[i]:
            return False
        self._flip(i)
        j = self._most_worthwhile(by_gain, 0.0, i)
        while j >= 0:
            self._flip(j)
            self.added[num_added] = j
            num_added += 1
            j = self._most_worthwhile(by_gain, 0.0, -1)
        if self.value > before + self.tolerance:
            return True
        for k in range(num_added):
            self._flip(self.added[k])
        if not self.chosen[i]:
            self._flip(i)
        return False

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _kick(self, count: cython.Py_ssize_t) -> cython.void:
        """Drop so many random items, and refill with some randomness."""
        k: cython.Py_ssize_t
        num_chosen: cython.Py_ssize_t = self._shuffle_chosen()
        for k in range(min(count, num_chosen)):
            self._flip(self.order[k])
        self._fill(0.6)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _fill(self, noise: cython.double) -> cython.void:
        """Add items by gain per cost until none fits or gains."""
        i: cython.Py_ssize_t = self._most_worthwhile(False, noise, -1)
        while i >= 0:
            self._flip(i)
            i = self._most_worthwhile(False, noise, -1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _most_worthwhile(
        self, by_gain: cython.bint, noise: cython.double, banned: cython.Py_ssize_t
    ) -> cython.Py_ssize_t:
        """Item of largest gain, or gain per cost, that fits; -1 if none does."""
        i: cython.Py_ssize_t
        found: cython.Py_ssize_t = -1
        room: cython.double = self.budget - self.spent
        merit: cython.double
        largest: cython.double = 0.0
        self.work_left -= self.c.shape[0]
        for i in range(self.c.shape[0]):
            if self.chosen[i] or self.c[i] > room or i == banned:
                continue
            if self.gain[i] <= self.tolerance:
                continue
            merit = self.gain[i]
            if not by_gain:
                merit = merit / max(self.c[i], 1e-300)
            if noise > 0.0:
                merit = merit * (1.0 - noise * self._uniform())
            if merit > largest:
                largest = merit
                found = i
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _shuffle_chosen(self) -> cython.Py_ssize_t:
        """Put the chosen items into `order`, at random; how many there are."""
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        count: cython.Py_ssize_t = 0
        for i in range(self.c.shape[0]):
            if self.chosen[i]:
                j = self._below(count + 1)
                self.order[count] = self.order[j]
                self.order[j] = i
                count += 1
        return count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _next_bits(self) -> cython.ulonglong:
        """64 random bits by Marsaglia's xorshift."""
        self.bits ^= (self.bits << 13) & ALL_BITS
        self.bits ^= self.bits >> 7
        self.bits ^= (self.bits << 17) & ALL_BITS
        return self.bits

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _below(self, count: cython.Py_ssize_t) -> cython.Py_ssize_t:
        return (self._next_bits() >> 33) % count

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _uniform(self) -> cython.double:
        return (self._next_bits() >> 11) * 2.0**-53
