"""What must be so in every selection that reaches the target."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thatch.verification.rows import Ints, NotProvedError
from thatch.verification.states import State


def with_needed(state: State, items: Ints) -> State:
    """The state with those items taken without which no selection reaches the target.

    Without an item, elements that need all of their open items do not count.
    """
    items = np.unique(items[state.is_open[items]])
    weights, left = state.claim.counted_weights, state.left
    is_tight = (state.counts == left)[state.elements]
    lost = np.where(is_tight, weights[state.elements], 0)
    sums = np.append(0, np.cumsum(lost))
    needed = sums[state.start[1:]] - sums[state.start[:-1]]
    place = np.searchsorted(state.items, items)
    items = items[state.reachable - needed[place] < state.target]
    found = state.decided(items, items[:0]).normalized()
    return replace(found, priced=state.priced)


def without_implied(state: State, pairs: Ints) -> State:
    """The state in which the first elements of pairs count, because the second do.

    Without the second one the target is out of reach, and all its open items cover the
    first one, which needs no more of them. What implies another is not implied itself,
    so that a selection that covers what is left covers all.
    """
    one, other = pairs[:, 0], pairs[:, 1]
    if np.isin(other, one).any():
        raise NotProvedError("an element that is implied implies another one")
    left, counts = state.left, state.counts
    kept = (left[one] > 0) & (left[other] > 0)
    one, other = one[kept], other[kept]
    size = np.int64(state.claim.num_items)
    keys = state.elements * size + np.repeat(state.items, np.diff(state.start))
    keys.sort()
    sizes, ends = counts[other], np.cumsum(counts)
    offset = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    items = keys[np.repeat(ends[other] - sizes, sizes) + offset] % size
    needed = np.repeat(one, sizes) * size + items
    found = np.searchsorted(keys, needed)
    is_there = keys[np.minimum(found, keys.size - 1)] == needed
    is_enough = (left[one] <= left[other]) & state.must_count[other]
    if not (is_there.all() and is_enough.all()):
        raise NotProvedError("an element is left out that no other one implies")
    left = left.copy()
    left[one] = 0
    none = np.zeros(0, dtype=np.int64)
    found_state = replace(state, left=left).decided(none, none).normalized()
    return replace(found_state, priced=state.priced)
