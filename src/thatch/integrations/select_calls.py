"""Calls of `select` by the adapters: their arguments, and a log of what was dropped."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, TypeVar

from thatch.context import Context, SelectOptions
from thatch.text.language.words import words_of

T = TypeVar("T")
_LOGGER = logging.getLogger("thatch.integrations")


def logged(context: Context[T]) -> Context[T]:
    """The context, after a line per dropped chunk was logged at the level DEBUG."""
    if _LOGGER.isEnabledFor(logging.DEBUG):
        _LOGGER.debug("%r", context)
        for each in context.dropped:
            _LOGGER.debug("dropped chunk %d: %s", each.index, each.explanation)
    return context


def select_options(
    settings: object, query: str | None, **own: Any
) -> SelectOptions[Any]:
    """Options of `select`: the fields of an adapter, its query, and others.

    A query without a word is as none: see `query_or_none`.
    """
    names = ("unit", "group", "per_group", "order", "window", "separator", "language")
    fields = {name: getattr(settings, name) for name in (*names, "max_seconds")}
    options: Any = {"query": query_or_none(query)} | fields | own
    found: SelectOptions[Any] = options
    return found


def query_or_none(query: str | None) -> str | None:
    """The query, or None if it contains no word.

    `select` refuses such a query, because its caller can omit it; in a chain, the query
    is what a user typed.

    >>> query_or_none("snow?"), query_or_none("?")
    ('snow?', None)
    """
    return query if query is not None and words_of(query) else None


def complete_scores(scores: Sequence[float | None]) -> list[float] | None:
    """The scores, or None if some are missing, or there are none.

    >>> complete_scores([0.5, 0.25]), complete_scores([0.5, None])
    ([0.5, 0.25], None)
    """
    present = [score for score in scores if score is not None]
    return present if present and len(present) == len(scores) else None
