"""The English words that ROUGE-1.5.5 can leave out, and SumEval does leave out."""

from __future__ import annotations

from functools import cache

from thatch.rouge.data import data_lines


@cache
def stop_words() -> frozenset[str]:
    """All of them, in lower case.

    >>> "the" in stop_words(), "first" in stop_words()
    (True, False)
    """
    return frozenset(data_lines("stop_words.txt"))
