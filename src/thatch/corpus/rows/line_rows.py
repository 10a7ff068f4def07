"""Rows of JSON lines and CSV, also those with errors."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from thatch.corpus.rows.columns import Columns
from thatch.files.json_lines import JsonLine, parse_json_lines
from thatch.tables.csv_rows import CsvRow, csv_rows, has_open_quote


@dataclass(frozen=True)
class Row:
    """A row of JSON lines or CSV."""

    id: Any = None
    cluster: str | None = None
    #: Bytes, or a list of them.
    text: Any = None
    error: str | None = None
    #: Values of the kept columns; empty if the row cannot be read.
    kept: tuple[Any, ...] = ()


def json_objects(content: bytes) -> Iterator[dict[str, Any]]:
    """The rows that are valid JSON objects."""
    for line in parse_json_lines(io.BytesIO(content)):
        if not line.problem:
            yield line.fields


def json_rows(content: bytes, columns: Columns) -> Iterator[Row]:
    r"""Every row, also those with errors.

    >>> given = b'{"id": 7, "text": "Snow fell."}\n{"id'
    >>> for row in json_rows(given, Columns("id", "text", has_numbers=True)):
    ...     print(row.id, row.text, row.error)
    7 b'Snow fell.' None
    None None invalid JSON at column 2 of '{"id': Unterminated string starting at.
    """
    for line in parse_json_lines(io.BytesIO(content)):
        yield _json_row(line, columns)


def _json_row(line: JsonLine, columns: Columns) -> Row:
    id = _id(line.fields.get(columns.id or ""), columns)
    cluster = _name(line.fields.get(columns.cluster or ""))
    text = line.fields.get(columns.text)
    kept = tuple(map(line.fields.get, columns.keep))
    if line.problem:
        return Row(id, cluster, error=f"{line.problem}.", kept=kept)
    try:
        return Row(id, cluster, _as_bytes(text, columns), kept=kept)
    except (TypeError, UnicodeEncodeError):
        expected = "a list of strings" if columns.has_lists else "a string"
        error = f"{columns.text} is {_kind_of(text)}; expected {expected}."
        return Row(id, cluster, error=error, kept=kept)


def _id(value: Any, columns: Columns) -> Any:
    is_number = type(value) is int and -(2**63) <= value < 2**63
    return value if columns.has_numbers and is_number else _name(value)


def _name(value: Any) -> str | None:
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "replace").decode()


def _as_bytes(value: Any, columns: Columns) -> Any:
    """The text or the texts as Arrow accepts them; raise TypeError for other values."""
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
        return "an unpaired surrogate"
    if isinstance(value, list):
        kinds = [_kind_of(each) for each in value if not isinstance(each, str)]
        return f"a list with {kinds[0]}" if kinds else "a list"
    names = {dict: "an object", bool: "true or false", type(None): "null"}
    return names.get(type(value), "a number")


def rows_of_csv(
    content: bytes, header: tuple[str, ...], columns: Columns
) -> Iterator[Row]:
    r"""Every row, also those with errors.

    >>> given = b'a,Snow fell.\nb'
    >>> for row in rows_of_csv(given, ("id", "text"), Columns("id", "text")):
    ...     print(row.id, row.text, row.error)
    a b'Snow fell.' None
    b None expected 2 cells, got 1.
    """
    # Invalid UTF-8 is kept as it is; it becomes an error later.
    text = content.decode("utf-8", "surrogateescape")
    for row in csv_rows(io.StringIO(text, newline="")):
        yield _csv_row(row, text[row.start : row.end], header, columns)


def _csv_row(
    row: CsvRow, source: str, header: tuple[str, ...], columns: Columns
) -> Row:
    cells = dict(zip(header, row.cells, strict=False))
    id, cluster = (
        _cell(cells.get(name or "")) for name in (columns.id, columns.cluster)
    )
    if has_open_quote(source, row.num_lines):
        error = f"unclosed quote in a row of {row.num_lines} lines."
        return Row(id, cluster, error=error)
    if len(row.cells) != len(header):
        error = f"expected {len(header)} cells, got {len(row.cells)}."
        return Row(id, cluster, error=error)
    text = cells[columns.text].encode("utf-8", "surrogateescape")
    kept = tuple(map(cells.get, columns.keep))
    return Row(id, cluster, [text] if columns.has_lists else text, kept=kept)


def _cell(cell: str | None) -> str | None:
    return (cell or "").encode("utf-8", "replace").decode() or None
