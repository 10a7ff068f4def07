"""Trees that show that a graph has no small vertex cover.

Elements of two open items are edges between them. If at most k of n open items may be
taken, at least n - k vertices are left out, and no edge joins two of them: the tree
shows that no n - k vertices are so, which are called independent here. Sets of vertices
are integers with one bit per vertex.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from thatch.verification.claims import Claim
from thatch.verification.rows import NotProvedError
from thatch.verification.states import State

# What a number of a tree says next, and the end of a list in it.
_KEEP, _FOLD, _FEW, _SPLIT, _BOUND = range(5)
_END = -1
# Every vertex has a number with a bit per vertex; the search stops at 512.
_MOST_VERTICES = 4096
# Nodes between two looks at the clock.
_NODES_PER_LOOK = 1000


def exclude_vertex_covers(state: State, tree: Any) -> None:
    """Follow a tree for all that is open; raise an error if the claim may be false."""
    if state.items.size > _MOST_VERTICES:
        raise NotProvedError("the graph of a tree is too large")
    near = _graph(state)
    numbers = np.asarray(tree).astype(np.int16).ravel()
    size = len(near) - _most_items(state)
    try:
        _follow(state.claim, near, size, iter(numbers.data))
    except StopIteration:
        raise NotProvedError("a tree ends too early") from None


def _most_items(state: State) -> int:
    """How many open items the budget allows at most."""
    costs, limit = state.costs
    lowest = int(costs[state.items].min(initial=2**62))
    if lowest <= 0:
        raise NotProvedError("items of a tree have no cost")
    return max(0, limit - int(costs[state.is_taken].sum())) // lowest


def _graph(state: State) -> list[int]:
    """The neighbors of each open item, in their order.

    Elements are edges if two items are open, and the target is out of reach without
    them. Others could only make covers larger.
    """
    is_edge = (state.counts == 2) & (state.left == 1) & state.must_count
    order = np.argsort(state.elements, kind="stable")
    order = order[is_edge[state.elements[order]]]
    owners = np.repeat(np.arange(state.items.size), np.diff(state.start))[order]
    near = [0] * state.items.size
    for u, v in owners.reshape(-1, 2).tolist():
        near[u] |= 1 << v
        near[v] |= 1 << u
    return near


def _follow(claim: Claim, near: list[int], size: int, numbers: Iterator[int]) -> None:
    """Follow a tree, node by node."""
    everything = (1 << len(near)) - 1
    far = [everything & ~each for each in near]
    waiting, count = [_Node(far, everything, size)], 0
    bits = [1 << v for v in range(len(near))]
    vertex_of = {bit: v for v, bit in enumerate(bits)}
    while waiting:
        count += 1
        if count % _NODES_PER_LOOK == 0:
            claim.require_time()
        node = waiting.pop()
        step = node.reduce(numbers)
        if step == _SPLIT:
            v = next(numbers)
            waiting += [node.without(1 << v), node.with_vertex(v)]
        elif step == _BOUND:
            cliques = node.cliques(numbers, bits)
            open_ = node.without_groups(cliques, numbers, vertex_of)
            waiting += node.branches(open_, [*islice(numbers, next(numbers))])
        elif step != _FEW or node.left.bit_count() >= node.size:
            raise NotProvedError("a tree leaves vertices that may be independent")


class _Node:
    """A graph that should have fewer independent vertices than a number."""

    def __init__(self, far: list[int], left: int, size: int) -> None:
        #: Per vertex: all that are not next to it, as far as they are left.
        self.far = far
        self.left = left
        self.size = size

    def without(self, vertices: int) -> _Node:
        """What is left without some vertices."""
        return _Node(self.far, self.left & ~vertices, self.size)

    def with_vertex(self, v: int) -> _Node:
        """What is left for the others once a vertex is chosen."""
        self._near(v)
        return _Node(self.far, self.left & self.far[v] & ~(1 << v), self.size - 1)

    def reduce(self, numbers: Iterator[int]) -> int:
        """Keep and fold vertices; return what comes then."""
        has_folded = False
        while True:
            if self.size <= 0:
                raise NotProvedError("a tree has a cover that contradicts it")
            step = next(numbers)
            if step == _KEEP:
                self._keep(next(numbers))
            elif step == _FOLD:
                if not has_folded:
                    # Other nodes have the same lists.
                    self.far, has_folded = self.far.copy(), True
                self._fold(next(numbers))
            else:
                return step

    def _near(self, v: int) -> int:
        """The neighbors of a vertex that is left."""
        if not self.left >> v & 1:
            raise NotProvedError("a tree names a vertex that is gone")
        return self.left & ~self.far[v]

    def _keep(self, v: int) -> None:
        """Choose a vertex: its neighbors are a clique, so none of them is better."""
        near = rest = self._near(v)
        while rest:
            lowest = rest & -rest
            rest ^= lowest
            if rest & self.far[lowest.bit_length() - 1]:
                raise NotProvedError("a tree keeps a vertex that may be worse")
        self.left &= ~(near | 1 << v)
        self.size -= 1

    def _fold(self, v: int) -> None:
        """Let a vertex stand for itself, or for both of its neighbors u and w.

        Independent vertices may have v alone, or u and w: just one of these is no
        better than v. Both are one vertex more, and exclude what is next to either.
        """
        near, far = self._near(v), self.far
        u, w = (near & -near).bit_length() - 1, near.bit_length() - 1
        if near.bit_count() != 2 or not far[u] >> w & 1:
            raise NotProvedError("a tree folds a vertex that it may not fold")
        mine = 1 << v
        self.left &= ~near
        others = self.left & ~(far[u] & far[w]) & ~mine
        far[v] = self.left & ~others
        while others:
            lowest = others & -others
            far[lowest.bit_length() - 1] &= ~mine
            others ^= lowest
        self.size -= 1

    def cliques(self, numbers: Iterator[int], bits: list[int]) -> list[int]:
        """Cliques, fewer than there may be independent vertices."""
        far = self.far
        found = []
        while (size := next(numbers)) != _END:
            flat = islice(numbers, size * next(numbers))
            for members in zip(*[flat] * size, strict=True):
                clique = 0
                for v in members:
                    if clique & far[v]:
                        raise NotProvedError("a clique of a tree is none")
                    clique |= bits[v]
                found.append(clique)
        if len(found) >= self.size:
            raise NotProvedError("a tree has too many cliques")
        return found

    def without_groups(
        self, cliques: list[int], numbers: Iterator[int], vertex_of: dict[int, int]
    ) -> int:
        """What is left without the cliques, and others that are in groups with them.

        Whichever vertex is chosen of another clique: it leaves one vertex in a clique
        of the group, this one too, and so on, until a clique has none. So independent
        vertices miss one clique of the group. Groups share no clique.
        """
        far, used = self.far, set[int]()
        inside = 0
        for clique in cliques:
            inside |= clique
        while (v := next(numbers)) != _END:
            group, other = set[int](), 0
            while v != _END:
                if other & far[v]:
                    raise NotProvedError("a clique of a tree is none")
                other |= 1 << v
                left, only = self.left & far[v], -1
                for c in islice(numbers, next(numbers)):
                    group.add(c)
                    only = cliques[c] & left
                    if only:
                        # It is damaged if these are several vertices.
                        left &= far[vertex_of[only]]
                if only:
                    raise NotProvedError("a vertex of a tree leaves all cliques open")
                v = next(numbers)
            if not used.isdisjoint(group) or min(group) < 0:
                raise NotProvedError("groups of a tree share a clique")
            used |= group
            inside |= other
        return self.left & ~inside

    def branches(self, open_: int, vertices: list[int]) -> Iterator[_Node]:
        """One node for each vertex that is open, the first one last."""
        every = 0
        for v in vertices:
            every |= 1 << v
        if open_ & ~every:
            raise NotProvedError("a tree leaves vertices that may be independent")
        later = 0
        for v in reversed(vertices):
            yield self.without(later).with_vertex(v)
            later |= 1 << v
