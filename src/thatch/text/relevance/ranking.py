"""Lexical relevance of passages to a query, with the structure that they are in.

Words alone find a passage only if it repeats those of the question. The answer is often
next to such a passage, in the same section, on the date or by the person that the
question names; so these count, too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from thatch.arrays import Floats, Ints, sums_by
from thatch.errors import InputError
from thatch.text.language.words import words_of
from thatch.text.relevance.passage_terms import PassageTerms
from thatch.text.relevance.structure import Structure

# How soon further occurrences of a term count little, and how much long texts are
# discounted.
_SATURATION, _LENGTH_DISCOUNT = 1.2, 0.75
# How many of the best passages feedback reads, how many terms it takes from them, and
# the share of the weight that these have.
_FEEDBACK_PASSAGES, _FEEDBACK_TERMS, _FEEDBACK_SHARE = 10, 10, 0.5


def bm25(counts: Floats, lengths: Floats, weights: Floats) -> Floats:
    """Score of each text by the terms that it shares with the query.

    `counts` has shape (num_texts, num_terms). Robertson and Zaragoza, "The
    Probabilistic Relevance Framework: BM25 and Beyond", Foundations and Trends in
    Information Retrieval, 2009.
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


# Share of a passage's score that neighbors get, by their distance.
_NEIGHBOR_SHARES = {1: 0.5, 2: 0.25}
# What the best section, and being said by the person whom the query names, add to the
# score of a passage; the best passage has a score of 1 before.
_SECTION_BONUS, _SPEAKER_BONUS = 0.6, 0.2


def relevances(terms: PassageTerms, query: str, structure: Structure) -> Floats:
    """Relevance of each passage: float64, shape (num_passages,), from 0 to 1."""
    if not words_of(query):
        raise InputError(f"query {query!r} contains no words.", hint="Omit the query.")
    # A query of stop words only is a query for those.
    asked = terms.of_query(query) or terms.of_query(query, with_stop_words=True)
    named = _named_speakers(structure, asked, terms)
    names = {term for name in named for term in terms.of_query(name)}
    # The name of a speaker tells who said it, not what was said.
    content = {t: w for t, w in asked.items() if t not in names} or asked
    terms = terms.with_labels(structure.labels)
    scores = _scores(terms, content)
    if not structure.neighbors(1)[0].size:
        content = with_feedback(content, terms, scores)
        scores = _scores(terms, content)
    found = _relative(with_neighbors(scores, structure, _NEIGHBOR_SHARES))
    if structure.sections.max(initial=-1) > 0:
        found += _SECTION_BONUS * _section_scores(terms, content, structure.sections)
    if len(named) == 1:
        is_said = np.array(structure.speakers) == named[0]
        found[is_said] += _SPEAKER_BONUS * found.max(initial=0.0)
    return _relative(found)


def centralities(terms: PassageTerms) -> Floats:
    """How much each passage says of what many say: float64, from 0 to 1.

    It is the relevance to a query of the terms that passages share most.
    """
    if not terms.num_passages:
        return np.zeros(0)
    frequencies = np.where(
        terms.document_frequencies > 1, terms.document_frequencies, 0
    )
    weights = frequencies * terms.rarities
    # Of the terms that passages share, a hundred matter.
    best = np.argsort(-weights, kind="stable")[:100]
    names = list(terms.vocabulary)
    query = {names[k]: float(weights[k]) for k in best.tolist() if weights[k] > 0}
    scores = _scores(terms, query) if query else np.zeros(terms.num_passages)
    # Where nothing is shared, all passages are alike.
    return _relative(scores) if scores.any() else np.ones(terms.num_passages)


def with_neighbors(
    scores: Floats, structure: Structure, shares: Mapping[int, float]
) -> Floats:
    """The scores with shares of those of the neighbors."""
    found = scores.copy()
    for distance, share in shares.items():
        earlier, later = structure.neighbors(distance)
        found[earlier] += share * scores[later]
        found[later] += share * scores[earlier]
    return found


def _scores(terms: PassageTerms, query: Mapping[str, float]) -> Floats:
    weights = np.array(list(query.values()))
    return bm25(terms.counts(list(query)), terms.lengths, weights)


def _section_scores(
    terms: PassageTerms, query: Mapping[str, float], sections: Ints
) -> Floats:
    """Score of the section of each passage, relative to the best section."""
    counts, is_in = terms.counts(list(query)), sections >= 0
    size = sections.max() + 1
    totals = np.zeros((size, len(query)))
    np.add.at(totals, sections[is_in], counts[is_in])
    lengths = sums_by(sections[is_in], terms.lengths[is_in], size)
    scores = _relative(bm25(totals, lengths, np.array(list(query.values()))))
    return np.where(is_in, scores[sections], 0.0)


def _named_speakers(
    structure: Structure, query: Mapping[str, float], terms: PassageTerms
) -> list[str]:
    """The speakers whom the query names, by a term that no other speaker has."""
    names = sorted(set(structure.speakers) - {""})
    if len(names) < 2:
        return []
    terms_of = {name: terms.of_query(name).keys() for name in names}
    counts = Counter(term for found in terms_of.values() for term in found)
    return [
        name
        for name in names
        if any(counts[term] == 1 for term in terms_of[name] & query.keys())
    ]


def _relative(scores: Floats) -> Floats:
    highest = float(scores.max(initial=0.0))
    relative: Floats = scores / max(highest, 1e-12)
    return relative
