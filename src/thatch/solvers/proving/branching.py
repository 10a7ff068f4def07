"""What to branch on: an item, or how many of a cluster of items are taken."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.solvers.proving.item_model import ItemModel, Relaxed
from thatch.solvers.proving.open_items import OpenItems

# An item whose share is an integer counts like one that is that far from it.
_LEAST_FRACTION = 1e-6
# Clusters are looked for if this many items are open, and an element has this many:
# where few items cover the same, one item tells as much as a cluster.
_LEAST_ITEMS, _LEAST_DEGREE = 60, 6.0
# Clusters around this many items are considered; the best few are compared by linear
# programs, with this many steps each.
_NUM_CENTERS, _NUM_COMPARED, _STEPS_TO_COMPARE = 60, 8, 150
# The sum of the shares of a cluster is at least so far from an integer.
_LEAST_CLEARANCE = 0.25


def item_to_branch_on(state: OpenItems, relaxed: Relaxed) -> int:
    """The open item whose share is least clear, weighted by what it may cover.

    Choices that solve programs for several items to compare them need half as many
    nodes, but took longer in all on problems of 100 to 250 items.
    """
    shares = relaxed.shares[state.items]
    fraction = np.maximum(np.minimum(shares, 1.0 - shares), _LEAST_FRACTION)
    weights = state.claim.weights / np.maximum(state.left, 1)
    sums = np.append(0.0, np.cumsum(weights[state.elements]))
    effect = np.diff(sums[state.start])
    # Where nothing is covered, the share alone decides.
    score = fraction * (effect + 1e-9 * sums[-1] + 1e-300)
    return int(state.items[np.argmax(score)])


def has_clusters(state: OpenItems) -> bool:
    """Whether items that cover much the same are worth counting."""
    claim = state.claim
    degree = state.elements.size / max(1, int(state.can_count.sum()))
    is_simple = claim.demands.max(initial=1) == 1 and claim.most_covered is not None
    return state.items.size >= _LEAST_ITEMS and degree >= _LEAST_DEGREE and is_simple


def cluster_to_split(
    state: OpenItems, relaxed: Relaxed, relaxation: ItemModel
) -> tuple[Ints, int] | None:
    """Items that cover much the same, and the number to split at; None if none is good.

    Where many items are alike, as sites in a plane are, leaving out one of them changes
    nothing: others take its place. How many there are in a neighborhood matters.
    """
    if not has_clusters(state):
        return None
    found = sorted(_clusters(state, relaxed), key=lambda each: each[0])
    best, best_score = None, 0.0
    for _, items, most in found[:_NUM_COMPARED]:
        falls = relaxation.falls(items, most, max_steps=_STEPS_TO_COMPARE)
        # A case that is closed is closed: falling further is worth no more.
        score = min(falls[0], relaxed.excess) * min(falls[1], relaxed.excess)
        if score > best_score:
            best, best_score = (items, most), score
    return best


def _clusters(state: OpenItems, relaxed: Relaxed) -> Iterator[tuple[float, Ints, int]]:
    """Clusters, with how far the sums of their shares are from the middle."""
    shares = relaxed.shares[state.items]
    covered = _sums_of(state)
    centers = np.argsort(-np.minimum(shares, 1.0 - shares), kind="stable")
    centers = centers[:_NUM_CENTERS]
    centers = centers[(shares[centers] > 0.0) & (shares[centers] < 1.0)]
    common_of = _common_weights(state, centers)
    seen = set()
    for center, common in zip(centers.tolist(), common_of, strict=True):
        likeness = common / (covered + covered[center] - common)
        alike = np.argsort(-likeness, kind="stable")[: np.count_nonzero(common)]
        sums = np.cumsum(shares[alike])
        # A cluster ends before the next item that has a share.
        has_next = np.append(shares[alike][1:] > _LEAST_FRACTION, True)
        clearance = np.minimum(sums % 1.0, 1.0 - sums % 1.0)
        for end in np.flatnonzero(has_next & (clearance > _LEAST_CLEARANCE)).tolist():
            most = int(sums[end])
            items = np.sort(state.items[alike[: end + 1]])
            if most > 2 or items.tobytes() in seen:
                continue
            seen.add(items.tobytes())
            yield 0.5 - float(clearance[end]) + 0.05 * most, items, most


def _common_weights(state: OpenItems, centers: Ints) -> Floats:
    """The weight that each center has in common with each open item."""
    import scipy.sparse

    by_item = scipy.sparse.csr_array(
        (np.ones(state.elements.size), state.elements, state.start),
        shape=(state.items.size, state.left.size),
    )
    weighted = by_item[centers] * state.claim.weights
    found: Floats = (weighted @ by_item.T).toarray()
    return found


def _sums_of(state: OpenItems) -> Floats:
    """The weight that each open item may cover."""
    weights = np.append(0.0, np.cumsum(state.claim.weights[state.elements]))
    return np.maximum(np.diff(weights[state.start]), 1e-300)
