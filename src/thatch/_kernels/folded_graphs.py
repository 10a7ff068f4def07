"""Graphs at the depths of a search for independent vertices, made smaller.

Where N(v) are the neighbors of v that are left, and d = |N(v)|:

    d <= 1, or d = 2 and both are adjacent: v is kept, and N(v) goes,
    d = 2 otherwise: v, u, w become one vertex, with all their other neighbors.

Each of these is worth one independent vertex. It is written down, for a verification,
and remembered, so that independent vertices of what is left are those of the graph.
Fields and methods are declared in `folded_graphs.pxd`.
"""

from __future__ import annotations

import cython
import numpy as np

KEEP = cython.declare(cython.int, 0)
FOLD = cython.declare(cython.int, 1)
_NUMBERS_AT_FIRST = 10_000


@cython.cclass
class FoldedGraphs:
    """Lists of neighbors at each depth, some of which are gone."""

    def __init__(self, start: np.ndarray, neighbors: np.ndarray) -> None:
        """Start with a graph, given as lists of neighbors."""
        n = len(start) - 1
        # Folding needs room for new lists.
        depths, room = n + 2, 2 * len(neighbors) + 2 * n
        self.n = n
        near = np.zeros((depths, room), dtype=np.int32)
        near[0, : len(neighbors)] = neighbors
        lists = np.zeros((3, depths, n), dtype=np.int32)
        lists[0, 0], lists[1, 0] = start[:n], start[1 : n + 1]
        self.near = near
        self.start, self.end, self.degree = lists
        self.is_left = np.zeros((depths, n), dtype=np.int8)
        self.log = np.zeros((depths, n + 1, 3), dtype=np.int32)
        self.log_size = np.zeros(depths, dtype=np.int32)
        self.written = np.zeros(_NUMBERS_AT_FIRST, dtype=np.int16)
        self.num_written = 0

    def _enter(
        self, d: cython.int, left: cython.char[::1], chosen: cython.int
    ) -> cython.void:
        """Restrict the graph of the depth above to what is left; one may be chosen."""
        v: cython.int
        top: cython.int = 0
        for v in range(self.n):
            self.is_left[d, v] = left[v]
        for v in range(self.n):
            if self.is_left[d, v]:
                self.start[d, v] = top
                for e in range(self.start[d - 1, v], self.end[d - 1, v]):
                    u = self.near[d - 1, e]
                    if self.is_left[d, u]:
                        self.near[d, top] = u
                        top += 1
                self.end[d, v] = top
                self.degree[d, v] = top - self.start[d, v]
        self.top = top
        self.log_size[d] = 0
        if chosen >= 0:
            self._remember(d, chosen, -1, -1)

    def _remember(
        self, d: cython.int, v: cython.int, u: cython.int, w: cython.int
    ) -> cython.void:
        k = self.log_size[d]
        self.log[d, k, 0], self.log[d, k, 1], self.log[d, k, 2] = v, u, w
        self.log_size[d] = k + 1

    def _reduced(self, d: cython.int, q: cython.int) -> cython.int:
        """Keep and fold vertices of low degree until there are none; what q is then."""
        v: cython.int
        has_changed: cython.bint = True
        while has_changed and q > 0:
            has_changed = False
            for v in range(self.n):
                if not self.is_left[d, v] or self.degree[d, v] > 2:
                    continue
                u: cython.int = -1
                w: cython.int = -1
                for e in range(self.start[d, v], self.end[d, v]):
                    if self.is_left[d, self.near[d, e]]:
                        w = u
                        u = self.near[d, e]
                if w < 0 or self._place(d, u, w) >= 0:
                    self._keep(d, v, u, w)
                elif not self._fold(d, v, u, w):
                    continue
                q -= 1
                has_changed = True
                if q <= 0:
                    break
        return q

    def _place(self, d: cython.int, v: cython.int, u: cython.int) -> cython.int:
        """Where u is among the neighbors of v, or -1."""
        e: cython.int
        for e in range(self.start[d, v], self.end[d, v]):
            if self.near[d, e] == u:
                return e
        return -1

    def _keep(
        self, d: cython.int, v: cython.int, u: cython.int, w: cython.int
    ) -> cython.void:
        self._write(KEEP)
        self._write(v)
        self._remember(d, v, -1, -1)
        self.is_left[d, v] = 0
        if u >= 0:
            self._remove(d, u)
        if w >= 0:
            self._remove(d, w)

    def _remove(self, d: cython.int, v: cython.int) -> cython.void:
        self.is_left[d, v] = 0
        for e in range(self.start[d, v], self.end[d, v]):
            self.degree[d, self.near[d, e]] -= 1

    def _fold(
        self, d: cython.int, v: cython.int, u: cython.int, w: cython.int
    ) -> cython.bint:
        """Let v stand for itself or both neighbors, if there is room for its list."""
        first: cython.int = self.top
        if first + self.degree[d, u] + self.degree[d, w] > self.near.shape[1]:
            return False
        self._write(FOLD)
        self._write(v)
        self._remember(d, v, u, w)
        self.is_left[d, v] = self.is_left[d, u] = self.is_left[d, w] = 0
        x: cython.int
        for e in range(self.start[d, u], self.end[d, u]):
            x = self.near[d, e]
            if self.is_left[d, x]:
                self.near[d, self._place(d, x, u)] = v
                self.near[d, self.top] = x
                self.top += 1
        middle: cython.int = self.top
        for e in range(self.start[d, w], self.end[d, w]):
            x = self.near[d, e]
            if not self.is_left[d, x]:
                continue
            is_new: cython.bint = True
            for k in range(first, middle):
                if self.near[d, k] == x:
                    is_new = False
            if is_new:
                self.near[d, self._place(d, x, w)] = v
                self.near[d, self.top] = x
                self.top += 1
            else:
                self.degree[d, x] -= 1
        self.start[d, v], self.end[d, v] = first, self.top
        self.degree[d, v] = self.top - first
        self.is_left[d, v] = 1
        return True

    def _found(self, d: cython.int) -> object:
        """Marks of the independent vertices of a node that has found them."""
        marks = np.zeros(self.n, dtype=bool)
        while d > 0:
            for k in range(self.log_size[d] - 1, -1, -1):
                v, u, w = self.log[d, k, 0], self.log[d, k, 1], self.log[d, k, 2]
                if u < 0 or not marks[v]:
                    marks[v] = True
                else:
                    marks[v] = False
                    marks[u] = marks[w] = True
            d -= 1
        return marks

    def _write(self, number: cython.int) -> cython.void:
        if self.num_written == self.written.shape[0]:
            none = np.zeros(self.num_written, dtype=np.int16)
            self.written = np.concatenate([self.written, none])
        self.written[self.num_written] = number
        self.num_written += 1
