"""Clusters from files of JSON lines, and from folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thatch.errors import FileFormatError, InputError
from thatch.files.encodings import decoded
from thatch.files.reading import is_folder, read_bytes
from thatch.text.datasets.cluster import Cluster
from thatch.text.datasets.duc import read_folder
from thatch.text.documents.document import Document

__all__ = ["Cluster", "read_clusters"]

_EXAMPLE = '{"id": "storm", "documents": ["..."], "references": ["..."]}'


def read_clusters(
    path: str | Path, references: str | Path | None = None
) -> tuple[Cluster, ...]:
    r"""Clusters from a file of JSON lines, or from folders as NIST hands them out.

    Parameters
    ----------
    path
        A file with an object a line, ``{"id", "documents", "references"}``: documents
        are strings or objects ``{"name", "text"}``; only they are required. Or a
        folder with a folder of documents for every cluster: see
        `thatch.text.datasets.duc`.
    references
        The folder that holds the reference summaries; unless given, they are looked
        for in and beside the folders of documents.

    Raises
    ------
    FileFormatError
        If the file breaks its format.
    InputError
        If it cannot be read, or no cluster is found.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "news.jsonl"
    >>> _ = path.write_text('{"id": "storm", "documents": ["It rained."]}\n')
    >>> read_clusters(path)[0].name
    'storm'
    """
    path = Path(path)
    if is_folder(path):
        return read_folder(path, None if references is None else Path(references))
    if references is not None:
        raise InputError(
            f"references must be given for a folder only, got {references} for {path}.",
            hint="A file of JSON lines holds its own references.",
        )
    clusters = tuple(_clusters(decoded(read_bytes(path), path), path))
    if not clusters:
        raise FileFormatError(
            path,
            "the file must hold a cluster, got an empty file.",
            hint=f"Write a line {_EXAMPLE} for each.",
        )
    return clusters


def _clusters(text: str, path: Path) -> Iterator[Cluster]:
    # Other marks that end lines may stand within a JSON string.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _Line(line, path, number).cluster()


class _Line:
    """One line, each field checked when asked for."""

    def __init__(self, line: str, path: Path, number: int) -> None:
        self._path = path
        self._number = number
        try:
            fields = json.loads(line)
        except (ValueError, RecursionError) as error:
            reason = getattr(error, "msg", "it is nested too deeply")
            raise self._error(
                f"a line must be one JSON object, got {line.strip()!r:.60} ({reason}).",
                hint=f"Write {_EXAMPLE} on one line.",
            ) from error
        if not isinstance(fields, dict):
            raise self._error(
                f"a line must be one JSON object, got {fields!r:.60}.",
                hint=f"Write {_EXAMPLE}.",
            )
        self._fields: dict[str, Any] = fields

    def cluster(self) -> Cluster:
        documents = [
            self._document(value, position)
            for position, value in enumerate(self._list("documents"), start=1)
        ]
        references = self._list("references") if "references" in self._fields else []
        for position, reference in enumerate(references, start=1):
            if not isinstance(reference, str):
                raise self._error(
                    f"references must be strings, got {reference!r:.60} at reference "
                    f"{position}.",
                    hint="Put it in quotes.",
                )
        return Cluster(self._name(), tuple(documents), tuple(references))

    def _name(self) -> str:
        name = self._fields.get("id")
        if name is None:
            return f"cluster {self._number}"
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise self._error(
                f"id must be a string or a number, got {name!r:.60}.",
                hint="Put it in quotes, or leave it out.",
            )
        return str(name)

    def _document(self, value: object, position: int) -> Document:
        name: object = f"document {position}"
        text = value
        if isinstance(value, dict):
            name, text = value.get("name", name), value.get("text")
        if not isinstance(text, str) or not isinstance(name, str):
            raise self._error(
                'documents must be strings or {"name": "...", "text": "..."}, got '
                f"{value!r:.60} at document {position}.",
                hint="Put the text in quotes.",
            )
        return Document.from_text(text, name)

    def _list(self, field: str) -> list[Any]:
        values = self._fields.get(field)
        if not isinstance(values, list):
            got = f"{values!r:.60}" if field in self._fields else "none"
            raise self._error(
                f"{field} must be a list, got {got}.", hint=f"Write {_EXAMPLE}."
            )
        return values

    def _error(self, message: str, *, hint: str) -> FileFormatError:
        return FileFormatError(self._path, message, line=self._number, hint=hint)
