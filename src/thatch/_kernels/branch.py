"""Branch and bound over the selections that may still be better than the incumbent.

At multipliers lam_a and price mu, with the reduced profit s_i = sum of the multipliers
of i less mu c_i, the value of a selection within the budget K is below the bound by

    |s_i| for every item decided against the sign of s_i,
    lam_a for every chosen item of an element beyond the first,
    w_a - lam_a for every element that is not covered,
    mu for every unit of the budget that is not spent.

All are >= 0, so that a branch ends once they exceed the slack. Items of the largest
|s_i| are decided first.
"""

from __future__ import annotations

import cython
import numpy as np


@cython.cclass
class Branch:
    """A depth-first search over the items, each taken or left out."""

    c: cython.const[cython.double][::1]
    w: cython.const[cython.double][::1]
    item_start: cython.const[cython.longlong][::1]
    item_elements: cython.const[cython.int][::1]
    lam: cython.const[cython.double][::1]
    s: cython.const[cython.double][::1]
    order: cython.const[cython.longlong][::1]
    # Cost of the items from each depth on.
    cost_ahead: cython.double[::1]
    counts: cython.int[::1]
    undecided: cython.int[::1]
    chosen: cython.char[::1]
    best: cython.char[::1]
    K: cython.double
    sure_K: cython.double
    mu: cython.double
    slack: cython.double
    least_gain: cython.double
    nodes_left: cython.longlong
    is_incomplete: cython.bint
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
        """Search at these multipliers and this price; `best` marks the result."""
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
        slack: cython.double,
        least_gain: cython.double,
        max_nodes: cython.longlong,
    ) -> tuple[int, bool, bool]:
        """Mark the best selection that loses no more than `slack`.

        A better one must lose less by `least_gain`. Costs above `sure_K` and up to K
        are too close to the budget to decide: such a selection is skipped, and the
        search is not complete. Returns how many of `max_nodes` are left, 0 if the
        search did not end, whether it was complete, and whether it found a selection.
        """
        self.K = K
        self.sure_K = sure_K
        self.slack = slack
        self.least_gain = least_gain
        self.nodes_left = max_nodes
        self.is_incomplete = False
        self.is_found = False
        with cython.nogil:
            self._decide(0, 0.0, 0.0)
        return max(0, self.nodes_left), not self.is_incomplete, bool(self.is_found)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _decide(
        self, d: cython.Py_ssize_t, lost: cython.double, cost: cython.double
    ) -> cython.void:
        """Decide item d of the order, given what is lost and spent so far."""
        unspent: cython.double = self.K - cost - self.cost_ahead[d]
        i: cython.Py_ssize_t
        self.nodes_left -= 1
        if unspent > 0.0 and lost + self.mu * unspent > self.slack:
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
            self.is_incomplete = True
            return
        self.is_found = True
        self.slack = lost - self.least_gain
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
        if cost + self.c[i] > self.K or lost > self.slack:
            return
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            if self.counts[a] > 0:
                lost += self.lam[a]
            self.counts[a] += 1
            self.undecided[a] -= 1
        if lost <= self.slack:
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
        if lost > self.slack:
            return
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            self.undecided[a] -= 1
            if self.undecided[a] == 0 and self.counts[a] == 0:
                lost += self.w[a] - self.lam[a]
        if lost <= self.slack:
            self._decide(d + 1, lost, cost)
        for e in range(self.item_start[i], self.item_start[i + 1]):
            self.undecided[self.item_elements[e]] += 1
