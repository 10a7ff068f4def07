"""Components of the open items: all selections of each, combined one by one.

At a price of the budget every component has a best selection. Others lose something
against it, and losses add up: combinations that lose too much are dropped, and of those
that cost more and gain less than another one, only the other one stays.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thatch.verification.claims import Claim
from thatch.verification.rows import Ints, NotProvedError
from thatch.verification.states import Prices, State

# Items of a component, and combinations that are kept; more takes too long.
_MOST_ITEMS, _MOST_STATES = 16, 2_000_000


def combine(state: State, price: float) -> None:
    """Combine all components; raise an error if the claim may be false."""
    claim = state.claim
    if not claim.is_plain or len(claim.rows) > 1:
        raise NotProvedError("components are not independent under its constraints")
    point = {"elements": np.zeros(claim.weights.size), "rows": [price]}
    charges, allowed = Prices.of(claim, point).charges(state)
    costs, limit = state.costs
    limit -= int(costs[state.is_taken].sum())
    bound = int(claim.counted_weights[state.left <= 0].sum()) + allowed
    undecided, cheapest = [], 0
    for members in _components(state):
        points = _points(state, members, costs, charges)
        best = int((points[1] - points[2]).max())
        bound += best
        cheapest += int(points[0].min())
        undecided.append((points, best))
    slack = bound - state.target
    if slack < 0:
        return
    _combine_points(claim, undecided, slack, limit, allowed, cheapest)


def _combine_points(
    claim: Claim,
    undecided: list[tuple[Ints, int]],
    slack: int,
    limit: int,
    allowed: int,
    cheapest: int,
) -> None:
    """Combine one point of each component; raise an error if some are good enough."""
    # Costs, losses, and what the budget charges, per combination.
    states = np.array([[0], [0], [0]], dtype=np.int64)
    kept = []
    for points, best in undecided:
        losses = best - (points[1] - points[2])
        is_open = losses <= slack
        triples = np.array([points[0], losses, points[2]])[:, is_open]
        kept.append(
            (int(np.sort(losses)[1]) if losses.size > 1 else 0, triples, points)
        )
    for _, triples, points in sorted(kept, key=lambda each: -each[0]):
        cheapest -= int(points[0].min())
        claim.require_time()
        sums = (states[:, :, None] + triples[:, None, :]).reshape(3, -1)
        inside = (sums[1] <= slack) & (sums[0] + cheapest <= limit)
        states = _efficient(sums[:, inside])
        if states.shape[1] > _MOST_STATES:
            raise NotProvedError("there are too many selections to combine")
    unused = np.maximum(allowed - states[2], 0)
    if (states[1] + unused <= slack).any():
        raise NotProvedError("a selection of its components contradicts it")


def _efficient(states: Ints) -> Ints:
    """The states of which no other one costs as little and is worth as much."""
    # What is charged is not lost in the end.
    losses = states[1] - states[2]
    order = np.lexsort((losses, states[0]))
    ordered = losses[order]
    lowest = np.minimum.accumulate(ordered)
    is_first = np.append(True, ordered[1:] < lowest[:-1])[: order.size]
    return states[:, order[is_first]]


def _points(state: State, members: Ints, costs: Ints, charges: Ints) -> Ints:
    """Cost, weight and charge of the useful selections of a component."""
    claim = state.claim
    pieces = [state.elements[state.start[k] : state.start[k + 1]] for k in members]
    elements, columns = np.unique(np.concatenate(pieces), return_inverse=True)
    covers = np.zeros((len(members), elements.size), dtype=bool)
    rows = np.repeat(np.arange(len(members)), [each.size for each in pieces])
    covers[rows, columns] = True
    covered = np.zeros((1, elements.size), dtype=bool)
    sums = np.zeros((2, 1), dtype=np.int64)
    for own, k in zip(covers, members.tolist(), strict=True):
        covered = np.concatenate([covered, covered | own])
        more = sums + np.array([[costs[state.items[k]]], [charges[k]]])
        sums = np.concatenate([sums, more], axis=1)
    values = covered.astype(np.int64) @ claim.counted_weights[elements]
    order = np.lexsort((-values, sums[0]))
    highest = np.maximum.accumulate(values[order])
    is_first = np.append(True, values[order][1:] > highest[:-1])
    kept = order[is_first]
    return np.array([sums[0][kept], values[kept], sums[1][kept]])


def _components(state: State) -> Iterator[Ints]:
    """The places of the items of each component."""
    sizes = np.diff(state.start)
    if not sizes.size:
        return
    items = np.repeat(np.arange(sizes.size), sizes)
    labels = np.arange(sizes.size)
    while True:
        lowest = np.full(state.left.size, sizes.size)
        np.minimum.at(lowest, state.elements, labels[items])
        found = labels.copy()
        np.minimum.at(found, items, lowest[state.elements])
        found = found[found]
        if np.array_equal(found, labels):
            break
        labels = found
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(labels[order]) != 0, True)) + 1
    for members in np.split(order, ends[:-1]):
        if members.size > _MOST_ITEMS:
            raise NotProvedError("a component has too many items")
        yield members
