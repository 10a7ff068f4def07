"""Messages for requests that fail validation."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from thatch.errors import shortened
from thatch.options import alternatives

_SHOULD = re.compile(r"^\w+ should (be (a valid )?)?")
# Names that pydantic inserts for the types of a union; no field has such a name.
_KIND = re.compile(r".*\[.*|str|float|int|bool|[A-Z]\w*")
# What a value must be, by the type of pydantic's error; braces are its context.
_RULES = {
    "string_type": "be a string",
    "float_type": "be a number",
    "float_parsing": "be a number",
    "finite_number": "be a finite number",
    "int_type": "be an integer",
    "int_parsing": "be an integer",
    "int_parsing_size": "be an integer of fewer digits",
    "int_from_float": "be an integer",
    "bool_type": "be true or false",
    "bool_parsing": "be true or false",
    "list_type": "be a list",
    "model_type": "be an object",
    "model_attributes_type": "be an object",
    "dict_type": "be an object",
    "literal_error": "be {expected}",
    "greater_than": "be above {gt:g}",
    "greater_than_equal": "be at least {ge:g}",
    "less_than": "be below {lt:g}",
    "less_than_equal": "be at most {le:g}",
}


def validation_message(error: ValidationError) -> str:
    """Message for the first invalid field: its name, the value and the rule."""
    broken = error.errors(include_url=False)
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
    verb, _, _ = rules[0].partition(" ")
    values = dict.fromkeys(rule.removeprefix(f"{verb} ") for rule in rules)
    return (
        f"{_path(place)} is {_shortened(given)}; it must {verb} {alternatives(values)}."
    )


def _rule(broken: Any) -> str:
    kind, context = broken["type"], broken.get("ctx", {})
    if kind in ("too_short", "too_long"):
        is_short = kind == "too_short"
        bound = context["min_length" if is_short else "max_length"]
        items = "item" if bound == 1 else "items"
        return f"have at {'least' if is_short else 'most'} {bound} {items}"
    if kind in _RULES:
        return _RULES[kind].format(**context)
    return f"be {_SHOULD.sub('', broken['msg'])}"


def _path(parts: Sequence[str | int], last: str | int | None = None) -> str:
    """Path of a field, such as ``documents[0].text``."""
    names = [p for p in parts if isinstance(p, int) or not _KIND.fullmatch(p)]
    given = names if last is None else [*names, last]
    path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in given)
    return path.removeprefix(".") or "the body"


def _shortened(value: object) -> str:
    is_constant = value is None or isinstance(value, bool)
    return shortened(json.dumps(value) if is_constant else repr(value), 60)
