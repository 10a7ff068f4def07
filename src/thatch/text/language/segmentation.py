"""Segmentation: words of scripts that put no spaces between them.

It needs ICU, by the package `icu4py` of the extra ``languages``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from thatch.files.scripts import UNSPACED_SCRIPTS, has_unspaced, script_of

__all__ = ["can_segment", "segmented"]


def can_segment() -> bool:
    """Whether ICU is installed.

    >>> can_segment() in (True, False)
    True
    """
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
