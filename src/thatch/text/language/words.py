"""Words: how many a text has, and which.

Where a script puts no spaces between words (Chinese, Japanese, Thai, Khmer, Lao,
Burmese), every character counts as one, so that a budget means the same in every
installation. Which words they are, ICU knows if it is installed.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from unicodedata import normalize

from thatch.files.scripts import (
    CLUSTER,
    SCRIPTS,
    UNSPACED,
    UNSPACED_SCRIPTS,
    has_unspaced,
    script_of,
    separated,
)

# Compiled when the first text that is not ASCII arrives: it takes milliseconds.
# Punctuation belongs to the character next to it. That of Chinese and Japanese ends a
# word of another script, too, so that sentences without a space between them add up.
_WIDE = (
    "\u3001-\u3003\u3008-\u3011\u3014-\u301f"
    "\uff01-\uff0f\uff1a-\uff1f\uff3b-\uff3d\uff5b-\uff65"
)
_WIDE_END = rf"[{SCRIPTS['han']}{SCRIPTS['kana']}{_WIDE}][\"'”’)\]»]*\Z"  # noqa: RUF001
_COUNTED = rf"(?=\S)[^\w\s]*+(?:{CLUSTER}[^\w\s]*+|[^\s{UNSPACED}{_WIDE}]*+[{_WIDE}]*+)"


def count_words(text: str) -> int:
    """Return the number of words: runs between white space, as ``wc -w`` counts.

    >>> count_words("A well-known fact."), count_words("今日は")
    (3, 3)
    """
    if text.isascii():
        return len(text.split())
    return sum(1 for _ in re.finditer(_COUNTED, text))


def needs_no_space(text: str) -> bool:
    """Whether another sentence may follow directly, as in Chinese and Japanese.

    >>> needs_no_space("今日は晴れ。"), needs_no_space("It rains.")
    (True, False)
    """
    return not text.isascii() and re.search(_WIDE_END, text[-8:]) is not None


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case: runs of letters and digits, in order.

    Punctuation and symbols are dropped. In scripts without spaces a word is what ICU
    finds, or one character where ICU is not installed.

    >>> words_of("Stop! (It's the U.S. Army's 2nd.)")
    ['stop', 'it', 's', 'the', 'u', 's', 'army', 's', '2nd']
    """
    # A letter and its accent may be one character or two.
    return _split(normalize("NFC", text.lower()))


def separated_words(text: str) -> bytes:
    """Return the words of `words_of` in UTF-8, with spaces between them.

    >>> separated_words("Stop! It rains.")
    b'stop  it rains '
    """
    return _separated(normalize("NFC", text.lower()))


def surface_words(text: str) -> list[str]:
    """Return the words of a text as they are written, in the order of `words_of`."""
    return _split(normalize("NFC", text))


def _split(text: str) -> list[str]:
    return _separated(text).decode().split()


def _separated(text: str) -> bytes:
    if text.isascii() or not can_segment():
        return separated(text)
    return separated(segmented(text), is_segmented=True)


def can_segment() -> bool:
    """Whether ICU is installed."""
    return _breaker() is not None


def segmented(text: str) -> str:
    """Return the text with spaces between words, in scripts that put none there.

    Without ICU, the text is returned as it is.

    >>> segmented("We left.")
    'We left.'
    """
    breaker = _breaker()
    if breaker is None:
        return text
    if not has_unspaced(text):
        return text
    # ICU cannot be passed surrogates. It has one dictionary per script, so that the
    # language does not matter.
    pieces = breaker(text.encode("utf-8", "replace").decode(), "")
    # Others stay as they are: ICU keeps "3.14" and "don't" whole.
    return "".join(
        f" {piece} " if script_of(piece[0]) in UNSPACED_SCRIPTS else piece
        for piece in pieces
    )


@cache
def _breaker() -> Any:
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        return None
    return WordBreaker
