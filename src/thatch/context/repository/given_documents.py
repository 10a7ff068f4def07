"""Documents that a caller has read: their chunks, and which ones are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from thatch.context.repository.file_chunks import FileChunks, cut_documents
from thatch.context.repository.file_kinds import is_skipped_folder, unwanted_kind
from thatch.context.repository.file_search import SkippedFile, is_specific
from thatch.context.repository.ignore_rules import (
    IgnoreRules,
    checked_patterns,
    compiled,
    is_matched,
)

if TYPE_CHECKING:
    from thatch.text.documents.document import Document

_RULES = ".gitignore"


def chunks_of_documents(
    documents: Sequence[Document],
    *,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    is_folder: bool = False,
) -> FileChunks:
    """Cut documents into chunks, as `find_files` and `read_chunks` do with files.

    Their names are those of files, with slashes between folders.

    Patterns are as in ``.gitignore``. Of the files of a folder, those that are
    generated, that may contain secrets, or that a ``.gitignore`` among them excludes
    are left out.

    >>> from thatch.text.documents.document import Document
    >>> files = {".gitignore": "*.log", "roof.py": "x = 1", "a.log": "1", ".env": "2"}
    >>> documents = [Document.from_text(text, name) for name, text in files.items()]
    >>> found = chunks_of_documents(documents, is_folder=True)
    >>> [chunk.path for chunk in found.chunks]
    ['.gitignore', 'roof.py']
    >>> [(file.path, file.reason) for file in found.skipped]
    [('.env', 'may contain secrets')]
    >>> chunks_of_documents([Document.from_text("Snow fell.")]).chunks[0].path
    'document 1'
    """
    include = tuple(include)
    wanted = checked_patterns(include, "include")
    unwanted = checked_patterns(exclude, "exclude")
    named = compiled(pattern for pattern in include if is_specific(pattern))
    distinct = _with_distinct_names(documents)
    rules = _Rules(distinct) if is_folder else None
    kept: list[Document] = []
    skipped: list[SkippedFile] = []
    for document in distinct:
        path = document.name
        is_wanted = not wanted or is_matched(path, wanted)
        if not is_wanted or is_matched(path, unwanted):
            continue
        if rules is not None and rules.ignores(path):
            continue
        is_found = is_folder and not is_matched(path, named)
        reason = _reason(path) if is_found else ""
        if reason:
            skipped.append(SkippedFile(path, reason))
        else:
            kept.append(document)
    return cut_documents(kept, skipped, is_folder=is_folder)


def _with_distinct_names(documents: Sequence[Document]) -> list[Document]:
    counts: Counter[str] = Counter()
    found = []
    for k, document in enumerate(documents, 1):
        name = document.name or f"document {k}"
        counts[name] += 1
        if counts[name] > 1:
            name = f"{name} ({counts[name]})"
        found.append(replace(document, name=name))
    return found


def _reason(path: str) -> str:
    """Why a file of a folder is left out; empty if it is not."""
    *folders, name = path.split("/")
    if any(map(is_skipped_folder, folders)):
        return "packages, caches or history"
    return unwanted_kind(name)


class _Rules:
    def __init__(self, documents: Sequence[Document]) -> None:
        self._lines = {
            document.name.removesuffix(_RULES): document.text.splitlines()
            for document in documents
            if document.name.rpartition("/")[2] == _RULES
        }
        top = IgnoreRules("", compiled(self._lines.get("", ())))
        # Rules within each folder; None if the folder itself is ignored.
        self._within: dict[str, IgnoreRules | None] = {"": top}

    def ignores(self, path: str) -> bool:
        """Whether a file, or a folder that it is in, is ignored."""
        folder, slash, _ = path.rpartition("/")
        rules = self._rules_in(folder + slash)
        return rules is None or rules.ignores(path)

    def _rules_in(self, folder: str) -> IgnoreRules | None:
        if folder not in self._within:
            parent, slash, _ = folder[:-1].rpartition("/")
            above = self._rules_in(parent + slash)
            if above is not None and above.ignores(folder):
                above = None
            elif above is not None and folder in self._lines:
                above = IgnoreRules(folder, compiled(self._lines[folder]), above)
            self._within[folder] = above
        return self._within[folder]
