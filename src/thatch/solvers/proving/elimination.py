"""Cheapest covers of problems that look like a thin tree, by eliminating items.

Items that share an element are neighbors. Eliminating an item makes a table with one
cost for each selection of its neighbors, which become neighbors of each other. In road
networks and other graphs of few edges, an order with small tables often exists.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Ints, distinct
from thatch.problem.selection import Selection
from thatch.run.certificates import Eliminate
from thatch.solvers.proving.open_items import OpenItems
from thatch.solvers.proving.proof_tree import ProofTree

# Neighbors of an item when it is eliminated, and numbers in all tables: they take
# seconds, and their decisions a byte each. With more pairs of items that share an
# element, there is hardly ever a good order.
_MOST_NEIGHBORS, _MOST_NUMBERS, _MOST_PAIRS = 24, 2**28, 100_000
# How many take less than half of the time that is left.
_NUMBERS_PER_SECOND, _PAIRS_PER_SECOND = 1e7, 5e3


def prove_by_elimination(
    tree: ProofTree, *, should_stop: Callable[[], bool], seconds_left: float = inf
) -> None:
    """Close a tree at its root, if its items can be eliminated with small tables.

    Parameters
    ----------
    tree
        A tree for covers that has not grown yet; it is offered the cheapest one.
    should_stop
        Whether the search must stop.
    seconds_left
        What it takes will be less.
    """
    max_numbers = min(_MOST_NUMBERS, _NUMBERS_PER_SECOND * seconds_left)
    max_pairs = min(_MOST_PAIRS, _PAIRS_PER_SECOND * seconds_left)
    while not (tree.is_proved or tree.root.is_beaten):
        root = tree.root
        sets = _sets(root, max_pairs)
        if sets is None:
            return
        order = elimination_order(
            sets, root.items.size, should_stop=should_stop, max_numbers=max_numbers
        )
        costs = _Costs.of(root)
        found = None
        if order is not None and costs.can_be_added:
            found = _cheapest(sets, order, costs, should_stop)
        if found is None or order is None:
            return
        items, is_too_high = found
        if not is_too_high:
            chosen = distinct(root.taken, root.items[items])
            if not tree.offer(Selection(root.claim.problem, chosen)):
                return
        # What is rounded may have others that are a little cheaper.
        if is_too_high or root.claim.problem.has_exact_costs:
            tree.close(Eliminate(root.items[np.array(order)]))


@dataclass(frozen=True, eq=False)
class _Costs:
    """Costs of open items, and the least one of a cover that is too high."""

    items: list[int]
    too_high: int

    @classmethod
    def of(cls, root: OpenItems) -> _Costs:
        rows = root.claim.rows
        budget = slice(0, int(rows.start[1]))
        costs = np.zeros(root.is_open.size, dtype=np.int64)
        costs[rows.items[budget]] = rows.counted_values[budget]
        found = costs[root.items].tolist()
        divisor = gcd(*found) or 1
        return cls([c // divisor for c in found], int(root.room[0]) // divisor + 1)

    @property
    def highest(self) -> int:
        """More than the tables of an item add up to."""
        return (self.too_high + max(self.items)) * (len(self.items) + 2)

    @property
    def can_be_added(self) -> bool:
        """Whether all sums fit into an integer."""
        return self.highest < 2**62


def _sets(root: OpenItems, max_pairs: float) -> list[list[int]] | None:
    """The open items of each element, all of which must count; None if they need not.

    Also None if there are constraints, or too many pairs of items.
    """
    claim = root.claim
    if not claim.is_plain or claim.most_left is None or claim.rows.size > 1:
        return None
    counts = np.bincount(root.elements, minlength=root.left.size)
    lost = claim.counted_weights[root.can_count]
    if not lost.size or int((counts * (counts - 1)).sum()) // 2 > max_pairs:
        return None
    if root.most - int(lost.min()) >= claim.target:
        return None
    owners = np.repeat(np.arange(root.items.size), np.diff(root.start))
    owners = owners[np.argsort(root.elements, kind="stable")]
    parts = np.split(owners, np.cumsum(counts)[:-1])
    return [part.tolist() for part in parts if part.size]


def elimination_order(
    sets: list[list[int]],
    size: int,
    *,
    should_stop: Callable[[], bool],
    max_numbers: float = _MOST_NUMBERS,
) -> list[int] | None:
    """An order with small tables: the item that makes the fewest new neighbors is next.

    None if there is none, or the search must stop.
    """
    near: list[set[int]] = [set() for _ in range(size)]
    for each in sets:
        for i in each:
            near[i].update(each)
    for i in range(size):
        near[i].discard(i)
    scores = [_fill(near, i) for i in range(size)]
    waiting = [(score, i) for i, score in enumerate(scores)]
    heapq.heapify(waiting)
    order: list[int] = []
    total = 0
    while waiting:
        score, i = heapq.heappop(waiting)
        if score != scores[i]:
            continue
        scores[i] = (-1, -1)
        order.append(i)
        neighbors = near[i]
        total += 2 ** len(neighbors)
        if len(neighbors) > _MOST_NEIGHBORS or total > max_numbers or should_stop():
            return None
        changed = set(neighbors)
        for j in neighbors:
            near[j] |= neighbors
            near[j] -= {i, j}
            changed |= near[j]
        for j in changed:
            found = _fill(near, j)
            if found != scores[j]:
                scores[j] = found
                heapq.heappush(waiting, (found, j))
    return order


def _fill(near: list[set[int]], i: int) -> tuple[int, int]:
    """How many pairs of neighbors are not neighbors yet, and how many there are."""
    neighbors = near[i]
    degree = len(neighbors)
    if degree > _MOST_NEIGHBORS:
        return degree**2, degree
    pairs = sum(len(near[j] & neighbors) for j in neighbors)
    return (degree * (degree - 1) - pairs) // 2, degree


def _cheapest(
    sets: list[list[int]],
    order: list[int],
    costs: _Costs,
    should_stop: Callable[[], bool],
) -> tuple[Ints, bool] | None:
    """A cheapest cover, and whether its cost is too high; None if time is over."""
    place = {i: k for k, i in enumerate(order)}
    waiting: list[dict[tuple[int, ...], NDArray[Any]]] = [{} for _ in order]
    covers: list[list[set[int]]] = [[] for _ in order]
    for each in sets:
        inside = {place[i] for i in each}
        covers[min(inside)].append(inside)
    kind = np.int32 if costs.highest < 2**31 else np.int64
    decisions, least = [], 0
    for k, i in enumerate(order):
        parts = [set(axes) for axes in waiting[k]] + covers[k]
        # The next one to be eliminated is the last axis.
        places = tuple(sorted(set[int]({k}).union(*parts), reverse=True))
        table: NDArray[Any] = np.zeros([2] * len(places), dtype=kind)
        for axes, part in waiting[k].items():
            if should_stop():
                return None
            table += part.reshape([2 if m in axes else 1 for m in places])
        for covering in covers[k]:
            if should_stop():
                return None
            table[tuple(0 if m in covering else slice(None) for m in places)] = (
                costs.too_high
            )
        waiting[k] = {}
        table[..., 1] += costs.items[i]
        decisions.append((places[:-1], table[..., 1] < table[..., 0]))
        rest = np.minimum(table.min(axis=-1), costs.too_high)
        if len(places) == 1:
            least += int(rest)
            continue
        # Tables of the same items are one.
        into = waiting[places[-2]]
        axes = places[:-1]
        into[axes] = into[axes] + rest if axes in into else rest
    items = sorted(order[k] for k in _decided(decisions))
    return np.array(items, dtype=np.int64), least >= costs.too_high


def _decided(
    decisions: list[tuple[tuple[int, ...], np.ndarray]],
) -> Iterator[int]:
    """The places of the items that are taken: the last one is decided first."""
    taken = [0] * len(decisions)
    for k in range(len(decisions) - 1, -1, -1):
        places, is_taken = decisions[k]
        if is_taken[tuple(taken[m] for m in places)]:
            taken[k] = 1
            yield k
