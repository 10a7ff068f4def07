"""Words: how many a text has, and which.

Where a script puts no spaces between words (Chinese, Japanese, Thai, Khmer, Lao,
Burmese), every character counts as one.
"""

from __future__ import annotations

import re
from unicodedata import normalize

__all__ = ["count_words", "words_of"]

_UNSPACED = (
    "\u0e01-\u0e5b\u0e81-\u0edf\u1000-\u109f\u1780-\u17ff"
    "\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
# Both take milliseconds to compile: they wait for the first text that is not ASCII.
# Signs belong to the character they stand beside.
_COUNTED = rf"[^\w\s]*[{_UNSPACED}][^\w\s]*|[^\s{_UNSPACED}]+"
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_WORD = rf"[{_UNSPACED}]|[^\W_{_UNSPACED}]+"


def count_words(text: str) -> int:
    """How many words a text has: runs between white space, as ``wc -w`` counts.

    >>> count_words("A well-known fact."), count_words("今日は")
    (3, 3)
    """
    if text.isascii():
        return len(text.split())
    return sum(1 for _ in re.finditer(_COUNTED, text))


def words_of(text: str) -> list[str]:
    """The words of a text in lower case: runs of letters and digits, in order.

    Exclamation marks, brackets and all other signs vanish.

    >>> words_of("Stop! (It's the U.S. Army's 2nd.)")
    ['stop', 'it', 's', 'the', 'u', 's', 'army', 's', '2nd']
    """
    lower = text.lower()
    if lower.isascii():
        return _ASCII_WORD.findall(lower)
    # A letter and its accent may be one character or two.
    return re.findall(_WORD, normalize("NFC", lower))
