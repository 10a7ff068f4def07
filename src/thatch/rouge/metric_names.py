"""The names that the command line has for metrics."""

from __future__ import annotations

import re
from typing import Any

from thatch.errors import InputError
from thatch.rouge.lcs import LongestSubsequence
from thatch.rouge.metrics import Metric
from thatch.rouge.ngrams import NGrams, SkipBigrams

# More would be a slip of the keyboard.
_NAME = re.compile(
    r"(?:rouge-)?(?:(?P<size>[1-9]\d?)|(?P<longest>l)|s(?P<words>u?)(?P<gap>\d\d?|\*))",
    re.IGNORECASE | re.ASCII,
)


def metric_by_name(name: str) -> Metric[Any]:
    """Metric of that name, with or without ROUGE before it.

    >>> metric_by_name("ROUGE-2"), metric_by_name("su4")
    (NGrams(size=2), SkipBigrams(max_gap=4, with_words=True))
    """
    found = _NAME.fullmatch(name.strip())
    if not found:
        raise InputError(
            f"metrics must be numbers, L, S or SU with a gap, got {name!r}.",
            hint="Try 1,2,L,SU4.",
        )
    if found["size"]:
        return NGrams(int(found["size"]))
    if found["longest"]:
        return LongestSubsequence()
    gap = None if found["gap"] == "*" else int(found["gap"])
    return SkipBigrams(gap, with_words=bool(found["words"]))
