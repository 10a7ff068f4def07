"""Documents from files, folders and standard input."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from thatch.errors import InputError, InputTypeError, MissingExtraError, ThatchError
from thatch.files.encodings import decoded
from thatch.files.reading import files_below, is_folder, read_bytes
from thatch.text.documents.document import Document

__all__ = ["document_of", "read_document", "read_documents"]

STANDARD_INPUT = "-"
MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd"})
# Formats that a package of the extra `files` reads: our module, and the package.
_FOREIGN = {
    ".html": ("html", "trafilatura"),
    ".htm": ("html", "trafilatura"),
    ".xhtml": ("html", "trafilatura"),
    ".pdf": ("pdf", "pypdfium2"),
    ".docx": ("docx", "python-docx"),
}
#: Endings of the files that are more than plain text.
ENDINGS = (".txt", *sorted(MARKDOWN), *_FOREIGN)
# How files of those formats start, where there is no name to go by.
_STARTS = {
    b"<!doctype html": ".html",
    b"<html": ".html",
    b"%pdf-": ".pdf",
    b"pk\x03\x04": ".docx",
}
_LOGGER = logging.getLogger("thatch")


def read_document(path: str | Path, *, encoding: str | None = None) -> Document:
    r"""Document from a file, by its ending.

    ``.md`` and ``.markdown`` are Markdown; ``.html``, ``.pdf`` and ``.docx`` need the
    extra ``files``; everything else is plain text. ``-`` is standard input: HTML, PDF
    and Word are known by how they start, all else is plain text.

    Parameters
    ----------
    path
        The file.
    encoding
        How its characters are stored. Unless given, a byte order mark or, in HTML,
        the page itself decides, and otherwise it must be UTF-8.

    Raises
    ------
    InputError
        If the file cannot be read, or there is no such encoding.
    FileFormatError
        If it is no text, or breaks its format.
    MissingExtraError
        If the package that reads it is not installed.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.md"
    >>> _ = path.write_text("# Notes\n\nAll is well.\n")
    >>> document = read_document(path)
    >>> [document.text[block.start : block.end] for block in document.blocks]
    ['Notes', 'All is well.']
    """
    if str(path) == STANDARD_INPUT:
        return _standard_input(encoding)
    return document_of(read_bytes(Path(path)), path, encoding=encoding)


def document_of(
    content: bytes, name: str | Path, *, encoding: str | None = None
) -> Document:
    r"""Document from what a file holds, by the ending of its name.

    Parameters
    ----------
    content
        What the file holds; no file is opened.
    name
        The file's name, as in `read_document`.
    encoding
        As in `read_document`.

    >>> document_of(b"# Notes\n\nAll is well.", "notes.md").blocks[0].kind.value
    'heading'
    """
    path = Path(name)
    suffix = path.suffix.lower()
    if suffix in _FOREIGN:
        return _foreign_document(content, path, encoding)
    text = decoded(content, path, encoding=encoding)
    if suffix in MARKDOWN:
        return Document.from_markdown(text, str(path))
    return Document.from_text(text, str(path))


def read_documents(
    paths: Iterable[str | Path],
    *,
    encoding: str | None = None,
    on_skip: Callable[[Path, str], None] | None = None,
) -> tuple[Document, ...]:
    """Documents from files and folders, in the order given.

    A folder stands for the files in it and below, sorted by name. Hidden ones are
    passed over; those that cannot be read, such as pictures, are skipped and reported.

    Parameters
    ----------
    paths
        Files and folders; ``-`` is standard input.
    encoding
        As in `read_document`.
    on_skip
        Called with each file skipped and the reason; unless given, the log tells.

    Raises
    ------
    InputError
        If a file named here cannot be read, or a folder holds none that can be.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "b.txt").write_text("Second.")
    >>> _ = (folder / "a.txt").write_text("First.")
    >>> [document.text for document in read_documents([folder])]
    ['First.', 'Second.']
    """
    if isinstance(paths, str | Path):
        raise InputTypeError(
            f"paths must be a list of paths, got {paths!r}.",
            hint="Put it in a list, or use read_document.",
        )
    documents: list[Document] = []
    for path in paths:
        if str(path) != STANDARD_INPUT and is_folder(Path(path)):
            skip = on_skip or _log_skipped
            documents += _documents_below(Path(path), encoding, skip)
        else:
            documents.append(read_document(path, encoding=encoding))
    return tuple(documents)


def _documents_below(
    folder: Path, encoding: str | None, on_skip: Callable[[Path, str], None]
) -> list[Document]:
    documents = []
    for path in files_below(folder):
        try:
            documents.append(read_document(path, encoding=encoding))
        except ThatchError as error:
            on_skip(path, str(error))
    if not documents:
        raise InputError(
            f"a folder must hold a document, got none that can be read in {folder}.",
            hint="Check its spelling, or name a file.",
        )
    return documents


def _log_skipped(path: Path, reason: str) -> None:
    _LOGGER.warning("Skipped %s: %s", path, reason)


def _standard_input(encoding: str | None) -> Document:
    if sys.stdin is None:
        raise InputError(
            "standard input must be open, got none.", hint="Name a file instead."
        )
    # A stand-in, such as a notebook's, may have no bytes to give.
    binary = getattr(sys.stdin, "buffer", None)
    if binary is None:
        return Document.from_text(sys.stdin.read(), STANDARD_INPUT)
    content = binary.read()
    start = content[:100].lstrip().lower()
    suffix = next((s for mark, s in _STARTS.items() if start.startswith(mark)), None)
    if suffix is not None:
        path = Path(f"standard input{suffix}")
        return replace(_foreign_document(content, path, encoding), name=STANDARD_INPUT)
    text = decoded(content, "standard input", encoding=encoding)
    return Document.from_text(text, STANDARD_INPUT)


def _foreign_document(content: bytes, path: Path, encoding: str | None) -> Document:
    module, package = _FOREIGN[path.suffix.lower()]
    try:
        reader = import_module(f"thatch.text.documents.{module}")
    except ImportError as error:
        raise MissingExtraError(
            f"Reading {path.name}", package=package, extra="files"
        ) from error
    document: Document = reader.read(content, path, encoding=encoding)
    return document
