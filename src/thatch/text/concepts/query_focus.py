"""Query focus: passages that answer a query, and what they say, weigh more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from thatch.arrays import Flags, Floats, sums_by
from thatch.errors import InputError
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.passages.passages import Passages
from thatch.text.relevance.passage_terms import PassageTerms
from thatch.text.relevance.ranking import relevances
from thatch.text.relevance.structure import Structure, with_dates_in_words

# The weight of all passages for their relevance, as a multiple of the weight of all
# concepts, and how fast it falls where more is relevant than the budget allows.
_RELEVANCE_WEIGHT, _POWER = 4.0, 3


class _Relevance(NamedTuple):
    """The concept that stands for the relevance of a passage."""

    passage: int


@dataclass(frozen=True, eq=False)
class QueryFocus:
    """How much the relevance of passages weighs, which depends on the budget.

    If the relevant passages fit the budget, how well each of them answers decides; if
    there are many more, what they say together.
    """

    #: bool, shape (num_concepts,): the concepts that stand for relevance.
    is_relevance: Flags
    #: float64, shape (num_concepts,): weights where all that is relevant fits.
    weights: Floats
    #: How much is relevant, in the unit of the budget.
    size: float

    @classmethod
    def of(cls, table: ConceptTable, size: float) -> QueryFocus:
        """The focus of a table of `focused`, which may have been divided since then."""
        is_relevance = [isinstance(concept, _Relevance) for concept in table.concepts]
        return cls(np.array(is_relevance, dtype=np.bool_), table.weights, size)

    def at(self, table: ConceptTable, budget: float) -> ConceptTable:
        """The table with the weights for a budget."""
        share = min(budget / max(self.size, 1e-12), 1.0) ** _POWER
        weights = np.where(self.is_relevance, share * self.weights, self.weights)
        return replace(table, weights=weights)


def focused(
    table: ConceptTable, passages: Passages, query: str
) -> tuple[ConceptTable, float]:
    """Return the table with weights by their relevance to a query.

    The relevance of a concept is the mean over the passages that contain it; weights
    are multiplied by its square. Each passage has a further concept, which weighs by
    its relevance and its length. The second value is the share of the text that is
    relevant, where a passage of half the relevance counts an eighth.
    """
    found = _relevances(passages, query)
    num_concepts = len(table.concepts)
    counts = np.bincount(table.concept_indices, minlength=num_concepts)
    sums = sums_by(table.concept_indices, found[table.passage_indices], num_concepts)
    # Squared, because concepts that the whole text repeats would outweigh the others.
    weights = table.weights * (sums / np.maximum(counts, 1)) ** 2
    lengths = np.array(passages.num_words, dtype=np.float64)
    # To the third power, so that length cannot make up for relevance.
    own = found**3 * lengths
    share = float(own.sum()) / max(float(lengths.sum()), 1.0)
    own *= _RELEVANCE_WEIGHT * weights.sum() / max(float(own.sum()), 1e-12)
    numbers = np.arange(len(passages), dtype=np.int32)
    of_passages = ConceptTable(
        tuple(map(_Relevance, range(len(passages)))),
        own,
        numbers,
        numbers,
        np.zeros(len(passages), dtype=np.bool_),
    )
    joined = ConceptTable.joined([replace(table, weights=weights), of_passages])
    return joined, share


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
