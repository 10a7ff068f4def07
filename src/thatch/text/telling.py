"""The default concepts: words and pairs of words that many documents tell early."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.text.occurrences import ConceptTable, Occurrences
from thatch.text.passages import Passages
from thatch.text.terms import Terms

__all__ = ["Telling"]

# What a concept is worth by its kind: a pair of words with a content word among them, a
# pair of stop words, a content word, a stop word.
_PAIR, _STOP_PAIR, _WORD, _STOP_WORD = 1.0, 0.25, 0.3, 0.1
_FIRST_SENTENCES, _EARLINESS = 2.0, 0.5
# What the words of a passage are worth that are no concepts, against the weightiest
# concept: they fill what is left of a budget, and decide nothing else.
_REST = 1e-4


@dataclass(frozen=True)
class Rest:
    """All that a passage says: it is worth little, and the same words only once."""

    terms: tuple[str, ...]

    def __str__(self) -> str:
        return "all its words"


@dataclass(frozen=True)
class Telling:
    """Words and pairs of words, by how many documents hold them, and how early.

    A concept that d documents hold, f of them in the first sentence, weighs
    (d + 2 f + sum over documents of 1 / (2 place))^1.5, where its place is the number
    of the sentence; less if it is a single word, and still less for stop words.
    """

    #: Concepts that fewer documents hold are left out.
    min_documents: int = 3
    power: float = 1.5

    def weigh(self, passages: Passages) -> ConceptTable:
        """Words and pairs of words of the passages, with their weights."""
        terms = Terms(passages.language)
        lists = list(terms.of_each(p.text for p in passages))
        words = Occurrences.of(lists, passages)
        stop = terms.stop_terms()
        told = [
            self._table(words, stop, worth=_WORD, worth_of_stop=_STOP_WORD),
            self._table(
                words.neighbours(), stop, worth=_PAIR, worth_of_stop=_STOP_PAIR
            ),
        ]
        most = max(table.weights.max(initial=0.0) for table in told) or 1.0
        return ConceptTable.joined([*told, _rest(lists, passages, worth=_REST * most)])

    def _table(
        self,
        found: Occurrences,
        stop: frozenset[str],
        *,
        worth: float,
        worth_of_stop: float,
    ) -> ConceptTable:
        found = found.narrowed(found.num_documents >= self.min_documents)
        told = (
            found.num_documents
            + _FIRST_SENTENCES * found.num_first_sentences
            + _EARLINESS * found.earliness
        )
        kind = np.where(found.is_among(stop), worth_of_stop, worth)
        return found.table(kind * told**self.power)


def _rest(lists: list[list[str]], passages: Passages, *, worth: float) -> ConceptTable:
    """All that each passage says as one concept, by the number of its words."""
    found = Occurrences.of(
        ([Rest(tuple(terms))] if terms else [] for terms in lists), passages
    )
    num_words = [len(set(rest.terms)) for rest in found.concepts]  # type: ignore[attr-defined]
    weights = worth * np.array(num_words, dtype=np.float64)
    return found.table(weights)
