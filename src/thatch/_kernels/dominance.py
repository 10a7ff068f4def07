"""Items and elements that a cover of all elements can do without, step by step.

    item j is replaced by item i      if E_j <= E_i and c_j >= c_i,
    element b is implied by element a if I_a <= I_b,
    item i is taken                   if I_a = {i} for some a,

where E_i are the elements of item i that are left, and I_a the items of element a. Each
step shortens lists, and only what has a shorter list is looked at again.
"""

from __future__ import annotations

import cython
import numpy as np

# Elements of more items imply others too rarely to look for them.
MOST_ITEMS = 32


@cython.final
@cython.cclass
class Lists:
    """Sorted lists of numbers that become shorter, and vanish."""

    start: cython.const[cython.longlong][::1]
    end: cython.longlong[::1]
    members: cython.int[::1]
    is_left: cython.char[::1]
    # One bit for each of 61 groups of members: they exclude most pairs at once.
    bits: cython.longlong[::1]
    # Lists that are shorter than when they were last looked at.
    waiting: cython.int[::1]
    num_waiting: cython.Py_ssize_t
    is_waiting: cython.char[::1]

    def __init__(
        self,
        start: cython.const[cython.longlong][::1],
        members: cython.const[cython.int][::1],
    ) -> None:
        """Copy all lists, which begin at these positions."""
        size = start.shape[0] - 1
        self.start = start
        self.end = np.array(start[1:])
        self.members = np.array(members)
        self.is_left = np.ones(size, dtype=np.int8)
        self.bits = np.zeros(size, dtype=np.int64)
        self.waiting = np.zeros(size, dtype=np.int32)
        self.is_waiting = np.zeros(size, dtype=np.int8)
        self.num_waiting = 0
        for k in range(size):
            self._sign(k)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _sign(self, k: cython.Py_ssize_t) -> cython.void:
        one: cython.longlong = 1
        bits: cython.longlong = 0
        for e in range(self.start[k], self.end[k]):
            bits |= one << (self.members[e] % 61)
        self.bits[k] = bits

    @cython.cfunc
    @cython.exceptval(check=False)
    def size_of(self, k: cython.Py_ssize_t) -> cython.longlong:
        return self.end[k] - self.start[k]

    @cython.cfunc
    @cython.exceptval(check=False)
    def wait(self, k: cython.Py_ssize_t) -> cython.void:
        """Look at a list again later."""
        if self.is_left[k] and not self.is_waiting[k]:
            self.is_waiting[k] = 1
            self.waiting[self.num_waiting] = k
            self.num_waiting += 1

    @cython.cfunc
    @cython.exceptval(check=False)
    def shorten(self, k: cython.Py_ssize_t, other: Lists) -> cython.void:
        """Drop the members that are not left."""
        end: cython.longlong = self.start[k]
        for e in range(self.start[k], self.end[k]):
            if other.is_left[self.members[e]]:
                self.members[end] = self.members[e]
                end += 1
        self.end[k] = end
        self._sign(k)

    @cython.cfunc
    @cython.exceptval(check=False)
    def shortest(self, other: Lists, k: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The shortest of these lists among the members of another one."""
        found: cython.Py_ssize_t = other.members[other.start[k]]
        for e in range(other.start[k] + 1, other.end[k]):
            if self.size_of(other.members[e]) < self.size_of(found):
                found = other.members[e]
        return found

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_within(
        self, k: cython.Py_ssize_t, m: cython.Py_ssize_t, steps: cython.longlong[::1]
    ) -> cython.bint:
        """Whether all members of list k are in list m."""
        e: cython.longlong = self.start[k]
        f: cython.longlong = self.start[m]
        end_of_k: cython.longlong = self.end[k]
        end_of_m: cython.longlong = self.end[m]
        if self.bits[k] & ~self.bits[m]:
            return False
        if end_of_m - f > 16 * (end_of_k - e):
            return self._is_found(k, m, steps)
        while e < end_of_k:
            # The rest of m must be at least as long as the rest of k.
            if end_of_m - f < end_of_k - e or self.members[f] > self.members[e]:
                break
            if self.members[f] == self.members[e]:
                e += 1
            f += 1
        steps[0] += f - self.start[m]
        return e == end_of_k

    @cython.cfunc
    @cython.exceptval(check=False)
    def _is_found(
        self, k: cython.Py_ssize_t, m: cython.Py_ssize_t, steps: cython.longlong[::1]
    ) -> cython.bint:
        """Whether a search by halves finds all members of list k in list m."""
        low: cython.longlong = self.start[m]
        for e in range(self.start[k], self.end[k]):
            high: cython.longlong = self.end[m]
            while low < high:
                steps[0] += 1
                middle = (low + high) // 2
                if self.members[middle] < self.members[e]:
                    low = middle + 1
                else:
                    high = middle
            if low == self.end[m] or self.members[low] != self.members[e]:
                return False
        return True


@cython.final
@cython.cclass
class Dominance:
    """A problem of covering all elements that becomes smaller."""

    c: cython.const[cython.double][::1]
    items: Lists
    elements: Lists
    # What replaces an item, or implies an element; -1 for none.
    by: cython.int[::1]
    implied_by: cython.int[::1]
    is_taken: cython.char[::1]
    # Comparisons so far.
    steps: cython.longlong[::1]

    def __init__(self, c: cython.const[cython.double][::1], edges: object) -> None:
        """Look at all elements first, and only later at items."""
        self.c = c
        self.items = Lists(edges.item_start, edges.item_elements)
        self.elements = Lists(edges.element_start, edges.element_items)
        self.by = np.full(c.shape[0], -1, dtype=np.int32)
        self.implied_by = np.full(edges.num_elements, -1, dtype=np.int32)
        self.is_taken = np.zeros(c.shape[0], dtype=np.int8)
        self.steps = np.zeros(1, dtype=np.int64)
        for a in range(self.elements.end.shape[0]):
            self.elements.wait(a)

    @property
    def num_steps(self) -> int:
        """Comparisons so far."""
        return self.steps[0]

    @property
    def left(self) -> tuple:
        """Marks of the items and of the elements that are left."""
        return np.asarray(self.items.is_left), np.asarray(self.elements.is_left)

    def take(self) -> list:
        """Take the items that alone cover an element; return them."""
        i: cython.Py_ssize_t
        a: cython.Py_ssize_t
        found = []
        for k in range(self.elements.num_waiting):
            a = self.elements.waiting[k]
            if self.elements.is_left[a] and self.elements.size_of(a) == 1:
                i = self.elements.members[self.elements.start[a]]
                if not self.is_taken[i]:
                    self.is_taken[i] = 1
                    found.append(i)
        covered = []
        for i in found:
            self.items.is_left[i] = 0
            for e in range(self.items.start[i], self.items.end[i]):
                a = self.items.members[e]
                if self.elements.is_left[a]:
                    self.elements.is_left[a] = 0
                    covered.append(a)
        self._shorten_items(covered)
        return found

    def imply(self, max_steps: cython.longlong) -> list:
        """Drop elements that others imply; return pairs of both.

        The search ends after `max_steps` comparisons, or earlier if it finds little.
        """
        found = []
        first = self.steps[0]
        enough = max_steps // 8
        for k in range(self.elements.num_waiting):
            a = self.elements.waiting[k]
            self.elements.is_waiting[a] = 0
            done = self.steps[0] - first
            if done > max_steps or (done > enough and 1000 * len(found) < k):
                continue
            size = self.elements.size_of(a)
            if not self.elements.is_left[a] or size > MOST_ITEMS:
                continue
            i = self.items.shortest(self.elements, a)
            self.steps[0] += self.items.size_of(i)
            for e in range(self.items.start[i], self.items.end[i]):
                b = self.items.members[e]
                if b == a or not self.elements.is_left[b]:
                    continue
                excess = self.elements.size_of(b) - size
                if excess < 0 or (excess == 0 and b < a):
                    continue
                if self.elements.is_within(a, b, self.steps):
                    self.elements.is_left[b] = 0
                    self.implied_by[b] = a
                    found.append(b)
        self.elements.num_waiting = 0
        self._shorten_items(found)
        return self._pairs(found, self.implied_by)

    def leave_out(self, max_steps: cython.longlong) -> list:
        """Leave out items that others replace; return pairs of both."""
        j: cython.Py_ssize_t
        found = []
        first = self.steps[0]
        for k in range(self.items.num_waiting):
            j = self.items.waiting[k]
            self.items.is_waiting[j] = 0
            if not self.items.is_left[j] or self.steps[0] - first > max_steps:
                continue
            if self.items.size_of(j) == 0:
                self.items.is_left[j] = 0
                continue
            a = self.elements.shortest(self.items, j)
            self.steps[0] += self.elements.size_of(a)
            for e in range(self.elements.start[a], self.elements.end[a]):
                i = self.elements.members[e]
                if i == j or not self.items.is_left[i] or not self._is_as_good(i, j):
                    continue
                if self.items.is_within(j, i, self.steps):
                    self.items.is_left[j] = 0
                    self.by[j] = i
                    found.append(j)
                    break
        self.items.num_waiting = 0
        for j in found:
            for e in range(self.items.start[j], self.items.end[j]):
                self.elements.wait(self.items.members[e])
        for k in range(self.elements.num_waiting):
            self.elements.shorten(self.elements.waiting[k], self.items)
        return self._pairs(found, self.by)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _is_as_good(self, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
        """Whether i costs no more than j and covers as many; of equals, the lower."""
        excess: cython.longlong = self.items.size_of(i) - self.items.size_of(j)
        if excess < 0 or self.c[i] > self.c[j]:
            return False
        return excess > 0 or self.c[i] < self.c[j] or i < j

    def _shorten_items(self, elements: list) -> None:
        """Look at the items of elements that are not left again."""
        a: cython.Py_ssize_t
        for a in elements:
            for e in range(self.elements.start[a], self.elements.end[a]):
                self.items.wait(self.elements.members[e])
        for k in range(self.items.num_waiting):
            self.items.shorten(self.items.waiting[k], self.elements)

    def _pairs(self, found: list, by: cython.int[::1]) -> list:
        """What was dropped, and what stands for it at the end of each chain."""
        pairs = []
        k: cython.Py_ssize_t
        for k in found:
            end: cython.Py_ssize_t = by[k]
            while by[end] >= 0:
                end = by[end]
            pairs.append((k, end))
        return pairs
