"""Sentences of a text, by offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["sentence_spans"]

# Line breaks inside a paragraph are spaces; the segmenter fails on some wide spaces,
# and half characters would not reach it. Each is replaced by one character, so that
# offsets stay.
_UNWANTED = re.compile(r"[^\S ]|[\ud800-\udfff]")
# Where the segmenter fails all the same, a sentence ends at a full stop and a space.
_PLAIN_END = re.compile(r"(?<=[.!?。！？।])\s+")  # noqa: RUF001

# Where there are no spaces, as in Chinese, the time of the segmenter grows with the
# square of the text: it gets so much at once. Elsewhere it needs to see which
# quotation marks are pairs.
_PIECE = 4_000


def sentence_spans(text: str, *, language: str) -> Iterator[tuple[int, int]]:
    """Where each sentence of a paragraph starts and ends, without white space around.

    >>> text = "Dr. Hu left.  She had to."
    >>> [text[start:end] for start, end in sentence_spans(text, language="en")]
    ['Dr. Hu left.', 'She had to.']
    """
    # Most texts have no other white space than these.
    plain = text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    if not plain.isprintable():
        plain = _UNWANTED.sub(" ", plain)
    longest_run = max(map(len, plain.split()), default=0)
    offset, length = 0, _PIECE if longest_run > _PIECE else len(plain)
    while offset < len(plain):
        is_last = offset + length >= len(plain)
        # What ends near the cut, in a quotation perhaps, is left to the next piece.
        last_end = length if is_last else 3 * length // 4
        spans = _spans(plain[offset : offset + length], language)
        kept = [(start, end) for start, end in spans if end <= last_end]
        yield from ((offset + start, offset + end) for start, end in kept)
        if is_last:
            return
        if kept:
            offset, length = offset + kept[-1][1], _PIECE
        else:
            length *= 2  # a sentence longer than the piece


def _spans(piece: str, language: str) -> Iterator[tuple[int, int]]:
    place = 0
    for sentence in _segmented(piece, language):
        start = piece.find(sentence, place)
        place = start + len(sentence)
        start += len(sentence) - len(sentence.lstrip())
        end = start + len(sentence.strip())
        if start < end:
            yield start, end


def _segmented(piece: str, language: str) -> list[str]:
    import sentencex

    try:
        return list(sentencex.segment(language, piece))
    except BaseException as error:
        # A panic of its Rust code is no Exception, and has no type of its own here.
        if type(error).__name__ != "PanicException":
            raise
        return _PLAIN_END.split(piece)
