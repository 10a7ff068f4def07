"""Texts to score, from files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thatch.errors import FileFormatError
from thatch.files.encodings import decoded
from thatch.files.reading import read_bytes


@dataclass(frozen=True)
class Case:
    """A candidate with its references."""

    id: str
    candidate: str
    references: tuple[str, ...]


def read_text(path: Path) -> str:
    r"""Text of a file, in UTF-8 unless a mark at its start says otherwise.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "summary.txt"
    >>> _ = path.write_text("A cat sat.\n")
    >>> read_text(path)
    'A cat sat.\n'
    """
    return decoded(read_bytes(path), path)


def read_cases(summaries: Path, clusters: Path) -> list[Case]:
    r"""Candidates from one file of JSON lines, with their references from another.

    Parameters
    ----------
    summaries
        One ``{"id", "summary"}`` a line.
    clusters
        One ``{"id", "references"}`` a line; those without a summary do not count.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "s.jsonl").write_text('{"id": 1, "summary": "A cat."}\n')
    >>> _ = (folder / "c.jsonl").write_text('{"id": 1, "references": ["Cats."]}\n')
    >>> read_cases(folder / "s.jsonl", folder / "c.jsonl")
    [Case(id='1', candidate='A cat.', references=('Cats.',))]
    """
    candidates = {row.id: row for row in _rows(summaries)}
    references = {row.id: row for row in _rows(clusters)}
    if not candidates:
        raise FileFormatError(
            summaries,
            "the file must hold at least one summary, got none.",
            hint='A line is {"id": ..., "summary": ...}.',
        )
    for id, row in candidates.items():
        if id not in references:
            raise FileFormatError(
                summaries,
                f"every id must be one of {clusters}, got {id!r}.",
                line=row.number,
                hint="Add the references, or leave the summary out.",
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
        raise self.error("id must be text or a whole number", value)

    def text(self, name: str) -> str:
        value = self.fields.get(name)
        if isinstance(value, str):
            return value
        raise self.error(f"{name} must be text", value)

    def texts(self, name: str) -> tuple[str, ...]:
        value = self.fields.get(name)
        if isinstance(value, list) and value:
            for each in value:
                if not isinstance(each, str):
                    raise self.error(f"{name} must be texts", each)
            return tuple(value)
        raise self.error(f"{name} must be a list of at least one text", value)

    def error(self, rule: str, value: object) -> FileFormatError:
        shown = "none" if value is None else repr(value)[:60]
        return FileFormatError(
            self.path,
            f"{rule}, got {shown}.",
            line=self.number,
            hint='Summaries have "id" and "summary", clusters "id" and "references".',
        )


def _rows(path: Path) -> Iterator[_Row]:
    seen: set[str] = set()
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError):
            fields = None
        row = _Row(path, number, fields if isinstance(fields, dict) else {})
        if not isinstance(fields, dict):
            raise row.error("every line must be a JSON object", line)
        if row.id in seen:
            raise row.error("ids must differ", row.id)
        seen.add(row.id)
        yield row
