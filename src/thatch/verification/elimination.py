"""The least cost of covering what is left, by eliminating one item after the other.

Whether an item is taken matters to those that share elements with it. So it is decided
for each selection of these alone, whichever is cheaper, and is then eliminated: what is
left is a table with one cost for each of their selections. If every table is small, the
last one is the least cost of all selections that cover what must be covered.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch.verification.claims import Ints, NotProvedError
from thatch.verification.states import State

# Items of a table, and numbers in all tables together.
_MOST_ITEMS, _MOST_NUMBERS = 26, 2**30


@dataclass(frozen=True, eq=False)
class _Table:
    """One cost for each selection of some items, the first eliminated last."""

    #: Places in the order.
    items: tuple[int, ...]
    #: shape (2, 2, ...): costs, at most the least one that is too high.
    costs: NDArray[Any]


def eliminate(state: State, order: Ints) -> None:
    """Eliminate all open items; raise an error if a selection is cheap enough."""
    costs, limit = state.costs
    limit -= int(costs[state.is_taken].sum())
    place = np.full(state.claim.num_items, -1)
    place[order] = np.arange(order.size)
    if np.unique(order).size < order.size or (place[state.items] < 0).any():
        raise NotProvedError("it does not eliminate every open item once")
    divisor = gcd(*costs[state.items].tolist()) or 1
    too_high = max(limit, -1) // divisor + 1
    # Sums of one number per item must not overflow.
    most = (too_high + int(costs[state.items].max(initial=0)) // divisor) * (
        order.size + 2
    )
    if most >= 2**63:
        raise NotProvedError("its costs are too large to be added")
    kind = np.int32 if most < 2**31 else np.int64
    least = 0
    tables: list[list[_Table]] = [[] for _ in order]
    elements = _elements(state, place)
    total = 0
    for k, i in enumerate(order.tolist()):
        state.claim.require_time()
        others = {m for table in tables[k] for m in table.items}
        others |= {m for each in elements[k] for m in each}
        items = tuple(sorted(others | {k}, reverse=True))
        total += 2 ** len(items)
        if len(items) > _MOST_ITEMS or total > _MOST_NUMBERS:
            raise NotProvedError("its tables are too large")
        found = _sum(items, tables[k], elements[k], too_high, kind)
        found[..., 1] += int(costs[i]) // divisor
        rest = np.minimum(found.min(axis=-1), too_high)
        tables[k] = []
        if len(items) == 1:
            least += int(rest)
        else:
            tables[items[-2]].append(_Table(items[:-1], rest))
    if least < too_high:
        raise NotProvedError("a selection covers everything at a lower cost")


def _elements(state: State, place: Ints) -> list[set[tuple[int, ...]]]:
    """The items of each element that must count, at its item that comes first.

    One item must be taken of each. What the target can do without is left out.
    """
    counts = np.bincount(state.elements, minlength=state.left.size)
    weights = state.claim.counted_weights
    most = int(weights[(state.left <= 0) | (counts >= state.left)].sum())
    is_needed = (state.left > 0) & (counts > 0) & (most - weights < state.target)
    order = np.argsort(state.elements, kind="stable")
    owners = place[np.repeat(state.items, np.diff(state.start))[order]]
    ends = np.cumsum(counts)
    found: list[set[tuple[int, ...]]] = [
        set() for _ in range(place.max(initial=-1) + 1)
    ]
    for a in np.flatnonzero(is_needed).tolist():
        items = np.sort(owners[ends[a] - counts[a] : ends[a]]).tolist()
        found[items[0]].add(tuple(items))
    return found


def _sum(
    items: tuple[int, ...],
    tables: list[_Table],
    elements: set[tuple[int, ...]],
    too_high: int,
    kind: type[Any],
) -> NDArray[Any]:
    """What all tables of an item cost together, by selection of some items."""
    found = np.zeros((2,) * len(items), dtype=kind)
    for table in tables:
        inside = set(table.items)
        found += table.costs.reshape([2 if m in inside else 1 for m in items])
    for each in elements:
        inside = set(each)
        # Without any of its items, an element is not covered.
        found[tuple(0 if m in inside else slice(None) for m in items)] = too_high
    return found
