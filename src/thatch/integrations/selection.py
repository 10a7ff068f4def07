"""What the adapters share: contexts are logged, and missing scores are found."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TypeVar

from thatch.context import Context

__all__ = ["complete_scores", "logged"]

T = TypeVar("T")
_LOGGER = logging.getLogger("thatch.integrations")


def logged(context: Context[T]) -> Context[T]:
    """The context, after a line per dropped chunk was logged at the level DEBUG.

    >>> from thatch.context import select
    >>> logged(select(["Snow fell."], 10)).text
    'Snow fell.'
    """
    if _LOGGER.isEnabledFor(logging.DEBUG):
        _LOGGER.debug("%r", context)
        for each in context.dropped:
            _LOGGER.debug("dropped chunk %d: %s", each.index, each.explanation)
    return context


def complete_scores(scores: Sequence[float | None]) -> list[float] | None:
    """The scores, or None if some are missing, or there are none.

    >>> complete_scores([0.5, 0.25]), complete_scores([0.5, None])
    ([0.5, 0.25], None)
    """
    present = [score for score in scores if score is not None]
    return present if present and len(present) == len(scores) else None
