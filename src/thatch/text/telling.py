"""The default concepts: words and pairs of words that are told often and early."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.text.occurrences import ConceptTable, Occurrences
from thatch.text.passages import Passages
from thatch.text.terms import Terms

__all__ = ["Telling"]

# A concept must be in so many sentences: what is said once is not what a text is about.
_MIN_PASSAGES = 2
# Being early in a document counts twice, and how much is told counts more than
# proportionally.
_EARLINESS, _POWER = 2.0, 1.5
# What a concept is worth by its kind: a pair of words, a pair of stop words, a word, a
# stop word.
_PAIR, _STOP_PAIR, _WORD, _STOP_WORD = 1.0, 0.25, 0.2, 0.1
# What each word of a passage is worth beside the weightiest concept, whatever it says:
# it fills what is left of a budget, and decides nothing else.
_REST = 1e-4


@dataclass(frozen=True)
class Telling:
    """Words and pairs of words, by how often, how widely and how early they are told.

    A concept that s sentences hold, in d documents, in f of them the first sentence,
    weighs (s + d + f + 2 e)^1.5, where e is the sum over its documents of 1 / number
    of the first sentence that holds it. Pairs of stop words count a quarter of that,
    single words a fifth, stop words a tenth. What only one sentence holds is left out.

    >>> from thatch.text.document import Document
    >>> passages = Passages.of([Document("Old snow fell. Old snow lay.")])
    >>> table = Telling().weigh(passages)
    >>> dict(zip(table.names(), table.weights.round(2).tolist(), strict=True))
    {'old': 2.94, 'snow': 2.94, 'old snow': 14.7, 'all its words': 0.0}
    """

    def weigh(self, passages: Passages) -> ConceptTable:
        """Words and pairs of words of the passages, with their weights."""
        terms = Terms(passages.language)
        lists = list(terms.of_each(p.text for p in passages))
        words = Occurrences.of(lists, passages)
        stop = terms.stop_terms()
        told = [
            _told(words, stop, worth=_WORD, worth_of_stop=_STOP_WORD),
            _told(words.neighbours(), stop, worth=_PAIR, worth_of_stop=_STOP_PAIR),
        ]
        most = max(table.weights.max(initial=0.0) for table in told) or 1.0
        return ConceptTable.joined([*told, _rest(lists, passages, worth=_REST * most)])


def _told(
    found: Occurrences, stop: frozenset[str], *, worth: float, worth_of_stop: float
) -> ConceptTable:
    found = found.narrowed(found.num_passages >= _MIN_PASSAGES)
    times = (
        found.num_passages
        + found.num_documents
        + found.num_first_sentences
        + _EARLINESS * found.earliness
    )
    kind = np.where(found.is_among(stop), worth_of_stop, worth)
    return found.table(kind * times**_POWER)


@dataclass(frozen=True)
class _Rest:
    """All the words of a passage: another with the same words adds nothing."""

    terms: frozenset[str]

    def __str__(self) -> str:
        return "all its words"


def _rest(lists: list[list[str]], passages: Passages, *, worth: float) -> ConceptTable:
    """All words of each passage as one concept, by how many there are."""
    found = Occurrences.of(
        ([_Rest(frozenset(terms))] if terms else [] for terms in lists), passages
    )
    counts = [len(rest.terms) for rest in found.concepts if isinstance(rest, _Rest)]
    return found.table(worth * np.array(counts, dtype=np.float64))
