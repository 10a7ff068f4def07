"""Selections from shares of items."""

from __future__ import annotations

import numpy as np

from thatch.arrays import Floats
from thatch.problem.selection import Selection
from thatch.solvers.proving.open_items import OpenItems


def rounded(state: OpenItems, shares: Floats) -> Selection:
    """The items taken, and open ones by their shares while no limit is exceeded.

    Limits from below, and prerequisites, may be missed.
    """
    rows = state.claim.rows
    open_entries = np.flatnonzero(state.is_open[rows.items] & (rows.counted_values > 0))
    order = np.argsort(rows.items[open_entries], kind="stable")
    entries = open_entries[order]
    row_of = rows.row_of[entries].tolist()
    values = rows.counted_values[entries].tolist()
    bounds = np.searchsorted(rows.items[entries], np.append(state.items, -1))
    ends = np.searchsorted(rows.items[entries], state.items, side="right").tolist()
    starts = bounds[:-1].tolist()
    room = state.room.tolist()
    chosen = []
    for k in _best_first(state, shares):
        used = range(starts[k], ends[k])
        if all(values[e] <= room[row_of[e]] for e in used):
            for e in used:
                room[row_of[e]] -= values[e]
            chosen.append(k)
    items = np.sort(np.append(state.taken, state.items[np.array(chosen, dtype=int)]))
    return Selection(state.claim.problem, items)


def _best_first(state: OpenItems, shares: Floats) -> list[int]:
    """Open items by their share, then by what they cover per cost."""
    weights = state.claim.weights / np.maximum(state.left, 1)
    sums = np.append(0.0, np.cumsum(weights[state.elements]))
    gains = np.diff(sums[state.start])
    costs = state.claim.problem.costs[state.items]
    merits = gains / np.maximum(costs, 1e-300 + 1e-9 * float(costs.max(initial=0.0)))
    steps: Floats = np.round(shares[state.items], 6)
    order: list[int] = np.lexsort((-merits, -steps)).tolist()
    return order
