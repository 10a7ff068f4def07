"""Sentences of a paragraph, by offsets."""

from __future__ import annotations

import re
from collections.abc import Iterator

from thatch.text.language.sentence_repairs import repaired

# The segmenter does not treat line breaks as spaces, fails on some wide spaces, and
# cannot be passed surrogates. One character replaces each, so that offsets do not move.
_UNSUPPORTED = re.compile(r"[^\S ]|[\ud800-\udfff]")
_VISIBLE = re.compile(r"\S")
# If the segmenter fails all the same, sentences end at punctuation before a space.
_SIMPLE_END = re.compile(r"(?<=[.!?。！？।])\s+")  # noqa: RUF001

# The segmenter takes time quadratic in the length of text without spaces, such as
# Chinese, and proportional to the length times the number of quotation marks, if they
# have no partner. Such text it gets in pieces of this size. Other text it gets as a
# whole, because it pairs up quotation marks.
_CHARACTERS_PER_PIECE = 4_000
# A sentence that is longer than a piece gets longer ones, up to this size. Where there
# is no end of a sentence in it either, it ends with the piece.
_MAX_CHARACTERS_PER_PIECE = 4 * _CHARACTERS_PER_PIECE
_MAX_QUOTES_TIMES_LENGTH = _CHARACTERS_PER_PIECE**2
_QUOTES = "\"'`«»‘’‚‛“”„‟‹›《》「」"  # noqa: RUF001
# In a sentence longer than a piece, quotation marks are as good as commas.
_QUOTES_TO_COMMAS = str.maketrans(dict.fromkeys(_QUOTES, ","))


def sentence_spans(text: str, *, language: str) -> Iterator[tuple[int, int]]:
    """Offsets of the start and end of each sentence, without white space around it."""
    # Most texts have no other white space, and `replace` is faster than a pattern.
    plain = text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    if not plain.isprintable():
        plain = _UNSUPPORTED.sub(" ", plain)
    return repaired(_segmented_spans(plain, language), plain, language)


def _segmented_spans(plain: str, language: str) -> Iterator[tuple[int, int]]:
    length = _CHARACTERS_PER_PIECE if _is_costly(plain) else len(plain)
    is_longer, offset = False, _next_visible(plain, 0)
    while offset < len(plain):
        piece = plain[offset : offset + length]
        if is_longer:
            piece = piece.translate(_QUOTES_TO_COMMAS)
        spans = list(_spans(piece, language))
        if offset + length < len(plain):
            # Sentences that end near the cut may be wrong: the next piece repeats them.
            kept = [(start, end) for start, end in spans if end <= 3 * length // 4]
            if not kept and length < _MAX_CHARACTERS_PER_PIECE:
                is_longer, length = True, 2 * length
                continue
            spans = kept or spans
        yield from ((offset + start, offset + end) for start, end in spans)
        is_longer, length = False, _CHARACTERS_PER_PIECE
        offset = _next_visible(plain, offset + spans[-1][1])


def _next_visible(text: str, offset: int) -> int:
    found = _VISIBLE.search(text, offset)
    return found.start() if found else len(text)


def _is_costly(text: str) -> bool:
    if len(text) <= _CHARACTERS_PER_PIECE:
        return False
    num_quotes = sum(map(text.count, _QUOTES))
    longest_run = max(map(len, text.split()), default=0)
    return (
        longest_run > _CHARACTERS_PER_PIECE
        or num_quotes * len(text) > _MAX_QUOTES_TIMES_LENGTH
    )


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
        # A panic of its Rust code is a BaseException of a type that is not exported.
        if type(error).__name__ != "PanicException":
            raise
        return _SIMPLE_END.split(piece)
