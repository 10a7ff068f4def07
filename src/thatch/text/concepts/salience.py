"""Salience, the default concept scheme: frequent and early words and word pairs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby

import numpy as np

from thatch.arrays import Floats
from thatch.text.concepts.occurrences import ConceptTable, Occurrences
from thatch.text.documents.document import BlockKind, Document
from thatch.text.passages.passages import Passages

#: The concept that stands for all words of a passage that no other contains.
UNIQUE_WORDS = "unique words"

# A concept must occur in two sentences, because what is said once is rarely what the
# text is about. In texts of few sentences every word counts.
_MIN_PASSAGES, _MANY_PASSAGES = 2, 50
# Of many documents, what they share counts more: pairs must occur in three of them,
# sentences count less, and words even less than that. From 10 documents to 25, the
# share of a sentence falls to 10/25.
_FEW_DOCUMENTS, _MANY_DOCUMENTS = 10, 25
# Factors by kind: a pair of words, a pair of stop words, a word, a stop word.
_PAIR, _STOP_PAIR, _WORD, _STOP_WORD = 1.0, 0.25, 0.2, 0.1


@dataclass(frozen=True)
class Salience:
    """Words and pairs of words, weighted by how often, widely and early they occur.

    A concept in s sentences of d documents weighs (s + d + e)^1.5. Here e is the sum,
    over its documents, of the `prominence` of the first sentence that contains it.
    Pairs of stop words weigh a quarter of that, single words a fifth, and stop words a
    tenth. A pair must occur in two sentences. In texts of 50 sentences or more, so must
    a word: words of one sentence weigh next to nothing, and only serve to use up a
    budget.

    If there are D > 10 documents, s counts 10/D, and words weigh (10/D)^2 of the above;
    from 25 documents on, as for 25, and a pair must occur in three documents.

    >>> from thatch.text.documents.document import Document
    >>> passages = Passages.of([Document("Old snow fell. Old snow lay.")])
    >>> table = Salience().weigh(passages)
    >>> dict(zip(table.names(), table.weights.round(2).tolist(), strict=True))
    {'old': 9.37, 'snow': 9.37, 'fell': 8.31, 'lay': 1.91, 'old snow': 46.87}
    """

    def weigh(self, passages: Passages) -> ConceptTable:
        """Words and pairs of words of the passages, with their weights."""
        words = Occurrences.of(passages.terms, passages)
        pairs = words.neighbors()
        num_documents = len(passages.documents)
        share = _FEW_DOCUMENTS / min(
            max(num_documents, _FEW_DOCUMENTS), _MANY_DOCUMENTS
        )
        min_passages = 1 if len(passages) < _MANY_PASSAGES else _MIN_PASSAGES
        shared = words.restricted_to(words.num_passages >= min_passages)
        is_shared = pairs.num_passages >= _MIN_PASSAGES
        if num_documents >= _MANY_DOCUMENTS:
            is_shared &= pairs.num_documents >= 3
        shared_pairs = pairs.restricted_to(is_shared)
        weigh = partial(_weighed, sentence_share=share, prominence=prominence(passages))
        tables = [
            weigh(shared, share**2 * _WORD, share**2 * _STOP_WORD),
            weigh(shared_pairs, _PAIR, _STOP_PAIR),
        ]
        heaviest = max(table.weights.max(initial=0.0) for table in tables) or 1.0
        unique = words.restricted_to(words.num_passages < min_passages)
        # A word that occurs in one sentence only has enough weight to use up a budget,
        # too little to influence anything else.
        return ConceptTable.joined(
            [*tables, _unique_words(unique, word_weight=1e-4 * heaviest)]
        )


def _weighed(
    found: Occurrences,
    factor: float,
    stop_factor: float,
    *,
    sentence_share: float,
    prominence: Floats,
) -> ConceptTable:
    """The concepts with their weights; prominence has one score per passage."""
    count = (
        sentence_share * found.num_passages
        + found.num_documents
        + found.summed_over_documents(prominence)
    )
    is_stop = found.is_among(found.source.stop_terms)
    factors = np.where(is_stop, stop_factor, factor)
    return found.table(factors * count**1.5, is_shown=~is_stop)


def _unique_words(unique: Occurrences, *, word_weight: float) -> ConceptTable:
    """One concept per passage for the words that no other passage contains."""
    passages, first = np.unique(unique.passage_indices, return_index=True)
    num_words = np.diff(first, append=unique.passage_indices.size)
    return ConceptTable(
        (UNIQUE_WORDS,) * passages.size,
        word_weight * num_words,
        passages.astype(np.int32),
        np.arange(passages.size, dtype=np.int32),
    )


# The first sentence counts this much more than the beginning of the decay; that of a
# single document twice as much.
_FIRST, _EARLY, _FIRST_OF_SINGLE = 1.0, 2.0, 2.0
# Documents of more sentences than this are long: by their length relative to it, their
# places decay more slowly, and count more, by this power.
_SENTENCES, _POWER = 40, 1.5
# Up to five documents repeat less of what matters than many on one subject do: there,
# places count twice, and in a single document a little more.
_FIVE_FACTOR, _SINGLE_FACTOR = 2.0, 2.5
# A list of records, such as one review per line, has no beginning. It consists of at
# least this many paragraphs, which have hardly more than one sentence each.
_MIN_RECORDS, _SENTENCES_PER_RECORD = 30, 1.25


def prominence(passages: Passages) -> Floats:
    """Score of the place of each passage in its document: float64, one per passage.

    Passage k, from 0, of n scores L^1.5 ([k = 0] + 2 / (1 + k/L)), where L is n/40, at
    least 1; twice that if there are at most five documents. In a single document it is
    2.5 times that, and [k = 0] counts twice. In a list of records L is 1, and there are
    no such factors.
    """
    factor, first = 1.0, _FIRST
    if len(passages.documents) == 1:
        factor, first = _SINGLE_FACTOR, _FIRST_OF_SINGLE
    elif len(passages.documents) <= 5:
        factor = _FIVE_FACTOR
    scores = []
    for d, group in groupby(passages, key=lambda passage: passage.document):
        count = len(list(group))
        is_list = _is_list_of_records(passages.documents[d], count)
        places = np.arange(count)
        if is_list:
            scores.append(_FIRST * (places == 0) + _EARLY / (1 + places))
            continue
        length = max(1.0, count / _SENTENCES)
        decay = first * (places == 0) + _EARLY / (1 + places / length)
        scores.append(factor * length**_POWER * decay)
    return np.concatenate(scores) if scores else np.zeros(0)


def _is_list_of_records(document: Document, num_sentences: int) -> bool:
    num_paragraphs = sum(block.kind is BlockKind.PROSE for block in document.blocks)
    return (
        num_paragraphs >= _MIN_RECORDS
        and num_sentences <= _SENTENCES_PER_RECORD * num_paragraphs
    )
