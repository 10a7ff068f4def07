"""Lines of text cut into tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable
from unicodedata import normalize

from thatch.files.scripts import split_words

# Every byte in lower case, or as a space where it belongs to no token.
_LOWER_OR_SPACE = bytes(
    ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else ord(" ")
    for code in range(256)
)


@runtime_checkable
class Tokens(Protocol):
    """How a line is cut into tokens, and what a limit in words counts."""

    @property
    def name(self) -> str:
        """What the signature calls it."""
        ...

    def of(self, line: str) -> list[str]:
        """Tokens of the line, in lower case."""
        ...

    def words_of(self, line: str) -> list[str]:
        """What a limit in words counts, in order; joined by spaces it reads alike."""
        ...


@dataclass(frozen=True)
class OriginalTokens:
    """Runs of the letters a-z and digits: all that ROUGE-1.5.5 sees.

    >>> OriginalTokens().of("Don't re-open Café №5!")
    ['don', 't', 're', 'open', 'caf', '5']
    """

    @property
    def name(self) -> str:
        """What the signature calls it."""
        return "original"

    def of(self, line: str) -> list[str]:
        """Runs of a-z and 0-9, in lower case; everything else separates."""
        return _ascii(line).translate(_LOWER_OR_SPACE).decode().split()

    def words_of(self, line: str) -> list[str]:
        """What stands between ASCII spaces, other characters than ASCII as ?."""
        encoded = _ascii(line)
        words = [word.decode() for word in encoded.split()]
        # As in Perl, space at the end of a line is nothing, but space at its beginning
        # is preceded by an empty word, which the limit counts.
        return ["", *words] if words and encoded[:1].isspace() else words


def _ascii(line: str) -> bytes:
    return line.encode("ascii", "replace")


@dataclass(frozen=True)
class UnicodeTokens:
    """Words of any language; single characters where it is written without spaces.

    A limit in words counts these tokens. Letters that only look different are made
    one first (NFKC, case folding).

    >>> UnicodeTokens().of("Don't re-open Café №5!")
    ['don', 't', 're', 'open', 'café', 'no5']
    >>> UnicodeTokens().of("東京タワーは333m")
    ['東', '京', 'タ', 'ワ', 'ー', 'は', '333m']
    """

    @property
    def name(self) -> str:
        """What the signature calls it."""
        return "unicode"

    def of(self, line: str) -> list[str]:
        """Runs of letters, marks and digits, in lower case."""
        return split_words(normalize("NFKC", line).casefold())

    def words_of(self, line: str) -> list[str]:
        """The tokens themselves: not every language has spaces to go by."""
        return self.of(line)
