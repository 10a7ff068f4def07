"""Texts as they are scored: lines of words, truncated to a limit.

The tokenizers are that of ROUGE-1.5.5, and one for any script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Protocol, runtime_checkable
from unicodedata import normalize

from thatch.files.reading import package_lines
from thatch.files.scripts import split_words

# Translates each byte to lower case, or to a space if it is part of no token.
_LOWER_OR_SPACE = bytes(
    ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else ord(" ")
    for code in range(256)
)


@runtime_checkable
class Tokens(Protocol):
    """A tokenizer, and what it counts as words for a limit."""

    @property
    def name(self) -> str:
        """Name in the signature."""

    def of(self, line: str) -> list[str]:
        """Return the tokens of the line, in lower case."""

    def words_of(self, line: str) -> list[str]:
        """Return what a limit in words counts.

        Joined by spaces, these have the tokens of the line.
        """


@dataclass(frozen=True)
class OriginalTokens:
    """The tokenizer of ROUGE-1.5.5: runs of the letters a-z and digits.

    >>> OriginalTokens().of("Don't re-open Café №5!")
    ['don', 't', 're', 'open', 'caf', '5']
    """

    #: Name in the signature.
    name: ClassVar[str] = "original"

    def of(self, line: str) -> list[str]:
        """Return runs of a-z and 0-9, in lower case; all other characters separate."""
        return _ascii(line).translate(_LOWER_OR_SPACE).decode().split()

    def words_of(self, line: str) -> list[str]:
        """Return the text between ASCII spaces, with ? for other than ASCII."""
        encoded = _ascii(line)
        words = [word.decode() for word in encoded.split()]
        # As in Perl, space at the start of a line is preceded by an empty word, which
        # the limit counts; space at the end is ignored.
        return ["", *words] if words and encoded[:1].isspace() else words


def _ascii(line: str) -> bytes:
    return line.encode("ascii", "replace")


@dataclass(frozen=True)
class UnicodeTokens:
    """Words in any script; single characters in scripts without spaces.

    Text is normalized first (NFKC, case folding). A limit in words counts these tokens.

    >>> UnicodeTokens().of("Don't re-open Café №5!")
    ['don', 't', 're', 'open', 'café', 'no5']
    >>> UnicodeTokens().of("東京タワーは333m")
    ['東', '京', 'タ', 'ワ', 'ー', 'は', '333m']
    """

    #: Name in the signature.
    name: ClassVar[str] = "unicode"

    def of(self, line: str) -> list[str]:
        """Return runs of letters, marks and digits, in lower case."""
        return split_words(normalize("NFKC", line).casefold())

    def words_of(self, line: str) -> list[str]:
        """Return the tokens: not every script has spaces."""
        return self.of(line)


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
