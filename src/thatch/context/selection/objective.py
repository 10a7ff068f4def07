"""The objective: relevant tokens, each counted once, as a coverage problem.

The weight of a chunk is its size times its relevance, sharpened. So a chunk is worth
taking in proportion to what it costs, and only relevance decides between two; a long
chunk is not better than two short ones, nor worse. Runs of terms that several chunks
share, as overlapping windows do, count once.
"""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Floats, Ints, distinct
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.text.relevance.passage_terms import PassageTerms

# Chunks share runs of this many terms, or nothing.
_TERMS_PER_RUN = 3
# An odd number, for numbers of runs that hardly ever collide.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def scaled(scores: Floats) -> Floats:
    """Scores of any ranker as relevances from 0 to 1, in the same order.

    The highest becomes 1. Negative scores, such as those of cross-encoders, are moved
    up first. Chunks with the lowest score are still relevant, if hardly: whoever scores
    chunks has chosen them before. Equal scores tell nothing, and all become 1.

    >>> scaled(np.array([4.0, 2.0, 0.0])), scaled(np.array([1.0, -1.0]))
    (array([1.  , 0.5 , 0.01]), array([1.  , 0.01]))
    """
    if not scores.size or scores.min() == scores.max():
        return np.ones(scores.size)
    # Smaller numbers, so that differences cannot overflow.
    scores = scores / float(np.abs(scores).max())
    lowest = min(float(scores.min()), 0.0)
    relative: Floats = (scores - lowest) / max(float(scores.max()) - lowest, 1e-300)
    # Relevance of what a ranker puts last.
    return np.maximum(relative, 0.01)


def densities(relevances: Floats) -> Floats:
    """Weight per token of chunks.

    >>> densities(np.array([1.0, 0.5]))
    array([1.   , 0.125])
    """
    # Relevance to this power: what is half as relevant weighs an eighth.
    sharpened: Floats = relevances**3
    return sharpened


def coverage_of(
    terms: PassageTerms,
    relevances: Floats,
    costs: Floats,
    budget: float,
    *,
    max_edges: float = inf,
) -> CoverageProblem:
    """The problem of choosing chunks: each covers runs of words that it shares.

    A run that several of the selected chunks share counts once, by the chunk in which
    it is worth most. So a chunk alone weighs what its own relevance says, whichever
    other chunks there are. Runs that most chunks share count in each of them if there
    would be too many edges otherwise.
    """
    size, total_weights = terms.num_passages, densities(relevances) * costs
    owners, runs, num_runs = _shared_runs(terms)
    owners, groups, counts = _grouped(owners, runs)
    owners, groups = _rarest(owners, groups, max_edges)
    # What one run of each chunk is worth there.
    worths = total_weights / np.maximum(num_runs, 1)
    num_shared = np.bincount(owners, counts[groups], minlength=size)
    shares = num_shared / np.maximum(num_runs, 1)
    own = total_weights * np.maximum(1.0 - shares, 0.0)
    items, layers, weights = _layered(owners, groups, counts, worths)
    items = np.concatenate([np.arange(size), items])
    numbers = np.concatenate([np.arange(size), size + layers])
    all_weights = np.concatenate([own, weights])
    edges = Edges.between(items, numbers, num_items=size, num_elements=all_weights.size)
    return CoverageProblem(costs, all_weights, budget, edges)


def _shared_runs(terms: PassageTerms) -> tuple[Ints, Ints, Ints]:
    """Runs of terms that at least two chunks have.

    Returns two parallel arrays, the chunk and the number of the run, sorted by run and
    chunk, and the number of distinct runs of every chunk, shared or not.
    """
    runs, owners = _runs(terms)
    order = np.lexsort((owners, runs))
    runs, owners = runs[order], owners[order]
    is_same = runs[1:] == runs[:-1]
    is_new = np.ones(runs.size, dtype=np.bool_)
    is_new[1:] = ~is_same | (owners[1:] != owners[:-1])
    runs, owners = runs[is_new], owners[is_new]
    is_same = runs[1:] == runs[:-1]
    is_shared = np.zeros(runs.size, dtype=np.bool_)
    is_shared[1:] |= is_same
    is_shared[:-1] |= is_same
    is_first = np.ones(runs.size, dtype=np.bool_)
    is_first[1:] = ~is_same
    lengths = np.bincount(owners, minlength=terms.num_passages)
    return owners[is_shared], np.cumsum(is_first[is_shared]) - 1, lengths


def _runs(terms: PassageTerms) -> tuple[NDArray[np.uint64], Ints]:
    """A number for each run of terms, and the chunk that it is in."""
    numbers, size = terms.terms.astype(np.uint64), terms.terms.size
    total = np.zeros(max(size - _TERMS_PER_RUN + 1, 0), dtype=np.uint64)
    for k in range(_TERMS_PER_RUN):
        # Integers of 64 bits wrap around, as they should here.
        total = (total + numbers[k : k + total.size] + np.uint64(1)) * _FACTOR
    first, last = terms.owners[: total.size], terms.owners[_TERMS_PER_RUN - 1 :]
    is_whole = first == last[: total.size]
    return total[is_whole], first[is_whole]


def _grouped(owners: Ints, runs: Ints) -> tuple[Ints, Ints, Ints]:
    """Groups of runs that the same chunks share.

    Returns two parallel arrays, the chunk and the number of the group, and the number
    of runs of each group.
    """
    num_runs = int(runs.max(initial=-1)) + 1
    # Equal sums of random numbers mean equal sets of chunks.
    signatures = np.random.default_rng(0).integers(
        2**63, size=int(owners.max(initial=-1)) + 1, dtype=np.int64
    )
    sums = np.zeros(num_runs, dtype=np.int64)
    np.add.at(sums, runs, signatures[owners])
    kinds = distinct(sums)
    group_of = np.searchsorted(kinds, sums)
    firsts = np.full(kinds.size, num_runs)
    np.minimum.at(firsts, group_of, np.arange(num_runs))
    is_first = np.zeros(num_runs, dtype=np.bool_)
    is_first[firsts] = True
    kept = is_first[runs]
    counts = np.bincount(group_of, minlength=kinds.size)
    return owners[kept], group_of[runs[kept]], counts


def _rarest(owners: Ints, groups: Ints, max_edges: float) -> tuple[Ints, Ints]:
    """The groups that the fewest chunks share, up to a number of edges.

    Takes and returns two parallel arrays, the chunk and the number of the group.
    """
    sizes = np.bincount(groups)
    num_edges = sizes * (sizes + 1) // 2
    if num_edges.sum() <= max_edges:
        return owners, groups
    order = np.argsort(sizes, kind="stable")
    is_kept = np.zeros(sizes.size, dtype=np.bool_)
    is_kept[order[np.cumsum(num_edges[order]) <= max_edges]] = True
    return owners[is_kept[groups]], groups[is_kept[groups]]


def _layered(
    owners: Ints, groups: Ints, counts: Ints, worths: Floats
) -> tuple[Ints, Ints, Floats]:
    """Elements that make a group of runs worth the most that a selected chunk says.

    The chunks of a group are ordered by what a run is worth in them. The first one
    covers all layers of the group, and every other one layer less than the one before
    it. A layer weighs the difference to the next chunk.

    Returns two parallel arrays, the chunk and the layer, and the weights of the layers.
    """
    order = np.lexsort((-worths[owners], groups))
    owners, groups = owners[order], groups[order]
    is_last = np.ones(groups.size, dtype=np.bool_)
    is_last[:-1] = groups[1:] != groups[:-1]
    lower = np.zeros(groups.size)
    lower[:-1] = np.where(is_last[:-1], 0.0, worths[owners[1:]])
    weights = counts[groups] * (worths[owners] - lower)
    ends = np.searchsorted(groups, groups, side="right")
    lengths = ends - np.arange(groups.size)
    items = np.repeat(owners, lengths)
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    firsts = np.repeat(np.arange(groups.size), lengths)
    layers = np.arange(items.size) - starts + firsts
    # Chunks of equal worth need one layer only.
    is_kept = weights > 0
    number_of = np.cumsum(is_kept) - 1
    is_covered = is_kept[layers]
    return items[is_covered], number_of[layers[is_covered]], weights[is_kept]
