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

# The first sentence counts this much more than the beginning of the decay.
_FIRST, _EARLY = 1.0, 2.0
# Documents of more sentences than this are long: by their length relative to it, their
# places decay more slowly, and count more, by this power.
_SENTENCES, _POWER = 40, 1.5
# Up to this many documents repeat less of what matters than many on one subject do:
# there, places count twice.
_FEW_DOCUMENTS, _FEW_FACTOR = 5, 2.0
# A list of records, such as one review per line, has no beginning. It consists of at
# least this many paragraphs, which have hardly more than one sentence each.
_MIN_RECORDS, _SENTENCES_PER_RECORD = 30, 1.25


def prominence(passages: Passages) -> Floats:
    """Score of the place of each passage in its document: float64, one per passage.

    Passage k, from 0, of n scores L^1.5 ([k = 0] + 2 / (1 + k/L)), where L is n/40, at
    least 1; twice that if there are at most five documents. In a list of records, L is
    1, and nothing is doubled.

    >>> text = "First. Second. Third."
    >>> prominence(Passages.of([Document(text), Document("Another.")])).tolist()
    [6.0, 2.0, 1.3333333333333333, 6.0]
    """
    is_few = len(passages.documents) <= _FEW_DOCUMENTS
    factor = _FEW_FACTOR if is_few else 1.0
    scores = []
    for d, group in groupby(passages, key=lambda passage: passage.document):
        count = len(list(group))
        is_list = _is_list_of_records(passages.documents[d], count)
        length = 1.0 if is_list else max(1.0, count / _SENTENCES)
        places = np.arange(count)
        decay = _FIRST * (places == 0) + _EARLY / (1 + places / length)
        scores.append((1.0 if is_list else factor) * length**_POWER * decay)
    return np.concatenate(scores) if scores else np.zeros(0)


def _is_list_of_records(document: Document, num_sentences: int) -> bool:
    num_paragraphs = sum(block.kind is BlockKind.PROSE for block in document.blocks)
    return (
        num_paragraphs >= _MIN_RECORDS
        and num_sentences <= _SENTENCES_PER_RECORD * num_paragraphs
    )
