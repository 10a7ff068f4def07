"""Candidates and references from files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thatch.errors import FileFormatError
from thatch.files.encodings import decoded
from thatch.files.json_lines import read_json_lines
from thatch.files.reading import read_bytes

_EXAMPLES = '{"id": 1, "summary": "..."} or {"id": 1, "references": ["..."]}'


@dataclass(frozen=True)
class Case:
    """A candidate with its references."""

    id: str
    candidate: str
    references: tuple[str, ...]


def read_text(path: Path) -> str:
    """Text of a file: UTF-8, unless a byte order mark names another encoding."""
    return decoded(read_bytes(path), path)


def read_cases(summaries: Path, clusters: Path) -> list[Case]:
    """Candidates from one file of JSON lines, with their references from another.

    Lines are objects ``{"id", "summary"}`` and ``{"id", "references"}``. Clusters
    without a summary are ignored.
    """
    candidates = {row.id: row for row in _rows(summaries)}
    references = {row.id: row for row in _rows(clusters)}
    if not candidates:
        raise FileFormatError(
            summaries,
            "the file is empty; at least one summary was expected.",
            hint='Write one line per summary, such as {"id": 1, "summary": "..."}.',
        )
    for id, row in candidates.items():
        if id not in references:
            raise FileFormatError(
                summaries,
                f"id {id!r} is not in {clusters}.",
                line=row.number,
                hint="Add its references there, or remove the summary.",
            )
    return [
        Case(id, row.text("summary"), references[id].texts("references"))
        for id, row in candidates.items()
    ]


@dataclass(frozen=True)
class _Row:
    """One line of a file of JSON lines."""

    path: Path
    number: int
    fields: dict[str, Any]

    @property
    def id(self) -> str:
        value = self.fields.get("id")
        if isinstance(value, str | int) and not isinstance(value, bool):
            return str(value)
        raise self.error("id", value, "a string or an integer")

    def text(self, name: str) -> str:
        value = self.fields.get(name)
        if isinstance(value, str):
            return value
        raise self.error(name, value, "a string")

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.fields.get(name)
        if isinstance(value, list) and value:
            for each in value:
                if not isinstance(each, str):
                    raise self.error(name, value, "a list of strings")
            return tuple(value)
        raise self.error(name, value, "a list of at least one string")

    def error(self, name: str, value: object, expected: str) -> FileFormatError:
        shown = "missing" if value is None else repr(value)[:60]
        return FileFormatError(
            self.path,
            f"{name} is {shown}; expected {expected}.",
            line=self.number,
            hint=f"Write {_EXAMPLES}.",
        )


def _rows(path: Path) -> Iterator[_Row]:
    seen: set[str] = set()
    for line in read_json_lines(path, example=_EXAMPLES):
        row = _Row(path, line.number, line.fields)
        if row.id in seen:
            raise FileFormatError(
                path,
                f"id {row.id!r} is repeated.",
                line=line.number,
                hint="Give every line a different id.",
            )
        seen.add(row.id)
        yield row
