"""English stop words of ROUGE-1.5.5, which SumEval removes by default."""

from __future__ import annotations

from functools import cache

from thatch.files.reading import package_lines


@cache
def stop_words() -> frozenset[str]:
    """Return the stop words, in lower case.

    >>> "the" in stop_words(), "first" in stop_words()
    (True, False)
    """
    return frozenset(package_lines("thatch.rouge.data", "stop_words.txt"))
