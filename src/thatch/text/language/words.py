"""Words: how many a text has, and which.

Where a script puts no spaces between words (Chinese, Japanese, Thai, Khmer, Lao,
Burmese), every character counts as one.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from thatch.files.scripts import UNSPACED, split_words

__all__ = ["count_words", "words_of"]

# Compiled when the first text that is not ASCII arrives: it takes milliseconds.
# Punctuation belongs to the character next to it.
_COUNTED = rf"[^\w\s]*[{UNSPACED}][^\w\s]*|[^\s{UNSPACED}]+"


def count_words(text: str) -> int:
    """Return the number of words: runs between white space, as ``wc -w`` counts.

    >>> count_words("A well-known fact."), count_words("今日は")
    (3, 3)
    """
    if text.isascii():
        return len(text.split())
    return sum(1 for _ in re.finditer(_COUNTED, text))


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case: runs of letters and digits, in order.

    Punctuation and symbols are dropped.

    >>> words_of("Stop! (It's the U.S. Army's 2nd.)")
    ['stop', 'it', 's', 'the', 'u', 's', 'army', 's', '2nd']
    """
    # A letter and its accent may be one character or two.
    return split_words(normalize("NFC", text.lower()))
