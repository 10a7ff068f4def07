"""Query focus: passages that answer a query, and what they say, weigh more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thatch.arrays import Floats, sums_by
from thatch.errors import InputError
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.passages.passages import Passages
from thatch.text.relevance.dates import with_dates_in_words
from thatch.text.relevance.passage_terms import PassageTerms
from thatch.text.relevance.ranking import relevances
from thatch.text.relevance.structure import Structure

__all__ = ["focused"]

# Relevance to this power, so that length cannot make up for it.
_SHARPNESS = 3
# The weight of all passages for their relevance, as a multiple of the weight of all
# concepts.
_RELEVANCE_WEIGHT = 1.0


def focused(table: ConceptTable, passages: Passages, query: str) -> ConceptTable:
    """Return the table with weights by their relevance to a query.

    The relevance of a concept is the mean over the passages that contain it; weights
    are multiplied by its square. Each passage has a further concept of its own, which
    weighs by its relevance and its length: how well a passage answers matters beside
    what passages say together.

    Raises
    ------
    InputError
        If the query contains no word, or no word of the text.
    """
    found = _relevances(passages, query)
    num_concepts = len(table.concepts)
    counts = np.bincount(table.concept_indices, minlength=num_concepts)
    sums = sums_by(table.concept_indices, found[table.passage_indices], num_concepts)
    # Squared, because concepts that the whole text repeats would outweigh the others.
    weights = table.weights * (sums / np.maximum(counts, 1)) ** 2
    own = found**_SHARPNESS * np.array(passages.num_words, dtype=np.float64)
    own *= _RELEVANCE_WEIGHT * weights.sum() / max(float(own.sum()), 1e-12)
    numbers = np.arange(len(passages), dtype=np.int32)
    of_passages = ConceptTable(
        tuple(("relevance", p) for p in range(len(passages))),
        own,
        numbers,
        numbers,
        np.zeros(len(passages), dtype=np.bool_),
    )
    return ConceptTable.joined([replace(table, weights=weights), of_passages])


def _relevances(passages: Passages, query: str) -> Floats:
    """Relevance of each passage: float64, shape (num_passages,), from 0 to 1."""
    if not len(passages):
        return np.zeros(0)
    terms = PassageTerms.of_lists(
        passages.terms, languages=passages.languages, stop_terms=passages.stop_terms
    )
    if not terms.of_query(query):
        terms = PassageTerms.of_lists(passages.terms, languages=passages.languages)
    found = relevances(terms, with_dates_in_words(query), _structure(passages))
    if not found.any():
        raise InputError(
            f"query {query!r} has no word in common with the text.",
            hint="Use words of the text, or omit the query.",
        )
    return found


def _structure(passages: Passages) -> Structure:
    """Neighbors within documents, sections by headings, dates and speakers."""
    documents = [passages.documents[passage.document] for passage in passages]
    headings = [
        document.headings_at(passage.start)
        for document, passage in zip(documents, passages, strict=True)
    ]
    numbers: dict[object, int] = {}
    sections = [
        numbers.setdefault((passage.document, above), len(numbers))
        for passage, above in zip(passages, headings, strict=True)
    ]
    return Structure(
        order=np.arange(len(passages)),
        runs=np.array([passage.document for passage in passages], dtype=np.int64),
        sections=np.array(sections, dtype=np.int64),
        labels=[
            " ".join([*above, with_dates_in_words(document.date)])
            for document, above in zip(documents, headings, strict=True)
        ],
        speakers=[
            document.place_at(passage.start).speaker
            for document, passage in zip(documents, passages, strict=True)
        ],
    )
