"""Selections one after another: all within a component, or by branch and bound.

Branch and bound visits the selections that may still be better than the incumbent.
At multipliers lam_a and price mu, with the reduced profit s_i = sum of the multipliers
of i less mu c_i, the value of a selection within the budget K is below the bound by

    |s_i| for every item decided against the sign of s_i,
    lam_a for every chosen item of an element beyond the first,
    w_a - lam_a for every element that is not covered,
    mu for every unit of the budget that is not spent,
    nu_g for every item of a group g that would still fit.

All are >= 0, so that a branch ends once they exceed the slack. Items of the largest
|s_i| are decided first.
"""

from __future__ import annotations

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.thatch._kernels.selections import SelectionSearch
else:
    from thatch._kernels.selections import SelectionSearch

# State of an item in `try_all`: not tried yet, inside the selection, outside.
UNTRIED = cython.declare(cython.char, 0)
INSIDE = cython.declare(cython.char, 1)
OUTSIDE = cython.declare(cython.char, 2)


@cython.cfunc
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
    gain: cython.double = 0.0
    for e in range(item_start[i], item_start[i + 1]):
        if counts[item_elements[e]] == 0:
            gain += w[item_elements[e]]
        counts[item_elements[e]] += 1
    return gain


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def _leave(
    i: cython.Py_ssize_t,
    item_start: cython.const[cython.longlong][::1],
    item_elements: cython.const[cython.int][::1],
    counts: cython.int[::1],
) -> cython.void:
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
    d: cython.Py_ssize_t
    i: cython.Py_ssize_t
    end: cython.Py_ssize_t = 0
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
    num_corners: cython.Py_ssize_t
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


@cython.final
@cython.cclass
class Branch(SelectionSearch):
    """A depth-first search over the items, each taken or left out.

    It keeps its path, so that it can be continued after any number of nodes.
    """

    lam: cython.const[cython.double][::1]
    s: cython.const[cython.double][::1]
    order: cython.const[cython.longlong][::1]
    # The price of each group.
    nu: cython.const[cython.double][::1]
    # Cost of the items from each depth on.
    cost_ahead: cython.double[::1]
    undecided: cython.int[::1]
    chosen: cython.char[::1]
    # Of the node at each depth of the path: what is lost and spent there, and how many
    # of its two branches have been begun.
    lost: cython.double[::1]
    cost: cython.double[::1]
    num_begun: cython.char[::1]
    # Depth of the present node; -1 at the end.
    depth: cython.Py_ssize_t
    K: cython.double
    sure_K: cython.double
    mu: cython.double
    slack: cython.double
    least_gain: cython.double
    nodes_left: cython.longlong
    is_found: cython.bint
    is_paused: cython.bint

    def __init__(
        self,
        *searched: object,
        dual: object,
        order: cython.const[cython.longlong][::1],
    ) -> None:
        """Search at a dual point; see `SelectionSearch`."""
        SelectionSearch.__init__(self, *searched)
        self.lam, self.s = dual.multipliers, dual.reduced_profits
        self.mu, self.nu = dual.price, dual.group_prices
        self.order = order
        ahead = np.cumsum(np.asarray(self.c)[order][::-1])[::-1]
        self.cost_ahead = np.append(ahead, 0.0)
        degrees = np.bincount(self.item_elements, minlength=self.w.shape[0])
        self.undecided = degrees.astype(np.int32)
        num_items = self.c.shape[0]
        self.chosen = np.zeros(num_items, dtype=np.int8)
        self.lost = np.zeros(num_items + 1)
        self.cost = np.zeros(num_items + 1)
        self.num_begun = np.zeros(num_items + 1, dtype=np.int8)
        self.depth = 0
        self.slack = np.inf

    def search(
        self,
        K: cython.double,
        sure_K: cython.double,
        slack: cython.double,
        least_gain: cython.double,
        max_nodes: cython.longlong,
    ) -> tuple[int, bool, bool]:
        """Mark the best selection that loses no more than `slack`.

        A better one must lose less by `least_gain`. Without it, the search pauses at
        each selection, so that the caller compares it exactly. It also pauses where
        the cost, above `sure_K` and up to K, is too close to the budget to decide.
        Returns how many of `max_nodes` are left, whether the search is over, and
        whether it found a selection. Another call continues it; the slack may be lower
        by then.
        """
        self.K = K
        self.sure_K = sure_K
        self.slack = min(self.slack, slack)
        self.least_gain = least_gain
        self.nodes_left = max_nodes
        self.is_found = False
        self.is_paused = False
        with cython.nogil:
            self._continue()
        return self.nodes_left, self.depth < 0, bool(self.is_found)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def _continue(self) -> cython.void:
        """Visit nodes until none is left, all are visited, or it pauses."""
        d: cython.Py_ssize_t = self.depth
        while d >= 0 and not self.is_paused:
            if self.num_begun[d] == 0:
                if self.nodes_left == 0:
                    break
                self.nodes_left -= 1
                if self._is_leaf(d):
                    self.num_begun[d] = 2
            if self.num_begun[d] < 2:
                if self._begin_branch(d):
                    d += 1
                    self.num_begun[d] = 0
            else:
                d -= 1
                if d >= 0:
                    i = self.order[d]
                    self._end_branch(i, self.item_start[i + 1])
        self.depth = d

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _is_leaf(self, d: cython.Py_ssize_t) -> cython.bint:
        """Whether the node at depth d has no branches; a selection there is marked."""
        unspent: cython.double = self.K - self.cost[d] - self.cost_ahead[d]
        lost: cython.double = self.lost[d]
        if unspent > 0.0:
            lost += self.mu * unspent
            if lost > self.slack:
                return True
        if d < self.c.shape[0]:
            return False
        for i in range(self.nu.shape[0]):
            lost += self.nu[i] * self.room[i]
        if lost > self.slack:
            return True
        self.is_found = True
        if self.least_gain > 0.0 and self.cost[d] <= self.sure_K:
            self.slack = lost - self.least_gain
        else:
            self.is_paused = True
        for i in range(self.c.shape[0]):
            self.best[i] = self.chosen[i]
        return True

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _begin_branch(self, d: cython.Py_ssize_t) -> cython.bint:
        """Decide the item at depth d by its sign, then against it.

        Returns whether the branch is open.
        """
        i: cython.Py_ssize_t = self.order[d]
        s: cython.double = self.s[i]
        lost: cython.double = self.lost[d]
        is_taken: cython.bint = (s > 0.0) == (self.num_begun[d] == 0)
        if self.num_begun[d] == 1:
            lost += s if s > 0.0 else -s
        self.num_begun[d] += 1
        if lost > self.slack or (is_taken and self.cost[d] + self.c[i] > self.K):
            return False
        if is_taken and self.group.shape[0]:
            if self.room[self.group[i]] <= 0:
                return False
            self.room[self.group[i]] -= 1
        self.chosen[i] = is_taken
        for e in range(self.item_start[i], self.item_start[i + 1]):
            a = self.item_elements[e]
            self.undecided[a] -= 1
            if is_taken:
                if self.counts[a] > 0:
                    lost += self.lam[a]
                self.counts[a] += 1
            elif self.undecided[a] == 0 and self.counts[a] == 0:
                lost += self.w[a] - self.lam[a]
            if lost > self.slack:
                self._end_branch(i, e + 1)
                return False
        self.lost[d + 1] = lost
        self.cost[d + 1] = self.cost[d] + self.c[i] if is_taken else self.cost[d]
        return True

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def _end_branch(self, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.void:
        """Undo the decision on item i, which has counted its edges before `end`."""
        if self.chosen[i]:
            if self.group.shape[0]:
                self.room[self.group[i]] += 1
            for e in range(self.item_start[i], end):
                self.undecided[self.item_elements[e]] += 1
                self.counts[self.item_elements[e]] -= 1
            self.chosen[i] = 0
        else:
            for e in range(self.item_start[i], end):
                self.undecided[self.item_elements[e]] += 1
