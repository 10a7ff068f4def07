"""The least cost of covering what is left, by eliminating one item after the other.

Whether an item is taken matters to those that share elements with it. So it is decided
for each selection of these alone, whichever is cheaper, and is then eliminated: what is
left is a table with one cost for each of their selections. If every table is small, the
last one is the least cost of all selections that cover what must be covered.
"""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch.verification.claims import Claim
from thatch.verification.rows import Ints, NotProvedError
from thatch.verification.states import State

# Items of a table, and numbers in all tables together: a gigabyte or two.
_MOST_ITEMS, _MOST_NUMBERS = 25, 2**28


#: One cost for each selection of some places in the order, the last ones first: costs
#: of shape (2, 2, ...), at most the least one that is too high.
_Tables = dict[tuple[int, ...], NDArray[Any]]


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
    tables: list[_Tables] = [{} for _ in order]
    elements = _elements(state, place)
    total = 0
    for k, i in enumerate(order.tolist()):
        others = {m for each in tables[k] for m in each}
        others |= {m for each in elements[k] for m in each}
        items = tuple(sorted(others | {k}, reverse=True))
        total += 2 ** (len(items) - 1)
        if len(items) > _MOST_ITEMS or total > _MOST_NUMBERS:
            raise NotProvedError("its tables are too large")
        found = np.zeros((2,) * len(items), dtype=kind)
        _add(state.claim, found, items, tables[k], elements[k], too_high)
        found[..., 1] += int(costs[i]) // divisor
        rest = np.minimum(found.min(axis=-1), too_high)
        tables[k] = {}
        if len(items) == 1:
            least += int(rest)
            continue
        # Tables of the same items are one.
        into = tables[items[-2]]
        into[items[:-1]] = into[items[:-1]] + rest if items[:-1] in into else rest
    if least < too_high:
        raise NotProvedError("a selection covers everything at a lower cost")


def _elements(state: State, place: Ints) -> list[set[tuple[int, ...]]]:
    """The items of each element that must count, at its item that comes first.

    One item must be taken of each. What the target can do without is left out.
    """
    counts = state.counts
    order = np.argsort(state.elements, kind="stable")
    owners = place[np.repeat(state.items, np.diff(state.start))[order]]
    ends = np.cumsum(counts)
    found: list[set[tuple[int, ...]]] = [
        set() for _ in range(place.max(initial=-1) + 1)
    ]
    for a in np.flatnonzero(state.must_count).tolist():
        items = np.sort(owners[ends[a] - counts[a] : ends[a]]).tolist()
        found[items[0]].add(tuple(items))
    return found


def _add(
    claim: Claim,
    found: NDArray[Any],
    items: tuple[int, ...],
    tables: _Tables,
    elements: set[tuple[int, ...]],
    too_high: int,
) -> None:
    """Add what all tables of an item cost together, by selection of some items."""
    for inside, costs in tables.items():
        claim.require_time()
        found += costs.reshape([2 if m in inside else 1 for m in items])
    for inside in elements:
        claim.require_time()
        # Without any of its items, an element is not covered.
        found[tuple(0 if m in inside else slice(None) for m in items)] = too_high
