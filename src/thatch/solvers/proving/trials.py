"""All selections of a few open items, tried one by one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thatch.arrays import Ints
from thatch.problem.selection import Selection
from thatch.solvers.proving.open_items import OpenItems


def selections_to_compare(state: OpenItems) -> Iterator[Selection]:
    """Selections that may be against the claim, highest coverage first.

    All others are worse, or exceed a limit, in whole units; these must be compared
    exactly.
    """
    if state.is_beaten:
        return
    claim, taken = state.claim, state.taken
    chosen = _within_rows(state)
    values = _covered(state, chosen)
    order = np.argsort(-values, kind="stable")
    for k in order[: np.count_nonzero(values >= claim.target)].tolist():
        items = np.sort(np.append(taken, state.items[chosen[k]]))
        yield Selection(claim.problem, items)


def _within_rows(state: OpenItems) -> np.ndarray:
    """Which open items are chosen: one row per selection that keeps the limits."""
    rows, size = state.claim.rows, state.items.size
    place = np.full(state.claim.problem.num_items, -1)
    place[state.items] = np.arange(size)
    inside = place[rows.items] >= 0
    columns, used = place[rows.items][inside], rows.row_of[inside]
    kept, used = np.unique(used, return_inverse=True)
    values = np.zeros((size, kept.size), dtype=np.int64)
    values[columns, used] = rows.counted_values[inside]
    # The room counts what all items that take something off a row take off it.
    room = state.room[kept]
    chosen = np.zeros((1, size), dtype=bool)
    spent = np.zeros((1, kept.size), dtype=np.int64)
    for k in range(size):
        without = spent + np.maximum(-values[k], 0)
        with_item = spent + np.maximum(values[k], 0)
        more = chosen.copy()
        more[:, k] = True
        spent = np.concatenate([without, with_item])
        chosen = np.concatenate([chosen, more])
        fits = (spent <= room).all(axis=1)
        spent, chosen = spent[fits], chosen[fits]
    return chosen


def _covered(state: OpenItems, chosen: np.ndarray) -> Ints:
    """What each selection covers, in units."""
    elements = np.flatnonzero(state.can_count)
    place = np.full(state.left.size, -1)
    place[elements] = np.arange(elements.size)
    owners = np.repeat(np.arange(state.items.size), np.diff(state.start))
    columns = place[state.elements]
    covers = np.zeros((state.items.size, elements.size), dtype=np.float32)
    covers[owners[columns >= 0], columns[columns >= 0]] = 1.0
    counts = chosen.astype(np.float32) @ covers
    weights = state.claim.counted_weights[elements]
    values = np.full(chosen.shape[0], state.covered)
    for k, a in enumerate(elements.tolist()):
        values += np.where(counts[:, k] >= state.left[a], weights[k], 0)
    return values
