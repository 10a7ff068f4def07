"""Clusters from files of JSON lines and from folders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from thatch.errors import FileFormatError, InputError
from thatch.files.json_lines import JsonLine, read_json_lines
from thatch.files.reading import is_folder
from thatch.text.datasets.duc import Cluster, read_folder
from thatch.text.documents.document import Document

__all__ = ["Cluster", "read_clusters"]

_EXAMPLE = '{"id": "storm", "documents": ["..."], "references": ["..."]}'


def read_clusters(
    path: str | Path, references: str | Path | None = None
) -> tuple[Cluster, ...]:
    r"""Clusters from a file of JSON lines, or from folders as NIST distributes them.

    Parameters
    ----------
    path
        A file with one object per line, ``{"id", "documents", "references"}``. Only
        ``documents`` is required: a list of strings or of objects ``{"name", "text"}``.
        Or a folder with one folder of documents per cluster: see
        `thatch.text.datasets.duc`.
    references
        The folder of the reference summaries. Default: they are searched for inside
        and next to the folders of documents.

    Raises
    ------
    FileFormatError
        If a line is not a valid cluster.
    InputError
        If the path cannot be read, or no cluster is found.

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
            f"references {references} cannot be used: {path} is not a folder.",
            hint="Put the references of each cluster into the file of JSON lines.",
        )
    lines = read_json_lines(path, example=_EXAMPLE)
    clusters = tuple(_ClusterFields(line, path).cluster() for line in lines)
    if not clusters:
        raise FileFormatError(
            path,
            "the file is empty; at least one cluster was expected.",
            hint=f"Write one line per cluster, such as {_EXAMPLE}.",
        )
    return clusters


class _ClusterFields:
    """The fields of one line, each checked when it is used."""

    def __init__(self, line: JsonLine, path: Path) -> None:
        self._path = path
        self._line = line.number
        self._fields = line.fields

    def cluster(self) -> Cluster:
        documents = [
            self._document(value, position)
            for position, value in enumerate(self._list("documents"), start=1)
        ]
        references = self._list("references") if "references" in self._fields else []
        for position, reference in enumerate(references, start=1):
            if not isinstance(reference, str):
                raise self._error(
                    f"reference {position} is {reference!r:.60}; references must be "
                    "strings.",
                    hint="Put it in quotes.",
                )
        return Cluster(self._name(), tuple(documents), tuple(references))

    def _name(self) -> str:
        name = self._fields.get("id")
        if name is None:
            return f"cluster {self._line}"
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise self._error(
                f"id is {name!r:.60}; an id must be a string or an integer.",
                hint="Put it in quotes, or omit it.",
            )
        return str(name)

    def _document(self, value: object, position: int) -> Document:
        name: object = f"document {position}"
        text = value
        if isinstance(value, dict):
            name, text = value.get("name", name), value.get("text")
        if not isinstance(text, str) or not isinstance(name, str):
            raise self._error(
                f"document {position} is {value!r:.60}; documents must be strings or "
                '{"name": "...", "text": "..."}.',
                hint="Put the text in quotes.",
            )
        return Document.from_text(text, name)

    def _list(self, field: str) -> list[Any]:
        if field not in self._fields:
            raise self._error(f"{field} is missing.", hint=f"Write {_EXAMPLE}.")
        values = self._fields[field]
        if not isinstance(values, list):
            raise self._error(
                f"{field} is {values!r:.60}; a list was expected.",
                hint=f"Write {_EXAMPLE}.",
            )
        return values

    def _error(self, message: str, *, hint: str) -> FileFormatError:
        return FileFormatError(self._path, message, line=self._line, hint=hint)
