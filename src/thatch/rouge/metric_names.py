"""Metrics by name, as on the command line."""

from __future__ import annotations

import re
from typing import Any

from thatch.errors import InputError
from thatch.rouge.lcs import LongestSubsequence
from thatch.rouge.ngrams import NGrams, SkipBigrams
from thatch.rouge.score import Metric

# Sizes and gaps have at most two digits: more would be a typing error.
_NAME = re.compile(
    r"(?:rouge-)?(?:(?P<size>[1-9]\d?)|(?P<longest>l)|s(?P<words>u?)(?P<gap>\d\d?|\*))",
    re.IGNORECASE | re.ASCII,
)


def metric_by_name(name: str) -> Metric[Any]:
    """Return the metric of that name, with or without the prefix ROUGE."""
    found = _NAME.fullmatch(name.strip())
    if not found:
        raise InputError(
            f"metrics contains {name!r}; the names are numbers, L, and S or SU with a "
            "gap.",
            hint="Write 1,2,L,SU4, for example.",
        )
    if found["size"]:
        return NGrams(int(found["size"]))
    if found["longest"]:
        return LongestSubsequence()
    gap = None if found["gap"] == "*" else int(found["gap"])
    return SkipBigrams(gap, with_words=bool(found["words"]))
