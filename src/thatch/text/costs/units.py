"""Units of budgets: words, characters, sentences and tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Sized
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from thatch.arrays import number
from thatch.errors import InputError, InputTypeError
from thatch.text.language.detection import guess_language
from thatch.text.language.sentences import sentence_spans
from thatch.text.language.words import count_words

__all__ = [
    "CHARACTERS",
    "SENTENCES",
    "TOKENS",
    "WORDS",
    "Unit",
    "sentences_in",
    "tokens_by",
]


@dataclass(frozen=True)
class Unit:
    """A unit of the size of texts, and how texts are measured in it.

    >>> WORDS.measure("Say it in five words.")
    5
    """

    #: Name to show: ``words``.
    name: str
    #: Returns the size of a text.
    measure: Callable[[str], float] = field(repr=False)
    #: What users should know, such as that sizes are estimates.
    note: str = ""
    #: Whether texts joined by white space have the sum of their sizes.
    adds_up: bool = False
    #: Whether the size of a text is the number of its sentences, as thatch splits it.
    counts_sentences: bool = False

    def with_note(self, note: str) -> Unit:
        """Return the unit with another note."""
        return replace(self, note=note)


def sentences_in(language: str | None) -> Unit:
    """Sentences of a language; if it is None, it is guessed for every text.

    >>> sentences_in("de").measure("Er kam am 3. März. Sie auch.")
    2
    """

    def measure(text: str) -> int:
        code = guess_language(text) if language is None else language
        return sum(1 for _ in sentence_spans(text, language=code))

    return Unit("sentences", measure, counts_sentences=True)


# Rough averages: most English words are one token, long words are several, and other
# scripts take one token per character or more.
_PIECE = re.compile(r"[A-Za-z]+|\d+|\s+|[^\sA-Za-z\d]")
_LETTERS_PER_TOKEN, _DIGITS_PER_TOKEN, _BYTES_PER_TOKEN = 6, 3, 2


def _estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text, rather too high than too low."""
    total = 0
    for piece in _PIECE.findall(text):
        first = piece[0]
        if first.isspace():
            # A single space is part of the next token.
            total += 0 if piece == " " else 1
        elif first.isascii() and first.isalpha():
            total += -(-len(piece) // _LETTERS_PER_TOKEN)
        elif first.isdecimal():
            total += -(-len(piece) // _DIGITS_PER_TOKEN)
        else:
            num_bytes = len(piece.encode("utf-8", "replace"))
            total += -(-num_bytes // _BYTES_PER_TOKEN)
    return total


WORDS = Unit("words", count_words, adds_up=True)
CHARACTERS = Unit("characters", len, adds_up=True)
SENTENCES = sentences_in(None)
TOKENS = Unit(
    "tokens (estimated)",
    _estimate_tokens,
    "tokens are estimated: no tokenizer was named",
)


def tokens_by(tokenizer: Any) -> Unit:
    """Tokens as a tokenizer counts them.

    Parameters
    ----------
    tokenizer
        A function, or an object with a method ``encode``, that returns the tokens of a
        text or their number.

    >>> tokens_by(str.split).measure("to be or not")
    4
    """
    # tiktoken's `encode` refuses text that looks like a special token.
    default = getattr(tokenizer, "encode", tokenizer)
    encode = getattr(tokenizer, "encode_ordinary", default)
    # A string has a method `encode` too, which returns bytes.
    if isinstance(tokenizer, str) or not callable(encode):
        raise InputTypeError(
            f"tokenizer is {tokenizer!r}; it must be callable or have a method encode.",
            hint="Pass a function from text to tokens; for names use tokens_by_name.",
        )

    def measure(text: str) -> float:
        tokens = encode(text)
        if isinstance(tokens, Sized):
            return len(tokens)
        num_tokens = number("tokens", tokens)
        if not (isfinite(num_tokens) and num_tokens >= 0):
            raise InputError(
                f"the tokenizer returned {num_tokens} tokens for {text[:40]!r}; the "
                "number must be finite and non-negative.",
                hint="Check the tokenizer.",
            )
        return num_tokens

    return Unit("tokens", measure)
