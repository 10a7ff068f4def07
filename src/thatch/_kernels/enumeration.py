"""Selections one after another: all within a component, or by branch and bound.

Branch and bound visits the selections that may still be better than the incumbent.
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

# State of an item in `try_all`: not tried yet, inside the selection, outside.
UNTRIED = cython.declare(cython.char, 0)
INSIDE = cython.declare(cython.char, 1)
OUTSIDE = cython.declare(cython.char, 2)


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _enter(
    i: cython.Py_ssize_t,
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    counts: cython.int[::1],
) -> cython.double:
    """Count the covers of item i; return the newly covered weight."""
    e: cython.Py_ssize_t
    gain: cython.double = 0.0
    for e in range(item_start[i], item_start[i + 1]):
        if counts[item_elements[e]] == 0:
            gain += w[item_elements[e]]
        counts[item_elements[e]] += 1
    return gain


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def _leave(
    i: cython.Py_ssize_t,
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    counts: cython.int[::1],
) -> cython.void:
    e: cython.Py_ssize_t
    for e in range(item_start[i], item_start[i + 1]):
        counts[item_elements[e]] -= 1


def try_all(
    members: cython.const[cython.longlong][::1],
    component_start: cython.const[cython.longlong][::1],
    c: cython.const[cython.double][::1],
    budget: cython.double,
    w: cython.const[cython.double][::1],
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    costs: cython.double[::1],
    values: cython.double[::1],
    choices: cython.int[::1],
    point_start: cython.longlong[::1],
) -> None:
    """Cost and value of every useful selection within each component.

    Bit k of a choice is the k-th member of the component. Selections that exceed the
    budget are skipped, as are those in which an item adds nothing to the ones before.
    """
    p: cython.Py_ssize_t
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t = 0
    gain: cython.double
    counts: cython.int[::1] = np.zeros(w.shape[0], dtype=np.int32)
    cost: cython.double[::1] = np.zeros(32)
    value: cython.double[::1] = np.zeros(32)
    choice: cython.int[::1] = np.zeros(32, dtype=np.int32)
    state: cython.char[::1] = np.zeros(32, dtype=np.int8)
    for p in range(component_start.shape[0] - 1):
        point_start[p] = end
        d = 0
        state[0] = UNTRIED
        while d >= 0:
            if component_start[p] + d == component_start[p + 1]:
                costs[end] = cost[d]
                values[end] = value[d]
                choices[end] = choice[d]
                end += 1
                state[d] = OUTSIDE
            if state[d] == OUTSIDE:
                d -= 1
                continue
            i = members[component_start[p] + d]
            gain = 0.0
            if state[d] == UNTRIED and cost[d] + c[i] <= budget:
                gain = _enter(i, w, item_start, item_elements, counts)
                state[d] = INSIDE
            if gain > 0.0:
                cost[d + 1] = cost[d] + c[i]
                choice[d + 1] = choice[d] | (1 << d)
            else:
                if state[d] == INSIDE:
                    _leave(i, item_start, item_elements, counts)
                state[d] = OUTSIDE
                cost[d + 1] = cost[d]
                choice[d + 1] = choice[d]
            value[d + 1] = value[d] + gain
            d += 1
            state[d] = UNTRIED
    point_start[component_start.shape[0] - 1] = end


def mark_frontier(
    point_start: cython.const[cython.longlong][::1],
    costs: cython.const[cython.double][::1],
    values: cython.const[cython.double][::1],
    is_efficient: cython.char[::1],
    is_corner: cython.char[::1],
) -> None:
    """Mark the efficient points of each component, and the corners of their hull.

    Points are sorted by cost, the best first among equals. Corners are the points that
    are best at some price; both marks must be 0 at first.
    """
    p: cython.Py_ssize_t
    k: cython.Py_ssize_t
    one: cython.Py_ssize_t
    two: cython.Py_ssize_t
    num_corners: cython.Py_ssize_t
    best: cython.double
    corners: cython.longlong[::1] = np.zeros(costs.shape[0] + 1, dtype=np.int64)
    for p in range(point_start.shape[0] - 1):
        best = -1.0
        num_corners = 0
        for k in range(point_start[p], point_start[p + 1]):
            if values[k] <= best:
                continue
            best = values[k]
            is_efficient[k] = 1
            while num_corners >= 2:
                one = corners[num_corners - 2]
                two = corners[num_corners - 1]
                # Keep the last corner if it is above the line from the one before.
                if (values[k] - values[two]) * (costs[two] - costs[one]) < (
                    values[two] - values[one]
                ) * (costs[k] - costs[two]):
                    break
                num_corners -= 1
            corners[num_corners] = k
            num_corners += 1
        for k in range(num_corners):
            is_corner[corners[k]] = 1


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
        ahead = np.cumsum(np.asarray(c)[order][::-1])[::-1]
        self.cost_ahead = np.append(ahead, 0.0)
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
