"""BM25: relevance of texts to a query by the terms that they share.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
Foundations and Trends in Information Retrieval, 2009.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from thatch.arrays import Floats, sums_by
from thatch.text.relevance.passage_terms import PassageTerms

# How soon further occurrences of a term count little, and how much long texts are
# discounted.
_SATURATION, _LENGTH_DISCOUNT = 1.2, 0.75
# How many of the best passages feedback reads, how many terms it takes from them, and
# the share of the weight that these have.
_FEEDBACK_PASSAGES, _FEEDBACK_TERMS, _FEEDBACK_SHARE = 10, 10, 0.5


def bm25(counts: Floats, lengths: Floats, weights: Floats) -> Floats:
    """Score of each text: float64, shape (num_texts,).

    `counts` has shape (num_texts, num_terms).
    """
    if not counts.size:
        return np.zeros(len(counts))
    frequencies = np.count_nonzero(counts, axis=0)
    rarities = np.log1p((len(counts) - frequencies + 0.5) / (frequencies + 0.5))
    relative = lengths / max(lengths.mean(), 1e-12)
    discounts = 1 - _LENGTH_DISCOUNT + _LENGTH_DISCOUNT * relative
    saturated = counts * (_SATURATION + 1)
    saturated /= counts + _SATURATION * discounts[:, np.newaxis]
    scores: Floats = saturated @ (rarities * weights)
    return scores


def with_feedback(
    query: Mapping[str, float], terms: PassageTerms, scores: Floats
) -> dict[str, float]:
    """The query with terms of the passages that it finds first (RM3).

    Rare terms that several of these passages share weigh most. Lavrenko and Croft,
    "Relevance-Based Language Models", SIGIR 2001.
    """
    best = np.argsort(-scores, kind="stable")[:_FEEDBACK_PASSAGES]
    best = best[scores[best] > 0]
    if not best.size:
        return dict(query)
    shares = np.zeros(terms.num_passages)
    shares[best] = scores[best] / scores[best].sum()
    shares /= np.maximum(terms.lengths, 1.0)
    weights = sums_by(terms.terms, shares[terms.owners], terms.num_terms)
    weights *= terms.rarities
    added = np.argsort(-weights, kind="stable")[:_FEEDBACK_TERMS]
    added = added[weights[added] > 0]
    names = list(terms.vocabulary)
    total, total_added = sum(query.values()), float(weights[added].sum())
    expanded = {t: (1 - _FEEDBACK_SHARE) * w / total for t, w in query.items()}
    for k in added.tolist():
        share = _FEEDBACK_SHARE * float(weights[k]) / total_added
        expanded[names[k]] = expanded.get(names[k], 0.0) + share
    return expanded
