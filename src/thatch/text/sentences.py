"""Sentences of a text, by offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["sentence_spans"]

# Line breaks inside a paragraph are spaces; half characters would not reach the
# segmenter. Each is replaced by one character, so that offsets stay.
_UNWANTED = re.compile("[\r\n\t\v\f\x85\u2028\u2029\ud800-\udfff]")


def sentence_spans(text: str, *, language: str) -> Iterator[tuple[int, int]]:
    """Where each sentence of a paragraph starts and ends, without white space around.

    >>> text = "Dr. Hu left.  She had to."
    >>> [text[start:end] for start, end in sentence_spans(text, language="en")]
    ['Dr. Hu left.', 'She had to.']
    """
    import sentencex

    plain = _UNWANTED.sub(" ", text)
    place = 0
    for piece in sentencex.segment(language, plain):
        start = plain.find(piece, place)
        place = start + len(piece)
        start += len(piece) - len(piece.lstrip())
        end = start + len(piece.strip())
        if start < end:
            yield start, end
