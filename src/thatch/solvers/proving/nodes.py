"""Nodes of a proof tree, and what they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from thatch.arrays import Ints
from thatch.run.certificates import Imply, LeaveOut, Prices, Step, Take
from thatch.solvers.proving.claims import Case
from thatch.solvers.proving.item_model import Basis
from thatch.solvers.proving.open_items import OpenItems, Point

# Without a time limit, a tree has this many nodes times edges, and at least some nodes:
# that takes a few minutes.
_EDGES_WITHOUT_LIMIT, _NODES_WITHOUT_LIMIT = 2e8, 200

#: What a tree may begin with.
RootStep = LeaveOut | Take | Imply | Prices


@dataclass(order=True)
class Node:
    """A node that waits; the one of the highest bound comes first."""

    #: Negative: what nothing in the node exceeds, in units.
    key: int
    number: int
    taken: Ints = field(compare=False)
    left_out: Ints = field(compare=False)
    #: Where its steps go.
    steps: list[Step] = field(compare=False)
    #: The prices of its parent.
    point: Point | None = field(compare=False)
    #: What the node does not exceed by these prices.
    point_bound: int = field(compare=False, default=0)
    #: The cases of splits that it is in.
    cases: tuple[Case, ...] = field(compare=False, default=())
    #: Where the linear program of its parent ended; None for the last one solved.
    basis: Basis | None = field(compare=False, default=None)


def max_nodes_within(seconds_left: float, num_edges: int) -> float:
    """How many nodes a tree may have: as many as it likes if there is a time limit."""
    if seconds_left < inf:
        return inf
    return max(_NODES_WITHOUT_LIMIT, _EDGES_WITHOUT_LIMIT / (num_edges + 1))


def state_of(node: Node, root: OpenItems) -> OpenItems:
    """What a node leaves open of the root."""
    if not (node.cases or node.taken.size + node.left_out.size):
        return root
    claim = root.claim.within(node.cases)
    return replace(root, claim=claim).after(node.taken, node.left_out)


def is_shown(root: OpenItems, step: LeaveOut | Take | Imply) -> bool:
    """Whether rounded weights show what a step says that exact weights show."""
    if isinstance(step, Take):
        return root.needed(step.items).size == int(root.is_open[step.items].sum())
    if isinstance(step, Imply):
        one, other = step.pairs.T
        other = other[(root.left[one] > 0) & (root.left[other] > 0)]
        lost = root.claim.counted_weights[other]
        return bool((root.most - lost < root.claim.target).all())
    return True


def after_all(root: OpenItems, steps: Sequence[RootStep]) -> OpenItems | None:
    """What presolve of a full cover leaves open, in one go.

    None if there are prices, or rounded weights do not show that elements must count.
    """
    lost = root.claim.counted_weights[root.can_count]
    least = int(lost.min()) if lost.size else 0
    if root.is_beaten or root.most - least >= root.claim.target:
        return None
    left, is_out = root.left.copy(), np.zeros(root.is_open.size, dtype=bool)
    is_taken = is_out.copy()
    for step in steps:
        if isinstance(step, Take):
            is_taken[step.items] = True
        elif isinstance(step, Imply):
            left[step.pairs[:, 0]] = 0
        elif isinstance(step, LeaveOut):
            is_out[step.pairs[:, 0]] = True
        else:
            return None
    return replace(root, left=left).after(
        np.flatnonzero(is_taken & root.is_open), np.flatnonzero(is_out & root.is_open)
    )


def after_step(root: OpenItems, step: RootStep) -> tuple[OpenItems, Point | None]:
    """What a step leaves open, and its prices as a point."""
    if root.is_beaten:
        return root, None
    if isinstance(step, LeaveOut):
        is_kept = root.is_open[step.pairs].all(axis=1)
        out = np.unique(step.pairs[is_kept, 0])
        return root.after(out[:0], out), None
    if isinstance(step, Take):
        items = root.needed(step.items)
        return root.after(items, items[:0]), None
    if isinstance(step, Imply):
        is_needed = (root.left[step.pairs] > 0).all(axis=1)
        left = root.left.copy()
        left[step.pairs[is_needed, 0]] = 0
        none = np.zeros(0, dtype=np.int64)
        return replace(root, left=left).after(none, none), None
    point = Point.of(root.claim, step.elements, step.rows, step.edges)
    return (root if point is None else root.fixed_by(point)), point
