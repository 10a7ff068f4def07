"""A text as it is scored: lines of words, cut to a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thatch.rouge.tokens import Tokens


@dataclass(frozen=True)
class Text:
    """What the metrics see of a text."""

    #: All words in order: for ROUGE-N and ROUGE-S, which look past the ends of lines.
    words: tuple[str, ...]
    #: The words of every line: for ROUGE-L, which compares line with line.
    lines: tuple[tuple[str, ...], ...]


def first_words(lines: Sequence[str], max_words: int, tokens: Tokens) -> list[str]:
    """Lines up to a number of words; the last one may be cut.

    >>> from thatch.rouge.tokens import OriginalTokens
    >>> first_words(["one two three", "four five"], 4, OriginalTokens())
    ['one two three', 'four']
    """
    kept = []
    for line in lines:
        words = tokens.words_of(line)[:max_words]
        kept.append(" ".join(words))
        max_words -= len(words)
        if max_words == 0:
            break
    return kept


def first_bytes(lines: Sequence[str], max_bytes: int, encoding: str) -> list[str]:
    """Lines up to a number of bytes, ends of lines not counted; the last may be cut.

    >>> first_bytes(["one two three", "four five"], 16, "utf-8")
    ['one two three', 'fou']
    """
    kept = []
    for line in lines:
        kept.append(_first_bytes(line, max_bytes, encoding))
        max_bytes -= len(line.encode(encoding, "replace"))
        if max_bytes <= 0:
            break
    return kept


def first_bytes_of_each(
    lines: Sequence[str], max_bytes: int, encoding: str
) -> list[str]:
    """Lines up to the first that alone reaches a number of bytes, which is cut.

    ROUGE-1.5.5 limits the lines of ROUGE-L in this way: it forgets to add them up.

    >>> first_bytes_of_each(["one two three", "four five"], 16, "utf-8")
    ['one two three', 'four five']
    """
    kept = []
    for line in lines:
        kept.append(_first_bytes(line, max_bytes, encoding))
        if len(line.encode(encoding, "replace")) >= max_bytes:
            break
    return kept


def _first_bytes(line: str, max_bytes: int, encoding: str) -> str:
    encoded = line.encode(encoding, "replace")
    if len(encoded) <= max_bytes:
        return line
    return encoded[:max_bytes].decode(encoding, "ignore")
