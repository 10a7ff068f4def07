"""Which rule a request breaks, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

__all__ = ["validation_message"]

_MOST_SHOWN = 60
_SHOULD = re.compile(r"^\w+ should ")
# How the checker names the kinds that a field may be of: no field has such a name.
_KIND = re.compile(r".*\[.*|str|float|int|bool|[A-Z]\w*")


def validation_message(error: ValidationError) -> str:
    """The first rule that a request breaks: the field, the rule, the value.

    >>> from thatch.service.requests import ScoreRequest
    >>> try:
    ...     ScoreRequest(summary="Snow.", references=[])
    ... except ValidationError as error:
    ...     validation_message(error)
    'references must have at least 1 item after validation, not 0, got [].'
    """
    broken = error.errors(include_url=False, include_context=False)
    # Where a field may be of several kinds, the one that was meant went deepest.
    deepest = max(len(each["loc"]) for each in broken)
    first, *others = [each for each in broken if len(each["loc"]) == deepest]
    place, kind, given = first["loc"], first["type"], first["input"]
    if kind == "json_invalid":
        return f"the body must be JSON: {first['msg'].partition(': ')[2]}."
    if kind == "extra_forbidden":
        return f"fields must be known, got {_path(place[:-1], place[-1])}."
    if kind == "missing":
        return f"{_path(place)} must be given, got none."
    rules = [_rule(first), *(_rule(each) for each in others if each["input"] is given)]
    return f"{_path(place)} must {' or '.join(rules)}, got {_shown(given)}."


def _rule(broken: Any) -> str:
    return _SHOULD.sub("", broken["msg"])


def _path(parts: Sequence[str | int], last: str | int | None = None) -> str:
    """Such as ``documents.0.text``."""
    names = [str(p) for p in parts if isinstance(p, int) or not _KIND.fullmatch(p)]
    return ".".join([*names, *([] if last is None else [str(last)])]) or "the body"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
