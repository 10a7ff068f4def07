"""Prominence: what the place of a sentence in its document says about it.

Authors put first what matters most. How much that counts depends on the length of the
document: in a long one, words are repeated more often, and the introduction has more
sentences.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from thatch.arrays import Floats
from thatch.text.documents.document import BlockKind, Document
from thatch.text.passages.passages import Passages

__all__ = ["prominence"]

# The first sentence counts this much more than the beginning of the decay; that of a
# single document twice as much.
_FIRST, _EARLY, _FIRST_OF_SINGLE = 1.0, 2.0, 2.0
# Documents of more sentences than this are long: by their length relative to it, their
# places decay more slowly, and count more, by this power.
_SENTENCES, _POWER = 40, 1.5
# Up to this many documents repeat less of what matters than many on one subject do:
# there, places count twice, and in a single document a little more.
_FEW_DOCUMENTS, _FEW_FACTOR, _SINGLE_FACTOR = 5, 2.0, 2.5
# A list of records, such as one review per line, has no beginning. It consists of at
# least this many paragraphs, which have hardly more than one sentence each.
_MIN_RECORDS, _SENTENCES_PER_RECORD = 30, 1.25


def prominence(passages: Passages) -> Floats:
    """Score of the place of each passage in its document: float64, one per passage.

    Passage k, from 0, of n scores L^1.5 ([k = 0] + 2 / (1 + k/L)), where L is n/40, at
    least 1; twice that if there are at most five documents. In a single document it is
    2.5 times that, and [k = 0] counts twice. In a list of records L is 1, and there are
    no such factors.

    >>> text = "First. Second. Third."
    >>> prominence(Passages.of([Document(text), Document("Another.")])).tolist()
    [6.0, 2.0, 1.3333333333333333, 6.0]
    """
    factor, first = 1.0, _FIRST
    if len(passages.documents) == 1:
        factor, first = _SINGLE_FACTOR, _FIRST_OF_SINGLE
    elif len(passages.documents) <= _FEW_DOCUMENTS:
        factor = _FEW_FACTOR
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
