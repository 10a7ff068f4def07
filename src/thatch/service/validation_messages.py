"""Messages for requests that fail validation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

__all__ = ["validation_message"]

_MAX_SHOWN = 60
_SHOULD = re.compile(r"^\w+ should ")
# Names that pydantic inserts for the types of a union; no field has such a name.
_KIND = re.compile(r".*\[.*|str|float|int|bool|[A-Z]\w*")


def validation_message(error: ValidationError) -> str:
    """Message for the first invalid field: its name, the rule and the value.

    >>> from thatch.service.requests import ScoreRequest
    >>> try:
    ...     ScoreRequest(summary="Snow.", references=[])
    ... except ValidationError as error:
    ...     validation_message(error)
    'references must have at least 1 item after validation, not 0, got [].'
    """
    broken = error.errors(include_url=False, include_context=False)
    # If a field has several types, the one that was intended fails deepest.
    deepest = max(len(each["loc"]) for each in broken)
    first, *others = [each for each in broken if len(each["loc"]) == deepest]
    place, kind, given = first["loc"], first["type"], first["input"]
    if kind == "json_invalid":
        return f"invalid JSON: {first['msg'].partition(': ')[2]}."
    if kind == "extra_forbidden":
        return f"unknown field: {_path(place[:-1], place[-1])}."
    if kind == "missing":
        return f"{_path(place)} is missing."
    rules = [_rule(first), *(_rule(each) for each in others if each["input"] is given)]
    return f"{_path(place)} must {' or '.join(rules)}, got {_shortened(given)}."


def _rule(broken: Any) -> str:
    return _SHOULD.sub("", broken["msg"])


def _path(parts: Sequence[str | int], last: str | int | None = None) -> str:
    """Path of a field, such as ``documents.0.text``."""
    names = [str(p) for p in parts if isinstance(p, int) or not _KIND.fullmatch(p)]
    return ".".join([*names, *([] if last is None else [str(last)])]) or "the body"


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."
