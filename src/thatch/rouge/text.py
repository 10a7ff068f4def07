"""Texts as they are scored: lines of words, truncated to a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from thatch.files.reading import package_lines
from thatch.rouge.tokens import Tokens


@dataclass(frozen=True)
class Text:
    """A text as metrics use it."""

    #: All words in order, for ROUGE-N and ROUGE-S, which ignore the ends of lines.
    words: tuple[str, ...]
    #: The words of each line, for ROUGE-L, which compares lines.
    lines: tuple[tuple[str, ...], ...]


def first_words(lines: Sequence[str], limit: int, tokens: Tokens) -> list[str]:
    """Lines up to a number of words; the last line may be truncated."""
    kept: list[str] = []
    num_left = limit
    for line in lines:
        if num_left == 0:
            break
        words = tokens.words_of(line)[:num_left]
        kept.append(" ".join(words))
        num_left -= len(words)
    return kept


def first_bytes(lines: Sequence[str], limit: int, encoding: str) -> list[str]:
    """Lines up to a number of bytes without line ends; the last may be truncated."""
    kept: list[str] = []
    num_left = limit
    for line in lines:
        if num_left <= 0:
            break
        encoded = line.encode(encoding, "replace")
        kept.append(encoded[:num_left].decode(encoding, "ignore"))
        num_left -= len(encoded)
    return kept


def first_bytes_of_each(lines: Sequence[str], limit: int, encoding: str) -> list[str]:
    """Lines up to the first that has a number of bytes by itself, which is truncated.

    ROUGE-1.5.5 limits the lines of ROUGE-L in this way, without adding them up.
    """
    kept: list[str] = []
    for line in lines:
        encoded = line.encode(encoding, "replace")
        kept.append(encoded[:limit].decode(encoding, "ignore"))
        if len(encoded) >= limit:
            break
    return kept


@cache
def stop_words() -> frozenset[str]:
    """Return the stop words, in lower case."""
    return frozenset(package_lines("thatch.rouge.data", "stop_words.txt"))
