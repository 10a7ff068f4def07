"""Cheapest covers of small components, by branch and bound.

Multipliers y_a >= 0 with sum_{a in E_i} y_a <= c_i bound the cost of covering what is
uncovered by their sum. Where items are left out, multipliers of their elements rise by
what the costs of the other items leave:

    y_a += min_{i in I_a} (c_i - sum_{b in E_i} y_b),  one uncovered element at a time.

What is left of the cost of an item then is what a cover with it costs beyond the bound.
The search branches on the element that the fewest items can cover.
"""

from __future__ import annotations

from math import inf

import cython
import numpy as np


@cython.final
@cython.cclass
class SmallCovers:
    """Branch and bound in one component after the other."""

    c: cython.const[cython.double][::1]
    item_start: cython.const[cython.longlong][::1]
    item_elements: cython.const[cython.int][::1]
    element_start: cython.const[cython.longlong][::1]
    element_items: cython.const[cython.int][::1]
    y: cython.const[cython.double][::1]
    # How many chosen items each element has, and which items are left out or chosen.
    counts: cython.int[::1]
    is_closed: cython.char[::1]
    # What is left of the costs of items.
    rest: cython.double[::1]
    # The items that were branched on, and what a cover with them costs beyond bounds.
    branch_items: cython.int[::1]
    branch_rests: cython.double[::1]
    num_branched: cython.Py_ssize_t
    # The component.
    items: cython.const[cython.longlong][::1]
    elements: cython.const[cython.longlong][::1]
    is_chosen: cython.char[::1]
    best: cython.char[::1]
    best_cost: cython.double
    least_saving: cython.double
    nodes_left: cython.longlong
    target: cython.Py_ssize_t

    def __init__(
        self,
        c: cython.const[cython.double][::1],
        edges: object,
        y: cython.const[cython.double][::1],
        least_saving: cython.double,
        best: cython.char[::1],
    ) -> None:
        """Start from a cover, which is marked in `best`, and multipliers as above."""
        self.c = c
        self.item_start, self.item_elements = edges.item_start, edges.item_elements
        self.element_start = edges.element_start
        self.element_items = edges.element_items
        self.y = y
        self.counts = np.zeros(y.shape[0], dtype=np.int32)
        self.is_closed = np.zeros(c.shape[0], dtype=np.int8)
        self.is_chosen = np.zeros(c.shape[0], dtype=np.int8)
        self.rest = np.zeros(c.shape[0])
        self.best = best
        self.least_saving = least_saving

    def solve(
        self,
        items: cython.const[cython.longlong][::1],
        elements: cython.const[cython.longlong][::1],
        max_nodes: cython.longlong,
    ) -> cython.longlong:
        """Mark the cheapest cover of a component in `best`.

        Returns how many nodes are left; fewer than 0 if the search was not finished.
        """
        size: cython.longlong = 1
        for k in range(elements.shape[0]):
            a = elements[k]
            size += self.element_start[a + 1] - self.element_start[a]
        self.items, self.elements = items, elements
        self.branch_items = np.zeros(size, dtype=np.int32)
        self.branch_rests = np.zeros(size)
        self.num_branched = 0
        self.nodes_left = max_nodes
        self.best_cost = 0.0
        for k in range(items.shape[0]):
            if self.best[items[k]]:
                self.best_cost += self.c[items[k]]
        self._search(0.0)
        return self.nodes_left

    @cython.cfunc
    @cython.exceptval(check=False)
    def _search(self, cost: cython.double) -> cython.void:
        """Find the cheapest cover with the items chosen, without those left out."""
        first: cython.Py_ssize_t = self.num_branched
        self.nodes_left -= 1
        if self.nodes_left < 0:
            return
        bound: cython.double = cost + self._bound()
        if self.target < 0:
            if bound < inf and cost <= self.best_cost - self.least_saving:
                self._keep(cost)
            return
        if bound > self.best_cost - self.least_saving:
            return
        self._push(self.target)
        for k in range(first, self.num_branched):
            i = self.branch_items[k]
            if bound + self.branch_rests[k] <= self.best_cost - self.least_saving:
                self._choose(i, 1)
                self._search(cost + self.c[i])
                self._choose(i, -1)
            self.is_closed[i] = 1
        for k in range(first, self.num_branched):
            self.is_closed[self.branch_items[k]] = 0
        self.num_branched = first

    @cython.cfunc
    @cython.exceptval(check=False)
    def _choose(self, i: cython.Py_ssize_t, change: cython.int) -> cython.void:
        self.is_chosen[i] = change > 0
        for e in range(self.item_start[i], self.item_start[i + 1]):
            self.counts[self.item_elements[e]] += change

    @cython.cfunc
    @cython.exceptval(check=False)
    def _keep(self, cost: cython.double) -> cython.void:
        self.best_cost = cost
        for k in range(self.items.shape[0]):
            self.best[self.items[k]] = self.is_chosen[self.items[k]]

    @cython.cfunc
    @cython.exceptval(check=False)
    def _bound(self) -> cython.double:
        """The least cost of covering the rest; infinite if it cannot be covered.

        The target is the element to branch on, or -1 if all are covered.
        """
        self.target = -1
        bound: cython.double = 0.0
        fewest: cython.longlong = 2**62
        for k in range(self.items.shape[0]):
            self.rest[self.items[k]] = self.c[self.items[k]]
        for k in range(self.elements.shape[0]):
            a = self.elements[k]
            if self.counts[a] == 0 and self.y[a] > 0.0:
                bound += self.y[a]
                for e in range(self.element_start[a], self.element_start[a + 1]):
                    self.rest[self.element_items[e]] -= self.y[a]
        for k in range(self.elements.shape[0]):
            a = self.elements[k]
            if self.counts[a] > 0:
                continue
            least: cython.double = inf
            count: cython.longlong = 0
            for e in range(self.element_start[a], self.element_start[a + 1]):
                i = self.element_items[e]
                if not self.is_closed[i]:
                    count += 1
                    least = min(least, self.rest[i])
            if count < fewest:
                fewest = count
                self.target = a
            if count == 0:
                return inf
            if least > 0.0:
                bound += least
                for e in range(self.element_start[a], self.element_start[a + 1]):
                    self.rest[self.element_items[e]] -= least
        return bound

    @cython.cfunc
    @cython.exceptval(check=False)
    def _push(self, a: cython.Py_ssize_t) -> cython.void:
        """Branch on the open items of an element: those of lowest rest come first."""
        first: cython.Py_ssize_t = self.num_branched
        for e in range(self.element_start[a], self.element_start[a + 1]):
            i = self.element_items[e]
            if self.is_closed[i]:
                continue
            place: cython.Py_ssize_t = self.num_branched
            rest: cython.double = max(self.rest[i], 0.0)
            while place > first and self.branch_rests[place - 1] > rest:
                self.branch_rests[place] = self.branch_rests[place - 1]
                self.branch_items[place] = self.branch_items[place - 1]
                place -= 1
            self.branch_rests[place], self.branch_items[place] = rest, i
            self.num_branched += 1
