"""The objective: relevant tokens, each counted once, as a coverage problem.

The weight of a chunk is its size times its relevance, sharpened. So a chunk is worth
taking in proportion to what it costs, and only relevance decides between two; a long
chunk is not better than two short ones, nor worse. Runs of terms that several chunks
share, as overlapping windows do, are covered once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Floats, Ints, distinct, sums_by
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.text.relevance.passage_terms import PassageTerms

__all__ = ["coverage_of", "scaled"]

# Relevance to this power: what is half as relevant weighs an eighth.
_SHARPNESS = 3
# Relevance of what a ranker puts last.
_LEAST_RELEVANCE = 0.01
# Chunks share runs of this many terms, or nothing.
_TERMS_PER_RUN = 3
# An odd number, for numbers of runs that hardly ever collide.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def scaled(scores: Floats) -> Floats:
    """Scores of any ranker as relevances from 0 to 1, in the same order.

    The highest becomes 1. Negative scores, such as those of cross-encoders, are moved
    up first. Chunks with the lowest score are still relevant, if hardly: whoever scores
    chunks has chosen them before.

    >>> scaled(np.array([4.0, 2.0, 0.0])), scaled(np.array([1.0, -1.0]))
    (array([1.  , 0.5 , 0.01]), array([1.  , 0.01]))
    """
    lowest = min(float(scores.min(initial=0.0)), 0.0)
    highest = float(scores.max(initial=lowest))
    relative: Floats = (scores - lowest) / max(highest - lowest, 1e-300)
    return np.maximum(relative, _LEAST_RELEVANCE)


def coverage_of(
    terms: PassageTerms, relevances: Floats, costs: Floats, budget: float
) -> CoverageProblem:
    """The problem of choosing chunks: each covers runs of words that it shares.

    The first elements are what each chunk has for itself, in order.

    Parameters
    ----------
    terms
        Terms of the chunks.
    relevances
        How relevant each is, from 0 to 1.
    costs
        Size of each as printed.
    budget
        Maximum total size.

    >>> terms = PassageTerms.of(["Snow fell.", "We left."])
    >>> problem = coverage_of(terms, np.ones(2), np.full(2, 3.0), 4)
    >>> problem.weights, problem.budget
    (array([3., 3.]), 4)
    """
    densities, size = relevances**_SHARPNESS, terms.num_passages
    owners, sharers, lengths = _shared_runs(terms)
    # The size of one run of each chunk, and what it is worth there.
    worth = densities * costs / np.maximum(lengths, 1.0)
    num_shared = int(sharers.max(initial=-1)) + 1
    weights = np.zeros(num_shared)
    np.maximum.at(weights, sharers, worth[owners])
    shares = np.bincount(owners, minlength=size) / np.maximum(lengths, 1.0)
    own = densities * costs * np.maximum(1.0 - shares, 0.0)
    pairs, elements, weights = _merged(owners, sharers, weights)
    items = np.concatenate([np.arange(size), pairs])
    numbers = np.concatenate([np.arange(size), size + elements])
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


def _merged(owners: Ints, runs: Ints, weights: Floats) -> tuple[Ints, Ints, Floats]:
    """Runs that the same chunks share, as one element each."""
    # Equal sums of random numbers mean equal sets of chunks.
    signatures = np.random.default_rng(0).integers(
        2**63, size=int(owners.max(initial=-1)) + 1, dtype=np.int64
    )
    sums = np.zeros(weights.size, dtype=np.int64)
    np.add.at(sums, runs, signatures[owners])
    kinds = distinct(sums)
    kind_of = np.searchsorted(kinds, sums)
    firsts = np.full(kinds.size, weights.size)
    np.minimum.at(firsts, kind_of, np.arange(weights.size))
    is_first = np.zeros(weights.size, dtype=np.bool_)
    is_first[firsts] = True
    kept = is_first[runs]
    return owners[kept], kind_of[runs[kept]], sums_by(kind_of, weights, kinds.size)
