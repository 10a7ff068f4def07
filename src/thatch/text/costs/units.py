"""Units: what a budget counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sized
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from thatch.arrays import number
from thatch.errors import InputError, InputTypeError
from thatch.text.language.languages import guess_language
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
    """What a budget counts, and how a text is measured in it.

    >>> WORDS.measure("Say it in five words.")
    5
    """

    #: As printed: ``words``.
    name: str
    measure: Callable[[str], float] = field(repr=False)
    #: What users should know before they rely on it.
    note: str = ""
    #: Whether texts with white space between them measure what they do one by one.
    adds_up: bool = False

    def with_note(self, note: str) -> Unit:
        """Return the unit with another note."""
        return replace(self, note=note)


def sentences_in(language: str | None) -> Unit:
    """Sentences, as they end in a language; guessed by the script if it is None.

    >>> sentences_in("de").measure("Er kam am 3. März. Sie auch.")
    2
    """

    def measure(text: str) -> int:
        code = guess_language(text) if language is None else language
        return sum(1 for _ in sentence_spans(text, language=code))

    return Unit("sentences", measure)


# Characters a token, roughly: English words are mostly one token, long ones are cut,
# and scripts far from Latin take a token a character or more.
_PIECE = re.compile(r"[A-Za-z]+|\d+|\s+|[^\sA-Za-z\d]")
_LETTERS_A_TOKEN, _DIGITS_A_TOKEN, _BYTES_A_TOKEN = 6, 3, 2


def _estimate_tokens(text: str) -> int:
    """How many tokens a text will take: more often too many than too few."""
    total = 0
    for piece in _PIECE.findall(text):
        first = piece[0]
        if first.isspace():
            # One space belongs to the next word.
            total += 0 if piece == " " else 1
        elif first.isascii() and first.isalpha():
            total += -(-len(piece) // _LETTERS_A_TOKEN)
        elif first.isdecimal():
            total += -(-len(piece) // _DIGITS_A_TOKEN)
        else:
            num_bytes = len(piece.encode("utf-8", "replace"))
            total += -(-num_bytes // _BYTES_A_TOKEN)
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
    """Tokens, as a tokenizer counts them.

    Parameters
    ----------
    tokenizer
        A function or an object with ``encode`` that turns a text into its tokens, or
        into how many there are.

    >>> tokens_by(str.split).measure("to be or not")
    4
    """
    # tiktoken's `encode` refuses what looks like a special token; here it is text.
    usual = getattr(tokenizer, "encode", tokenizer)
    encode = getattr(tokenizer, "encode_ordinary", usual)
    # Text itself has an `encode`, into bytes.
    if isinstance(tokenizer, str) or not callable(encode):
        raise InputTypeError(
            f"tokenizer must be callable or have encode, got {tokenizer!r}.",
            hint="Pass a function from text to its tokens; tokens_by_name takes names.",
        )

    def measure(text: str) -> float:
        tokens = encode(text)
        if isinstance(tokens, Sized):
            return len(tokens)
        num_tokens = number("tokens of a text", tokens)
        if not (isfinite(num_tokens) and num_tokens >= 0):
            raise InputError(
                f"tokens of a text must be finite and >= 0, got {num_tokens} for "
                f"{text[:40]!r}.",
                hint="Check the tokenizer.",
            )
        return num_tokens

    return Unit("tokens", measure)
