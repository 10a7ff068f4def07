"""Tokenizers: that of ROUGE-1.5.5, and one for any script."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable
from unicodedata import normalize

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
        ...

    def of(self, line: str) -> list[str]:
        """Return the tokens of the line, in lower case."""
        ...

    def words_of(self, line: str) -> list[str]:
        """Return what a limit in words counts.

        Joined by spaces, these have the tokens of the line.
        """
        ...


@dataclass(frozen=True)
class OriginalTokens:
    """The tokenizer of ROUGE-1.5.5: runs of the letters a-z and digits.

    >>> OriginalTokens().of("Don't re-open Café №5!")
    ['don', 't', 're', 'open', 'caf', '5']
    """

    @property
    def name(self) -> str:
        """Name in the signature."""
        return "original"

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

    @property
    def name(self) -> str:
        """Name in the signature."""
        return "unicode"

    def of(self, line: str) -> list[str]:
        """Return runs of letters, marks and digits, in lower case."""
        return split_words(normalize("NFKC", line).casefold())

    def words_of(self, line: str) -> list[str]:
        """Return the tokens: not every script has spaces."""
        return self.of(line)
