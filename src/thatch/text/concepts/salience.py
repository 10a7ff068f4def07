"""Salience, the default concept scheme: frequent and early words and word pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.text.concepts.occurrences import ConceptTable, Occurrences
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import Passages

__all__ = ["Salience"]

# A concept must occur in two sentences, because what is said once is rarely what the
# text is about. In texts of few sentences every word counts.
_MIN_PASSAGES, _MANY_PASSAGES = 2, 50
# Factor of earliness, and exponent of the sum of counts.
_EARLINESS, _POWER = 2.0, 1.5
# Factors by kind: a pair of words, a pair of stop words, a word, a stop word.
_PAIR, _STOP_PAIR, _WORD, _STOP_WORD = 1.0, 0.25, 0.2, 0.1
# Weight of a word that occurs in one sentence only, relative to the heaviest concept:
# enough to use up a budget, too little to influence anything else.
_UNIQUE_WORD = 1e-4


@dataclass(frozen=True)
class Salience:
    """Words and pairs of words, weighted by how often, widely and early they occur.

    A concept in s sentences of d documents, f of which contain it in the first
    sentence, weighs (s + d + f + 2 e)^1.5. Here e is the sum over its documents of 1/k,
    where k is the number of the first sentence that contains it. Pairs of stop words
    weigh a quarter of that, single words a fifth, and stop words a tenth. A pair must
    occur in two sentences. In texts of 50 sentences or more, so must a word: words of
    one sentence weigh next to nothing, and only serve to use up a budget.

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
        pairs = words.neighbors()
        stop = terms.stop_terms()
        min_passages = 1 if len(passages) < _MANY_PASSAGES else _MIN_PASSAGES
        shared = words.restricted_to(words.num_passages >= min_passages)
        shared_pairs = pairs.restricted_to(pairs.num_passages >= _MIN_PASSAGES)
        tables = [
            _weighted(shared, stop, factor=_WORD, stop_factor=_STOP_WORD),
            _weighted(shared_pairs, stop, factor=_PAIR, stop_factor=_STOP_PAIR),
        ]
        heaviest = max(table.weights.max(initial=0.0) for table in tables) or 1.0
        unique = words.restricted_to(words.num_passages < min_passages)
        return ConceptTable.joined(
            [*tables, _unique_words(unique, word_weight=_UNIQUE_WORD * heaviest)]
        )


def _weighted(
    found: Occurrences, stop: frozenset[str], *, factor: float, stop_factor: float
) -> ConceptTable:
    count = (
        found.num_passages
        + found.num_documents
        + found.num_first_passages
        + _EARLINESS * found.earliness
    )
    factors = np.where(found.is_among(stop), stop_factor, factor)
    return found.table(factors * count**_POWER)


def _unique_words(unique: Occurrences, *, word_weight: float) -> ConceptTable:
    """One concept per passage for the words that no other passage contains."""
    passages, first = np.unique(unique.passage_indices, return_index=True)
    num_words = np.diff(first, append=unique.passage_indices.size)
    return ConceptTable(
        ("unique words",) * passages.size,
        word_weight * num_words,
        passages,
        np.arange(passages.size),
    )
