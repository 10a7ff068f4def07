"""Clusters in folders, as NIST distributes DUC2003 and DUC2004.

There is one folder of documents per cluster, at any depth::

    .../tasks1and2/.../docs/d30001t/APW19980101.0001     SGML, or plain text
    .../ROUGE/eval/models/2/D30001.M.100.T.A             DUC2004
    .../detagged.duc2003.abstracts/models/D30003.M.100.T.A   DUC2003

The file name of a model summary consists of its cluster, M for several documents, its
length, who selected the cluster and who wrote it. If the folder contains several tasks,
the second is read: documents in a folder such as ``task2`` or ``tasks1and2``, and no
models in ``models/1``, 3, 4 and 5.

Any other folder with subfolders of ``.txt`` or ``.md`` files is read as well, with one
cluster per subfolder. References are in a folder ``references`` inside the cluster's
folder or next to it, in files whose names start with the name of the cluster:
``storm.1.txt``, ``storm_reference1.txt``. A cluster whose name is a number, as in a
known copy of DUC2004, has the models of that number, or of 30000 plus that number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from thatch.errors import FileFormatError, InputError
from thatch.files.encodings import decoded
from thatch.files.reading import (
    files_below,
    is_file,
    is_folder,
    read_bytes,
    visible_entries,
)
from thatch.text.datasets.sgml import is_sgml, model_summary, stories
from thatch.text.documents.document import Document

_CLUSTER = re.compile(r"d(\d+)\.?[a-z]?", re.IGNORECASE)
_MODEL = re.compile(
    r"d(?P<cluster>\d+)\.m\.(?P<size>\d+)\.[a-z]\.(?P<author>[a-z])(?:\.(?:html?|txt))?",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"(?:task(?=\d+_ref))?(.+?)(?:_reference\d*)?", re.IGNORECASE)
_REFERENCE_FOLDER = re.compile(r"(?:models?|references?)(?:[-_.].*)?", re.IGNORECASE)
_PEER_FOLDER = re.compile(r"peers?(?:[-_.\d].*)?", re.IGNORECASE)
_TASK = re.compile(r"tasks?[-_.]?(\d)(?:and(\d))?", re.IGNORECASE)
_OTHER_TASKS = frozenset("1345")
_PLAIN_SUFFIXES = frozenset({".txt", ".text", ".md", ".markdown"})
_NUMBER = re.compile(r"(\d{1,9})")


@dataclass(frozen=True)
class Cluster:
    """Documents on one subject, with reference summaries if there are any.

    >>> Cluster("storm", (Document("It rained."),), ("Rain.",)).references
    ('Rain.',)
    """

    #: Name of the cluster.
    name: str
    #: The documents.
    documents: tuple[Document, ...]
    #: Reference summaries, as plain text.
    references: tuple[str, ...] = ()


def read_folder(root: Path, references: Path | None = None) -> tuple[Cluster, ...]:
    """Read the clusters of a folder, sorted by name.

    References are searched for in the same folder by default.

    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> (root / "storm").mkdir()
    >>> _ = (root / "storm" / "1.txt").write_text("It rained.")
    >>> [cluster.name for cluster in read_folder(root)]
    ['storm']
    """
    folders = _cluster_folders(root)
    found = _References(references or root, is_given=references is not None)
    clusters = tuple(
        Cluster(folder.name, tuple(_documents(folder)), found.of_cluster(folder))
        for folder in folders
    )
    if references is not None and not any(cluster.references for cluster in clusters):
        raise InputError(
            f"references {references} contains no summary of {folders[0].name} or of "
            f"the {len(folders) - 1} other clusters.",
            hint="Name the files D30001.M.100.T.A or CLUSTER.1.txt, for example.",
        )
    return clusters


def _cluster_folders(root: Path) -> list[Path]:
    leaves = list(_leaves(root))
    second_task = [f for f in leaves if _is_second_task(f.relative_to(root).parts[:-1])]
    chosen = second_task or leaves
    chosen = [folder for folder in chosen if _is_nist(folder)] or chosen
    if not chosen:
        raise InputError(
            f"{root} contains no clusters: neither folders such as d30001t, nor "
            "folders of .txt files.",
            hint="Unpack the archives in it first.",
        )
    return sorted(_unique_folders(chosen), key=lambda folder: _sort_key(folder.name))


def _leaves(folder: Path) -> Iterator[Path]:
    """Folders of documents that contain no folders other than those of references."""
    below = [f for f in visible_entries(folder) if is_folder(f) and not f.is_symlink()]
    below = [f for f in below if not _is_for_summaries(f.name)]
    if _document_files(folder) and (not below or _is_nist(folder)):
        yield folder
        return
    for inner in below:
        yield from _leaves(inner)


def _unique_folders(folders: list[Path]) -> Iterable[Path]:
    """Folders without duplicate names; of two with one name, that in ``docs``."""
    by_name: dict[str, Path] = {}
    for folder in folders:
        name = folder.name.lower().replace(".", "")
        other = by_name.setdefault(name, folder)
        if other is not folder and folder.parent.name == "docs" != other.parent.name:
            by_name[name] = folder
        elif other is not folder and other.parent.name != "docs":
            raise InputError(
                f"the cluster {folder.name} has two folders: {other} and {folder}.",
                hint="Name a folder that contains only one of them.",
            )
    return by_name.values()


def _documents(folder: Path) -> Iterator[Document]:
    for path in _document_files(folder):
        text = _text(path, may_be_latin_1=_is_nist(folder))
        if is_sgml(text):
            yield from stories(text, path)
        elif path.suffix.lower() in (".md", ".markdown"):
            yield Document.from_markdown(text, path.name)
        else:
            yield Document.from_text(text, path.name)


class _References:
    """Reference summaries in a folder and its subfolders, by cluster."""

    def __init__(self, root: Path, *, is_given: bool) -> None:
        self._models: dict[int, dict[str, str]] = {}
        self._named: dict[str, list[Path]] = {}
        for path in _in_file_order(files_below(root, follow_links=True)):
            parts = path.relative_to(root).parts[:-1]
            if any(_PEER_FOLDER.fullmatch(part) for part in parts):
                continue
            model = _MODEL.fullmatch(path.name)
            if model:
                if not _is_other_task(parts) and int(model["size"]) == 100:
                    self._add_model(model, path)
            elif is_given or any(map(_REFERENCE_FOLDER.fullmatch, parts)):
                name = _REFERENCE.fullmatch(path.name.partition(".")[0])
                if name:
                    self._named.setdefault(name[1].lower(), []).append(path)

    def of_cluster(self, folder: Path) -> tuple[str, ...]:
        models = self._models.get(self._number(folder.name), {})
        if models:
            return tuple(models[author] for author in sorted(models))
        inside = [
            f for f in visible_entries(folder) if _REFERENCE_FOLDER.fullmatch(f.name)
        ]
        own = [
            path for inner in inside for path in files_below(inner, follow_links=True)
        ]
        named = own or self._named.get(folder.name.lower(), [])
        return tuple(
            model_summary(_text(path, may_be_latin_1=False))
            for path in _in_file_order(named)
        )

    def _number(self, name: str) -> int:
        cluster = _CLUSTER.fullmatch(name)
        if cluster:
            return int(cluster[1])
        if not (name.isascii() and name.isdigit() and len(name) < 10):
            return -1
        number = int(name)
        return number if number in self._models else 30_000 + number

    def _add_model(self, model: re.Match[str], path: Path) -> None:
        authors = self._models.setdefault(int(model["cluster"]), {})
        text = model_summary(_text(path, may_be_latin_1=True))
        other = authors.setdefault(model["author"].upper(), text)
        # The same summary may exist as text and as HTML.
        if other.split() != text.split():
            raise InputError(
                f"{path} differs from another file with the same model summary.",
                hint="Pass references=..., a folder with one file per summary.",
            )


def _document_files(folder: Path) -> list[Path]:
    files = [entry for entry in visible_entries(folder) if is_file(entry)]
    if not _is_nist(folder):
        files = [path for path in files if path.suffix.lower() in _PLAIN_SUFFIXES]
    return _in_file_order(files)


def _in_file_order(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: _sort_key(str(path)))


def _sort_key(name: str) -> list[tuple[int, str]]:
    """Key that sorts D2 before D10."""
    pieces = _NUMBER.split(name)
    return [
        (int(p) if p.isdecimal() and k % 2 else -1, p) for k, p in enumerate(pieces)
    ]


def _is_nist(folder: Path) -> bool:
    return _CLUSTER.fullmatch(folder.name) is not None


def _is_for_summaries(name: str) -> bool:
    return any(kind.fullmatch(name) for kind in (_REFERENCE_FOLDER, _PEER_FOLDER))


def _is_second_task(parts: Iterable[str]) -> bool:
    return any("2" in found for part in parts for found in _TASK.findall(part))


def _is_other_task(parts: tuple[str, ...]) -> bool:
    """Whether the folders lead to ``models/1``, 3, 4 or 5."""
    return any(
        task in _OTHER_TASKS and _REFERENCE_FOLDER.fullmatch(parent) is not None
        for parent, task in pairwise(parts)
    )


def _text(path: Path, *, may_be_latin_1: bool) -> str:
    """Text of a file: UTF-8, else Latin-1 if that is allowed, as in the nineties."""
    content = read_bytes(path)
    try:
        return decoded(content, path)
    except FileFormatError:
        if not may_be_latin_1 or b"\0" in content:
            raise
        return decoded(content, path, encoding="latin-1")
