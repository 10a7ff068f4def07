"""Methods that select chunks: thatch, and what people use instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import bm25s
import numpy as np
import pyversity
import Stemmer
from numpy.typing import NDArray

import thatch
from thatch.context.selection.pool import Pool
from thatch.text import Unit
from thatch.text.relevance.passage_terms import PassageTerms
from thatch.text.relevance.ranking import with_feedback

Floats = NDArray[np.float64]
SEPARATOR = "\n"
# How much MMR and others care for relevance, and when two chunks say the same to plain
# deduplication.
_RELEVANCE, _MIN_COSINE = 0.7, 0.6


@dataclass(frozen=True)
class Ranked:
    """A pool with what rankers of other packages need, made once per pool."""

    chunks: Sequence[Mapping[str, Any]]
    texts: Sequence[str]
    costs: Floats
    index: bm25s.BM25
    terms: PassageTerms
    #: Rows of length 1: weights of terms by tf-idf.
    vectors: Floats
    #: Whether a chunk is none of those that resemble a longer one.
    is_longest: NDArray[np.bool_]
    pool: Pool

    @classmethod
    def of(cls, chunks: Sequence[Mapping[str, Any]], unit: Unit) -> Ranked:
        """Index the chunks of a pool."""
        texts = [str(chunk["text"]) for chunk in chunks]
        index = bm25s.BM25()
        index.index(_tokens(texts), show_progress=False)
        terms = PassageTerms.of(texts, language="en")
        vectors = _vectors(terms)
        return cls(
            chunks,
            texts,
            np.array(unit.measure_each([SEPARATOR + text for text in texts])),
            index,
            terms,
            vectors,
            _is_longest(vectors, terms.lengths),
            Pool.of(texts, chunks, language="en"),
        )

    def bm25(self, query: str) -> Floats:
        """Scores by bm25s."""
        (tokens,) = _tokens([query])
        if not tokens:
            return np.zeros(len(self.texts))
        return self.index.get_scores(tokens).astype(np.float64)

    def bm25_with_feedback(self, query: str) -> Floats:
        """Scores by bm25s of the query with terms of the best chunks (RM3)."""
        scores = self.bm25(query)
        expanded = with_feedback(self.terms.of_query(query), self.terms, scores)
        total = np.zeros(len(self.texts))
        for term, weight in expanded.items():
            total += weight * self.index.get_scores([term])
        return total


def _tokens(texts: Sequence[str]) -> list[list[str]]:
    found = bm25s.tokenize(
        list(texts),
        stopwords="en_plus",
        stemmer=Stemmer.Stemmer("english"),
        return_ids=False,
        show_progress=False,
    )
    return list(found)


def _vectors(terms: PassageTerms) -> Floats:
    table = np.zeros((terms.num_passages, terms.num_terms))
    np.add.at(table, (terms.owners, terms.terms), 1.0)
    table *= terms.rarities
    return table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)


def _is_longest(vectors: Floats, lengths: Floats) -> NDArray[np.bool_]:
    """Plain deduplication: of chunks that resemble each other, the longest is kept."""
    is_alike = vectors @ vectors.T >= _MIN_COSINE
    is_kept = np.zeros(len(vectors), dtype=np.bool_)
    for k in np.argsort(-lengths, kind="stable").tolist():
        is_kept[k] = not (is_alike[k] & is_kept).any()
    return is_kept


def top(scores: Floats, pool: Ranked, budget: float) -> list[int]:
    """The chunks of the highest scores, as long as they fit."""
    return fitting(np.argsort(-scores, kind="stable").tolist(), pool, budget)


def fitting(order: Sequence[int], pool: Ranked, budget: float) -> list[int]:
    """Chunks in order; those that do not fit are skipped."""
    left, chosen = budget, []
    for k in order:
        if pool.costs[k] <= left:
            left -= pool.costs[k]
            chosen.append(k)
    return chosen


def diversified(
    strategy: str, scores: Floats, pool: Ranked, budget: float
) -> list[int]:
    """The order of pyversity, as long as it fits."""
    best = np.argsort(-scores, kind="stable")
    # Enough to fill the budget: the others are not reached.
    best = best[: int(np.searchsorted(np.cumsum(pool.costs[best]), 4 * budget)) + 1]
    # Its strategies expect scores that are comparable with cosines.
    scaled = scores[best] / max(float(scores[best].max()), 1e-12)
    found = pyversity.diversify(
        pool.vectors[best], scaled, len(best), strategy, 1 - _RELEVANCE
    )
    return fitting(best[found.indices].tolist(), pool, budget)


def selected(
    pool: Ranked, query: str, budget: float, unit: Unit, *, has_scores: bool
) -> list[int]:
    """What thatch selects, by its own relevance or the scores of bm25s."""
    options: dict[str, Any] = (
        {"scores": pool.bm25(query)} if has_scores else {"query": query}
    )
    context = thatch.select(
        pool.chunks, budget, unit=unit, separator=SEPARATOR, **options
    )
    assert unit.measure(context.text) <= budget
    return context.indices


Method = Callable[[Ranked, str, float], list[int]]
Ranker = Callable[[Ranked, str], Floats]


def methods(unit: Unit) -> dict[str, Method]:
    """Methods by name; the first is what others are compared with."""

    def by_bm25(pool: Ranked, query: str) -> Floats:
        return pool.bm25(query)

    def by_thatch(pool: Ranked, query: str) -> Floats:
        return pool.pool.relevances(query)

    found: dict[str, Method] = {
        "BM25 top-k": partial(_top_by, by_bm25),
        "BM25 and RM3, top-k": partial(_top_by, Ranked.bm25_with_feedback),
    }
    for strategy in ("mmr", "msd", "dpp", "cover", "ssd"):
        name = f"BM25, pyversity {strategy}"
        found[name] = partial(_diversified_by, strategy, by_bm25)
    found["thatch, scores of BM25"] = partial(_selected_by, unit, True)
    found["ranking of thatch, top-k"] = partial(_top_by, by_thatch)
    for strategy in ("mmr", "dpp"):
        name = f"ranking of thatch, pyversity {strategy}"
        found[name] = partial(_diversified_by, strategy, by_thatch)
    found["ranking of thatch, plain deduplication"] = partial(_deduplicated, by_thatch)
    found["thatch"] = partial(_selected_by, unit, False)
    return found


def _top_by(ranker: Ranker, pool: Ranked, query: str, budget: float) -> list[int]:
    return top(ranker(pool, query), pool, budget)


def _deduplicated(ranker: Ranker, pool: Ranked, query: str, budget: float) -> list[int]:
    scores = np.where(pool.is_longest, ranker(pool, query), -np.inf)
    order = np.argsort(-scores, kind="stable")[: pool.is_longest.sum()]
    return fitting(order.tolist(), pool, budget)


def _diversified_by(
    strategy: str, ranker: Ranker, pool: Ranked, query: str, budget: float
) -> list[int]:
    return diversified(strategy, ranker(pool, query), pool, budget)


def _selected_by(
    unit: Unit, has_scores: bool, pool: Ranked, query: str, budget: float
) -> list[int]:
    return selected(pool, query, budget, unit, has_scores=has_scores)
