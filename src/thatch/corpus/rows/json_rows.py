"""Rows of JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from thatch.corpus.rows.columns import Columns, Row

__all__ = ["json_objects", "json_rows"]

_MARK = b"\xef\xbb\xbf"


def json_objects(content: bytes) -> Iterator[dict[str, Any]]:
    """Rows that can be read at all, as they are."""
    for line in _lines(content):
        with suppress(ValueError, RecursionError):
            row = json.loads(line)
            if isinstance(row, dict):
                yield row


def json_rows(content: bytes, columns: Columns) -> Iterator[Row]:
    r"""Every row, also those with which something is wrong.

    >>> given = b'{"id": 7, "text": "Snow fell."}\n{"id'
    >>> for row in json_rows(given, Columns("id", "text", has_numbers=True)):
    ...     print(row.id, row.text, row.error)
    7 b'Snow fell.' None
    None None rows must be JSON, got '{"id'.
    """
    for line in _lines(content):
        yield _row(line, columns)


def _lines(content: bytes) -> Iterator[bytes]:
    for line in content.split(b"\n"):
        if line.strip():
            # Files that were joined have marks in between.
            yield line.removeprefix(_MARK)


def _row(line: bytes, columns: Columns) -> Row:
    error = None
    try:
        text = line.decode()
    except UnicodeDecodeError as broken:
        text = line.decode(errors="replace")
        error = f"rows must be UTF-8, got the byte {line[broken.start]:#x}."
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return Row(error=error or f"rows must be JSON, got {text[:40]!r}.")
    if not isinstance(row, dict):
        return Row(error=f"rows must be JSON objects, got {text[:40]!r}.")
    id = _id(row.get(columns.id or ""), columns)
    cluster = _name(row.get(columns.cluster or ""))
    given = row.get(columns.text)
    if error is not None:
        return Row(id, cluster, error=error)
    try:
        return Row(id, cluster, _as_bytes(given, columns))
    except (TypeError, UnicodeEncodeError):
        wanted = "a list of texts" if columns.has_lists else "a text"
        error = f"{columns.text} must be {wanted}, got {_kind_of(given)}."
        return Row(id, cluster, error=error)


def _id(value: Any, columns: Columns) -> Any:
    is_number = type(value) is int and -(2**63) <= value < 2**63
    return value if columns.has_numbers and is_number else _name(value)


def _name(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "replace").decode()


def _as_bytes(value: Any, columns: Columns) -> Any:
    """The texts as Arrow takes them, or a TypeError."""
    if value is None:
        return None
    if not columns.has_lists:
        return str.encode(value)
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list):
        raise TypeError
    return [None if each is None else str.encode(each) for each in several]


def _kind_of(value: object) -> str:
    if isinstance(value, str):
        return "half a character"
    if isinstance(value, list):
        kinds = [_kind_of(each) for each in value if not isinstance(each, str)]
        return f"a list with {kinds[0]}" if kinds else "a list"
    names = {dict: "an object", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")
