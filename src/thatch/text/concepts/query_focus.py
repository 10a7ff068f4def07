"""Query focus: concepts of passages that answer a query weigh more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import Passages

__all__ = ["focused"]


def focused(table: ConceptTable, passages: Passages, query: str) -> ConceptTable:
    """Return the table with weights multiplied by their relevance to a query.

    The relevance of a passage is the share of the query's terms that it contains, rare
    terms counting more. The relevance of a concept is the mean over the passages that
    contain it. Weights are multiplied by its square.

    Raises
    ------
    InputError
        If the query contains no word, or no word of the text.
    """
    relevances = _relevances(passages, query)
    num_concepts = len(table.concepts)
    num_passages = np.bincount(table.concept_indices, minlength=num_concepts)
    sums = np.bincount(
        table.concept_indices,
        weights=relevances[table.passage_indices],
        minlength=num_concepts,
    )
    means = sums / np.maximum(num_passages, 1)
    # Squared, because concepts that the whole text repeats would outweigh the others.
    return replace(table, weights=table.weights * means**2)


def _relevances(passages: Passages, query: str) -> Floats:
    """Relevance of each passage: float64, shape (num_passages,), from 0 to 1."""
    query_terms = _query_terms(passages, query)
    if not query_terms:
        raise InputError(f"query {query!r} contains no word.", hint="Omit the query.")
    if not len(passages):
        return np.zeros(0)
    contains = np.array(
        [
            [
                term[passages.languages[passage.document]] in terms
                for term in query_terms
            ]
            for passage, terms in zip(passages, map(set, passages.terms), strict=True)
        ]
    )
    num_passages = contains.sum(axis=0)
    if not num_passages.any():
        raise InputError(
            f"query {query!r} has no word in common with the text.",
            hint="Use words of the text, or omit the query.",
        )
    # Terms of every passage do not distinguish passages; rare ones do.
    rarities = np.log((1 + len(passages)) / np.maximum(num_passages, 1))
    rarities[num_passages == 0] = 0.0
    relevances: Floats = contains @ (rarities / rarities.sum())
    return relevances


def _query_terms(passages: Passages, query: str) -> list[dict[str, str]]:
    """Each word of the query that counts: its term in every language of the text."""
    terms = {code: Terms(code) for code in dict.fromkeys(passages.languages)}
    columns = [next(each.of_each([query])) for each in terms.values()]
    words = sorted(set(zip(*columns, strict=True)))
    # Stop words do not count, in whichever of the languages the query is. A query of
    # stop words only is a query for those.
    stop = [each.stop_terms() for each in terms.values()]
    telling = [
        word
        for word in words
        if not any(term in of for term, of in zip(word, stop, strict=True))
    ]
    return [dict(zip(terms, word, strict=True)) for word in telling or words]
