"""Every selection that may still be better, by what it gives away of a dual bound.

At charges lam_a and price mu, with s_i = sum of the charges of i less mu c_i, a
selection within the budget K falls short of the bound B by exactly

    |s_i| for every item decided against the sign of s_i,
    lam_a for every chosen item of an element beyond the first,
    w_a - lam_a for every element that is not covered,
    mu for every unit of the budget that is not spent.

All are >= 0, so that a branch ends once they exceed what may be given away. An item is
taken or left, those with the most to lose first.
"""

from __future__ import annotations

import cython
import numpy as np


@cython.cclass
class Branch:
    """A search through all decisions, one item after the other."""

    c: cython.const[cython.double][::1]
    w: cython.const[cython.double][::1]
    item_start: cython.const[cython.longlong][::1]
    item_elements: cython.const[cython.int][::1]
    lam: cython.const[cython.double][::1]
    s: cython.const[cython.double][::1]
    order: cython.const[cython.longlong][::1]
    # Cost of the items from here on, in that order.
    cost_ahead: cython.double[::1]
    counts: cython.int[::1]
    undecided: cython.int[::1]
    chosen: cython.char[::1]
    best: cython.char[::1]
    K: cython.double
    sure_K: cython.double
    mu: cython.double
    to_lose: cython.double
    least_gain: cython.double
    nodes_left: cython.longlong
    is_unclear: cython.bint
    is_found: cython.bint

    def __init__(
        self,
        c: cython.const[cython.double][::1],
        w: cython.const[cython.double][::1],
        item_start: cython.const[cython.longlong][::1],
        item_elements: cython.const[cython.int][::1],
        lam: cython.const[cython.double][::1],
        s: cython.const[cython.double][::1],
        mu: cython.double,
        order: cython.const[cython.longlong][::1],
        best: cython.char[::1],
    ) -> None:
        """Search at these charges and this price; `best` will mark what is found."""
        self.c = c
        self.w = w
        self.item_start = item_start
        self.item_elements = item_elements
        self.lam = lam
        self.s = s
        self.mu = mu
        self.order = order
        self.best = best
        ahead = np.zeros(c.shape[0] + 1)
        ahead[:-1] = np.cumsum(np.asarray(c)[order][::-1])[::-1]
        self.cost_ahead = ahead
        self.counts = np.zeros(w.shape[0], dtype=np.int32)
        self.undecided = np.bincount(item_elements, minlength=w.shape[0]).astype(
            "int32"
        )
        self.chosen = np.zeros(c.shape[0], dtype=np.int8)

    def search(
        self,
        K: cython.double,
        sure_K: cython.double,
        to_lose: cython.double,
        least_gain: cython.double,
        max_nodes: cython.longlong,
    ) -> tuple[int, bool, bool]:
        """Mark the best selection that gives away no more than `to_lose`.

        A better one must give away less by `least_gain`. Costs above `sure_K` and up to
        K are too close to the budget to decide: such a selection is not taken, and the
        search is unclear. Answers how many of `max_nodes` are left, none if the search
        did not end, whether it was clear, and whether it found a selection.
        """
        self.K = K
        self.sure_K = sure_K
        self.to_lose = to_lose
        self.least_gain = least_gain
        self.nodes_left = max_nodes
        self.is_unclear = False
        self.is_found = False
        with cython.nogil:
            self._decide(0, 0.0, 0.0)
        return max(0, self.nodes_left), not self.is_unclear, bool(self.is_found)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _decide(
        self, d: cython.Py_ssize_t, lost: cython.double, cost: cython.double
    ) -> cython.void:
        """Decide item number d of the order, having lost and spent so much."""
        unspent: cython.double = self.K - cost - self.cost_ahead[d]
        i: cython.Py_ssize_t
        self.nodes_left -= 1
        if unspent > 0.0 and lost + self.mu * unspent > self.to_lose:
            return
        if self.nodes_left <= 0:
            return
        if d == self.c.shape[0]:
            self._arrive(lost + self.mu * unspent, cost)
            return
        i = self.order[d]
        if self.s[i] > 0.0:
            self._take(d, i, lost, cost)
            self._leave(d, i, lost + self.s[i], cost)
        else:
            self._leave(d, i, lost, cost)
            self._take(d, i, lost - self.s[i], cost)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _arrive(self, lost: cython.double, cost: cython.double) -> cython.void:
        i: cython.Py_ssize_t
        if cost > self.sure_K:
            self.is_unclear = True
            return
        self.is_found = True
        self.to_lose = lost - self.least_gain
        for i in range(self.c.shape[0]):
            self.best[i] = self.chosen[i]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _take(
        self,
        d: cython.Py_ssize_t,
        i: cython.Py_ssize_t,
        lost: cython.double,
        cost: cython.double,
    ) -> cython.void:
        e: cython.Py_ssize_t
        a: cython.Py_ssize_t
        if cost + self.c[i] > self.K or lost > self.to_lose:
            return
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            if self.counts[a] > 0:
                lost += self.lam[a]
            self.counts[a] += 1
            self.undecided[a] -= 1
        if lost <= self.to_lose:
            self.chosen[i] = 1
            self._decide(d + 1, lost, cost + self.c[i])
            self.chosen[i] = 0
        for e in range(self.item_start[i], self.item_start[i + 1]):
            self.counts[self.item_elements[e]] -= 1
            self.undecided[self.item_elements[e]] += 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _leave(
        self,
        d: cython.Py_ssize_t,
        i: cython.Py_ssize_t,
        lost: cython.double,
        cost: cython.double,
    ) -> cython.void:
        e: cython.Py_ssize_t
        a: cython.Py_ssize_t
        if lost > self.to_lose:
            return
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            self.undecided[a] -= 1
            if self.undecided[a] == 0 and self.counts[a] == 0:
                lost += self.w[a] - self.lam[a]
        if lost <= self.to_lose:
            self._decide(d + 1, lost, cost)
        for e in range(self.item_start[i], self.item_start[i + 1]):
            self.undecided[self.item_elements[e]] += 1
