"""Proofs that a graph has no large independent set: no small vertex cover, in items.

A node asks whether the graph that is left has q independent vertices. It makes the
graph smaller (`folded_graphs.py`), and splits the rest into cliques, each of which has
at most one of these vertices. A group of cliques lacks one if choosing in one of them
leaves, step by step, nothing to choose in another: this is unit propagation, as in
solvers for maximum satisfiability (Li and Quan 2010). Cliques less groups, which are
disjoint, are a bound. What these leave aside is branched on if it is little, else the
vertex of highest degree.

Everything is written down, node by node in depth-first order, for a verification:

    KEEP v or FOLD v, as often as needed, then one of
    FEW: fewer than q vertices are left,
    SPLIT v: a node with v follows, and one without it,
    BOUND: at most q - 1 cliques: each size, how many there are of it, and all vertices,
        then END; groups, each with another clique: for each vertex of it, the vertex,
        how many cliques follow from choosing it, and their numbers; END after each
        group and after all; then the number of branches, and for each its vertex. A
        node with it, without those of later branches, follows for each.
"""

from __future__ import annotations

import cython
import numpy as np

if cython.compiled:
    from cython.cimports.thatch._kernels.folded_graphs import FoldedGraphs
else:
    from thatch._kernels.folded_graphs import FoldedGraphs

FEW = cython.declare(cython.int, 2)
SPLIT = cython.declare(cython.int, 3)
BOUND = cython.declare(cython.int, 4)
END = cython.declare(cython.int, -1)
# At most this many vertices aside are branched on; more are no better than one.
_MOST_BRANCHES = cython.declare(cython.int, 3)


@cython.final
@cython.cclass
class VertexCoverSearch(FoldedGraphs):
    """A depth-first search, which can be continued."""

    # Nodes that wait: depth, q, the vertex that is chosen or -1, and what is left.
    waiting: cython.int[:, ::1]
    waiting_left: cython.char[:, ::1]
    num_waiting: cython.int
    # Cliques, the largest first: where the members of each start, and whose they are.
    members: cython.int[::1]
    clique_start: cython.int[::1]
    clique_of: cython.int[::1]
    num_cliques: cython.int
    # Whether a group has a clique already, or this one, too.
    is_used: cython.char[::1]
    is_wanted: cython.char[::1]
    # Vertices chosen one after the other, and the cliques that left no other choice;
    # which of them took a vertex away, and how many of a clique are left.
    chosen: cython.int[::1]
    chosen_in: cython.int[::1]
    is_needed: cython.char[::1]
    gone_by: cython.int[::1]
    num_open: cython.int[::1]
    # Vertices that are left, degrees or marks, and vertices aside.
    vertices: cython.int[::1]
    rest: cython.int[::1]
    mark: cython.int[::1]
    aside: cython.int[::1]

    def __init__(self, start: np.ndarray, neighbors: np.ndarray, q: cython.int) -> None:
        """Ask for q independent vertices of a graph, given as lists of neighbors."""
        FoldedGraphs.__init__(self, start, neighbors)
        n = self.n
        # A node has one depth more than its parent, and waits with few others.
        most = (_MOST_BRANCHES + 1) * (n + 2)
        self.waiting = np.zeros((most, 3), dtype=np.int32)
        self.waiting_left = np.ones((most, n), dtype=np.int8)
        self.members, self.clique_of, self.gone_by, self.num_open = np.zeros(
            (4, n), dtype=np.int32
        )
        self.vertices, self.rest, self.mark, self.aside = np.zeros(
            (4, n), dtype=np.int32
        )
        self.clique_start, self.chosen, self.chosen_in = np.zeros(
            (3, n + 2), dtype=np.int32
        )
        self.is_used, self.is_wanted, self.is_needed = np.zeros(
            (3, n + 2), dtype=np.int8
        )
        self.waiting[0, 0], self.waiting[0, 1], self.waiting[0, 2] = 1, q, -1
        self.num_waiting = 1

    @property
    def tree(self) -> np.ndarray:
        """What has been written down: int16."""
        return np.array(self.written[: self.num_written])

    @property
    def is_closed(self) -> bool:
        """Whether no node is left."""
        return self.num_waiting == 0

    def run(self, max_nodes: cython.longlong) -> np.ndarray | None:
        """Go through some nodes; return marks of q independent vertices if found."""
        while self.num_waiting > 0 and max_nodes > 0:
            max_nodes -= 1
            self.num_waiting -= 1
            place = self.num_waiting
            d, q = self.waiting[place, 0], self.waiting[place, 1]
            self._enter(d, self.waiting_left[place], self.waiting[place, 2])
            q = self._reduced(d, q)
            if q <= 0:
                return self._found(d)
            count: cython.int = 0
            for v in range(self.n):
                if self.is_left[d, v]:
                    self.vertices[count] = v
                    count += 1
            if count < q:
                self._write(FEW)
                continue
            self._find_cliques(d, count)
            self._sort_cliques()
            self._close(d, q)
        return None

    @cython.cfunc
    @cython.exceptval(check=False)
    def _find_cliques(self, d: cython.int, count: cython.int) -> cython.void:
        """Split what is left into cliques, around vertices of low degree first."""
        v: cython.int
        k: cython.int
        for v in range(self.n):
            self.clique_of[v] = 0
            self.mark[v] = -1
        for k in range(count):
            v = self.vertices[k]
            self.clique_of[v] = -1
            self.rest[v] = self.degree[d, v]
        size: cython.int = 0
        self.num_cliques = 0
        while count > 0:
            # Those in cliques are moved out of the way.
            kept: cython.int = 0
            best: cython.int = -1
            for k in range(count):
                v = self.vertices[k]
                if self.clique_of[v] < 0:
                    self.vertices[kept] = v
                    kept += 1
                    if best < 0 or self.rest[v] < self.rest[best]:
                        best = v
            count = kept
            if best < 0:
                break
            self.clique_start[self.num_cliques] = first = size
            while best >= 0:
                self.members[size] = best
                size += 1
                self.clique_of[best] = self.num_cliques
                for e in range(self.start[d, best], self.end[d, best]):
                    self.rest[self.near[d, e]] -= 1
                best = self._next_member(d, best, size - first)
            self.num_cliques += 1
        self.clique_start[self.num_cliques] = size

    @cython.cfunc
    @cython.exceptval(check=False)
    def _next_member(
        self, d: cython.int, last: cython.int, size: cython.int
    ) -> cython.int:
        """The vertex next to all members that has most such neighbors, or -1.

        Marks say how many of the first members a vertex is next to.
        """
        stamp: cython.int = self.clique_of[last] * self.n
        best: cython.int = -1
        most: cython.int = -1
        for e in range(self.start[d, last], self.end[d, last]):
            u = self.near[d, e]
            if self.clique_of[u] < 0:
                if size == 1 or self.mark[u] == stamp + size - 1:
                    self.mark[u] = stamp + size
        for e in range(self.start[d, last], self.end[d, last]):
            u = self.near[d, e]
            if self.clique_of[u] >= 0 or self.mark[u] != stamp + size:
                continue
            common: cython.int = 0
            for k in range(self.start[d, u], self.end[d, u]):
                x = self.near[d, k]
                common += self.clique_of[x] < 0 and self.mark[x] == stamp + size
            is_equal: cython.bint = common == most
            if common > most or (is_equal and self.rest[u] < self.rest[best]):
                best, most = u, common
        return best

    @cython.cfunc
    @cython.exceptval(check=False)
    def _sort_cliques(self) -> cython.void:
        """Number cliques by size, the largest first."""
        n: cython.int = self.num_cliques
        total: cython.int = self.clique_start[n]
        number: cython.int = 0
        place: cython.int = 0
        size: cython.int = 0
        c: cython.int
        k: cython.int
        for c in range(n):
            size = max(size, self.clique_start[c + 1] - self.clique_start[c])
        while size > 0:
            for c in range(n):
                if self.clique_start[c + 1] - self.clique_start[c] != size:
                    continue
                self.num_open[number] = place
                for k in range(self.clique_start[c], self.clique_start[c + 1]):
                    v = self.members[k]
                    self.clique_of[v] = number
                    self.rest[place] = v
                    place += 1
                number += 1
            size -= 1
        for k in range(total):
            self.members[k] = self.rest[k]
        for c in range(n):
            self.clique_start[c] = self.num_open[c]

    @cython.cfunc
    @cython.exceptval(check=False)
    def _close(self, d: cython.int, q: cython.int) -> cython.void:
        """Close a node by its bound, or let branches wait."""
        first: cython.Py_ssize_t = self.num_written
        count: cython.int = min(self.num_cliques, q - 1)
        num_aside: cython.int = 0
        self._write(BOUND)
        self._write_cliques(count)
        for c in range(count):
            self.is_used[c] = self.is_wanted[c] = False
        for c in range(self.num_cliques - 1, count - 1, -1):
            has_group: cython.bint = False
            for k in range(self.clique_start[c], self.clique_start[c + 1]):
                if self._is_excluded(d, self.members[k], count):
                    has_group = True
                elif num_aside == _MOST_BRANCHES:
                    self.num_written = first
                    self._split(d, q)
                    return
                else:
                    self.aside[num_aside] = self.members[k]
                    num_aside += 1
            if has_group:
                self._write(END)
                for k in range(count):
                    self.is_used[k] = self.is_wanted[k]
        self._write(END)
        self._write(num_aside)
        for k in range(num_aside):
            self.is_left[d, self.aside[k]] = False
            self._write(self.aside[k])
        # The first branch is the first to be looked at.
        last: cython.int = self.num_waiting + num_aside - 1
        for k in range(num_aside):
            self._wait(d, q - 1, self.aside[k], last - k)
            self.is_left[d, self.aside[k]] = True

    @cython.cfunc
    @cython.exceptval(check=False)
    def _write_cliques(self, count: cython.int) -> cython.void:
        c: cython.int = 0
        while c < count:
            first: cython.int = c
            size: cython.int = self.clique_start[c + 1] - self.clique_start[c]
            while c < count and self.clique_start[c + 1] - self.clique_start[c] == size:
                c += 1
            self._write(size)
            self._write(c - first)
            for k in range(self.clique_start[first], self.clique_start[c]):
                self._write(self.members[k])
        self._write(END)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _is_excluded(
        self, d: cython.int, v: cython.int, count: cython.int
    ) -> cython.bint:
        """Whether choosing v leaves nothing to choose in a clique; it is written."""
        c: cython.int
        u: cython.int
        for u in range(self.n):
            self.gone_by[u] = -1
        for c in range(count):
            self.num_open[c] = self.clique_start[c + 1] - self.clique_start[c]
        self.chosen[0], self.chosen_in[0] = v, -1
        size: cython.int = 1
        t: cython.int = 0
        while t < size:
            x: cython.int = self.chosen[t]
            for e in range(self.start[d, x], self.end[d, x]):
                u = self.near[d, e]
                if not self.is_left[d, u] or self.gone_by[u] >= 0:
                    continue
                self.gone_by[u] = t
                c = self.clique_of[u]
                if c >= count or self.is_used[c]:
                    continue
                self.num_open[c] -= 1
                if self.num_open[c] == 0:
                    self._explain(v, c, size)
                    return True
                if self.num_open[c] == 1:
                    for k in range(self.clique_start[c], self.clique_start[c + 1]):
                        if self.gone_by[self.members[k]] < 0:
                            self.chosen[size] = self.members[k]
                    self.chosen_in[size] = c
                    size += 1
            t += 1
        return False

    @cython.cfunc
    @cython.exceptval(check=False)
    def _explain(
        self, v: cython.int, empty: cython.int, size: cython.int
    ) -> cython.void:
        """Write the cliques that lead from v to an empty one, in order."""
        t: cython.int
        for t in range(size):
            self.is_needed[t] = False
        # The last step, and those that it needs, backwards.
        self.chosen[size], self.chosen_in[size] = -1, empty
        self.is_needed[size] = True
        count: cython.int = 0
        for t in range(size, 0, -1):
            if not self.is_needed[t]:
                continue
            c = self.chosen_in[t]
            count += 1
            self.is_wanted[c] = True
            for k in range(self.clique_start[c], self.clique_start[c + 1]):
                u = self.members[k]
                if u != self.chosen[t]:
                    self.is_needed[self.gone_by[u]] = True
        self._write(v)
        self._write(count)
        for t in range(1, size + 1):
            if self.is_needed[t]:
                self._write(self.chosen_in[t])

    @cython.cfunc
    @cython.exceptval(check=False)
    def _split(self, d: cython.int, q: cython.int) -> cython.void:
        """Branch on the vertex of highest degree, with the fewest triangles."""
        v: cython.int = -1
        u: cython.int
        most: cython.int = -1
        fewest: cython.int = 0
        for u in range(self.n):
            if not self.is_left[d, u] or self.degree[d, u] < most:
                continue
            count: cython.int = self._num_triangles(d, u)
            if self.degree[d, u] > most or count < fewest:
                v, most, fewest = u, self.degree[d, u], count
        self._write(SPLIT)
        self._write(v)
        self.is_left[d, v] = False
        self._wait(d, q, -1, self.num_waiting)
        self._wait(d, q - 1, v, self.num_waiting)

    @cython.cfunc
    @cython.exceptval(check=False)
    def _num_triangles(self, d: cython.int, v: cython.int) -> cython.int:
        """Twice the number of triangles that a vertex is in."""
        count: cython.int = 0
        for u in range(self.n):
            self.mark[u] = 0
        for e in range(self.start[d, v], self.end[d, v]):
            self.mark[self.near[d, e]] = self.is_left[d, self.near[d, e]]
        for e in range(self.start[d, v], self.end[d, v]):
            u = self.near[d, e]
            if self.is_left[d, u]:
                for k in range(self.start[d, u], self.end[d, u]):
                    count += self.mark[self.near[d, k]]
        return count

    @cython.cfunc
    @cython.exceptval(check=False)
    def _wait(
        self, d: cython.int, q: cython.int, v: cython.int, place: cython.int
    ) -> cython.void:
        """Let what is left wait, without the neighbors of v if there is one."""
        for u in range(self.n):
            self.waiting_left[place, u] = self.is_left[d, u]
        if v >= 0:
            for e in range(self.start[d, v], self.end[d, v]):
                self.waiting_left[place, self.near[d, e]] = False
        self.waiting[place, 0] = d + 1
        self.waiting[place, 1] = q
        self.waiting[place, 2] = v
        self.num_waiting += 1
