"""The default concepts: words and pairs of words that are told often and early."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.text.concepts.occurrences import ConceptTable, Occurrences
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import Passages

__all__ = ["Salience"]

# A concept must be in so many sentences: what is said once is not what the text is
# about. Only where there are few sentences every word counts.
_MIN_PASSAGES, _MANY_PASSAGES = 2, 50
# Being early in a document counts twice, and how much is told counts more than
# proportionally.
_EARLINESS, _POWER = 2.0, 1.5
# What a concept is worth by its kind: a pair of words, a pair of stop words, a word, a
# stop word.
_PAIR, _STOP_PAIR, _WORD, _STOP_WORD = 1.0, 0.25, 0.2, 0.1
# What a word that only one sentence has is worth beside the weightiest concept: it
# fills what is left of a budget, and decides nothing else.
_OWN_WORD = 1e-4


@dataclass(frozen=True)
class Salience:
    """Words and pairs of words, by how often, how widely and how early they are told.

    A concept that s sentences hold, in d documents, in f of them the first sentence,
    weighs (s + d + f + 2 e)^1.5, where e is the sum over its documents of 1 / number
    of the first sentence that holds it. Pairs of stop words count a quarter of that,
    single words a fifth, stop words a tenth. A pair must be in two sentences. So must
    a word, where there are 50 sentences or more: there, what only one of them holds
    counts next to nothing, and fills what is left of a budget.

    >>> from thatch.text.documents.document import Document
    >>> passages = Passages.of([Document("Old snow fell. Old snow lay.")])
    >>> table = Salience().weigh(passages)
    >>> dict(zip(table.names(), table.weights.round(2).tolist(), strict=True))
    {'old': 2.94, 'snow': 2.94, 'fell': 2.24, 'lay': 1.04, 'old snow': 14.7}
    """

    def weigh(self, passages: Passages) -> ConceptTable:
        """Words and pairs of words of the passages, with their weights."""
        terms = Terms(passages.language)
        words = Occurrences.of(terms.of_each(p.text for p in passages), passages)
        pairs = words.neighbours()
        stop = terms.stop_terms()
        least = 1 if len(passages) < _MANY_PASSAGES else _MIN_PASSAGES
        shared = words.narrowed(words.num_passages >= least)
        shared_pairs = pairs.narrowed(pairs.num_passages >= _MIN_PASSAGES)
        told = [
            _told(shared, stop, worth=_WORD, worth_of_stop=_STOP_WORD),
            _told(shared_pairs, stop, worth=_PAIR, worth_of_stop=_STOP_PAIR),
        ]
        most = max(table.weights.max(initial=0.0) for table in told) or 1.0
        own = words.narrowed(words.num_passages < least)
        return ConceptTable.joined([*told, _own_words(own, worth=_OWN_WORD * most)])


def _told(
    found: Occurrences, stop: frozenset[str], *, worth: float, worth_of_stop: float
) -> ConceptTable:
    times = (
        found.num_passages
        + found.num_documents
        + found.num_first_passages
        + _EARLINESS * found.earliness
    )
    kind = np.where(found.is_among(stop), worth_of_stop, worth)
    return found.table(kind * times**_POWER)


def _own_words(own: Occurrences, *, worth: float) -> ConceptTable:
    """What only one passage says: one concept a passage, by how many words it is."""
    passages, first = np.unique(own.passages, return_index=True)
    num_words = np.diff(first, append=own.passages.size)
    return ConceptTable(
        ("words of its own",) * passages.size,
        worth * num_words,
        passages,
        np.arange(passages.size),
    )
