"""Proofs for covers whose elements have two items each: covers of edges by vertices.

Where everything must be covered at equal costs, the linear relaxation takes half of
every item, and bounds nothing. But what a cover leaves out are vertices of which no two
are next to each other, and a search for these has rules and bounds of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from thatch._kernels.vertex_covers import VertexCoverSearch
from thatch.arrays import Ints, distinct
from thatch.problem.selection import Selection
from thatch.run.certificates import VertexCovers
from thatch.solvers.proving.open_items import OpenItems
from thatch.solvers.proving.proof_tree import ProofTree

# Graphs of more vertices or edges are not searched: each depth of the tree has a copy,
# and random graphs of this size take days.
_MOST_VERTICES, _MOST_EDGES = 512, 8_000
# Nodes between two looks at the clock: some milliseconds.
_NODES_PER_LOOK = 100
# A certificate has at most this many numbers of two bytes.
_MOST_NUMBERS = 250_000_000


def prove_vertex_cover(
    tree: ProofTree, *, should_stop: Callable[[], bool], max_nodes: float = inf
) -> None:
    """Close a tree at its root, if its elements have two items and there is time.

    Better covers that the search finds are offered to the tree.

    Parameters
    ----------
    tree
        A tree that has not grown yet.
    should_stop
        Whether the search must stop.
    max_nodes
        How many nodes to look at.
    """
    while not tree.is_proved and is_graph(tree.root):
        root = tree.root
        search = _search(root)
        independent = None
        while independent is None and not search.is_closed:
            max_nodes -= _NODES_PER_LOOK
            if max_nodes < 0 or search.num_written > _MOST_NUMBERS or should_stop():
                return
            independent = search.run(_NODES_PER_LOOK)
        if independent is None:
            tree.close(VertexCovers(search.tree))
            return
        items = distinct(root.taken, root.items[~independent])
        if not tree.offer(Selection(tree.claim.problem, items)):
            return


def is_graph(root: OpenItems) -> bool:
    """Whether items and elements are vertices and edges, all of which must count."""
    claim = root.claim
    if not claim.is_plain or claim.most_left is None or claim.rows.size > 1:
        return False
    size, num_edges = root.items.size, root.elements.size // 2
    if not 0 < size <= _MOST_VERTICES or not 0 < num_edges <= _MOST_EDGES:
        return False
    if root.is_beaten:
        return False
    costs = claim.problem.costs[root.items]
    lost = claim.counted_weights[root.can_count]
    counts = np.bincount(root.elements, minlength=root.left.size)
    return bool(
        (costs == costs[0]).all()
        and (counts[root.elements] == 2).all()
        and root.most - int(lost.min()) < claim.target
    )


def _search(root: OpenItems) -> VertexCoverSearch:
    """A search for as many vertices as a cheaper cover leaves out."""
    rows = root.claim.rows
    cost = int(rows.counted_values[rows.items == root.items[0]][0])
    most = int(root.room[0]) // cost
    owners = np.repeat(np.arange(root.items.size), np.diff(root.start))
    pairs = owners[np.argsort(root.elements, kind="stable")].reshape(-1, 2)
    start, neighbors = _neighbors(pairs, root.items.size)
    return VertexCoverSearch(start, neighbors, root.items.size - most)


def _neighbors(pairs: Ints, size: int) -> tuple[Ints, Ints]:
    """Where the neighbors of each vertex start, and the neighbors, ascending."""
    both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    start = np.append(0, np.cumsum(np.bincount(both[:, 0], minlength=size)))
    return start, np.ascontiguousarray(both[:, 1])
