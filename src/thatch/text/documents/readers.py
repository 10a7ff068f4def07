"""Documents from files, folders and standard input."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from thatch.errors import InputError, InputTypeError, ThatchError
from thatch.files.reading import files_below, is_folder, read_bytes, read_stream
from thatch.text.documents.document import Document
from thatch.text.documents.reader_registry import BUILT_IN, reader_of, suffixes

STANDARD_INPUT = "-"
#: Suffixes that thatch itself reads; `reader_registry.suffixes` adds those of others.
ENDINGS = tuple(f".{name}" for name in BUILT_IN)
#: Suffixes of Markdown.
MARKDOWN = frozenset(
    f".{name}" for name, reader in BUILT_IN.items() if "markdown" in reader
)
_PLAIN_TEXT = ".txt"
# How files of those formats start: standard input has no name.
_SUFFIX_OF_START = {
    b"<!doctype html": ".html",
    b"<html": ".html",
    b"%pdf-": ".pdf",
    b"pk\x03\x04": ".docx",
    b"webvtt": ".vtt",
}
# The first file in the archive of an electronic book.
_EPUB = b"mimetypeapplication/epub+zip"
_LOGGER = logging.getLogger("thatch")


def read_document(path: str | Path, *, encoding: str | None = None) -> Document:
    r"""Read a document from a file, in the format that its suffix names.

    ``.md`` and ``.markdown`` are Markdown, and ``.docx`` is Word; ``.rst``, ``.adoc``,
    ``.tex``, ``.srt``, ``.vtt``, ``.eml`` and ``.mbox`` are read, too; ``.html``,
    ``.pdf`` and ``.epub`` need the extra ``files``; other packages may add suffixes
    (see `thatch.text.documents.reader_registry`); everything else is plain text. ``-``
    is standard input: HTML, PDF, Word, EPUB and WebVTT are recognized by their first
    bytes, and everything else is plain text.

    Parameters
    ----------
    path
        The file.
    encoding
        Name of the encoding. Default: the one that a byte order mark or, in HTML, the
        page itself names, else UTF-8.

    Raises
    ------
    InputError
        If the file cannot be read, or the encoding is unknown.
    FileFormatError
        If the file is not text, or not in its format.
    MissingExtraError
        If the package that reads the format is not installed.
    PluginError
        If a reader of another package cannot be loaded.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.md"
    >>> _ = path.write_text("# Notes\n\nAll is well.\n")
    >>> document = read_document(path)
    >>> [document.text[block.start : block.end] for block in document.blocks]
    ['Notes', 'All is well.']
    """
    try:
        if str(path) == STANDARD_INPUT:
            return _standard_input(encoding)
        return document_of(read_bytes(Path(path)), path, encoding=encoding)
    except MemoryError as error:
        raise InputError(
            f"{path} cannot be read: out of memory.",
            hint="Split the file, or omit it.",
        ) from error


def document_of(
    content: bytes, name: str | Path, *, encoding: str | None = None
) -> Document:
    """Return the document in some bytes, in the format of the name's suffix."""
    path = Path(name)
    reader = reader_of(path.suffix) or reader_of(_PLAIN_TEXT)
    assert reader is not None
    return reader(content, path, encoding=encoding)


def is_plain(name: str | Path) -> bool:
    """Whether a file of that name is read as plain text or Markdown.

    >>> is_plain("notes.md"), is_plain("main.py"), is_plain("report.PDF")
    (True, True, False)
    """
    suffix = Path(name).suffix.lower()
    return suffix in {_PLAIN_TEXT, *MARKDOWN} or suffix not in suffixes()


def read_documents(
    paths: Iterable[str | Path],
    *,
    encoding: str | None = None,
    follow_links: bool = False,
    on_skip: Callable[[Path, str], None] | None = None,
) -> tuple[Document, ...]:
    """Read documents from files and folders, in the order given.

    For a folder, all files in it and its subfolders are read, sorted by name. Hidden
    files are ignored. What cannot be read, such as pictures, pipes and links out of the
    folder, is skipped and reported.

    Parameters
    ----------
    paths
        Files and folders; ``-`` is standard input.
    encoding
        As in `read_document`.
    follow_links
        Whether links in a folder to files outside of it are followed.
    on_skip
        Called with each skipped file and the reason. Default: a warning is logged.

    Raises
    ------
    InputError
        If a file in `paths` cannot be read, or a folder contains no readable file.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "b.txt").write_text("Second.")
    >>> _ = (folder / "a.txt").write_text("First.")
    >>> [document.text for document in read_documents([folder])]
    ['First.', 'Second.']
    """
    if isinstance(paths, str | Path):
        raise InputTypeError(
            f"paths is {paths!r}; a list of paths was expected.",
            hint="Put it in a list, or use read_document.",
        )
    documents: list[Document] = []
    for path in paths:
        if str(path) != STANDARD_INPUT and is_folder(Path(path)):
            skip = on_skip or partial(_LOGGER.warning, "Skipped %s: %s")
            files = files_below(Path(path), follow_links=follow_links, on_skip=skip)
            documents += _documents_in(files, Path(path), encoding, skip)
        else:
            documents.append(read_document(path, encoding=encoding))
    return tuple(documents)


def _documents_in(
    files: Iterable[Path],
    folder: Path,
    encoding: str | None,
    on_skip: Callable[[Path, str], None],
) -> list[Document]:
    documents = []
    for path in files:
        try:
            documents.append(read_document(path, encoding=encoding))
        except ThatchError as error:
            on_skip(path, str(error))
    if not documents:
        raise InputError(
            f"the folder {folder} contains no file that can be read.",
            hint="Check the path, or name a file.",
        )
    return documents


def _standard_input(encoding: str | None) -> Document:
    if sys.stdin is None:
        raise InputError("standard input is closed.", hint="Name a file instead.")
    # A substitute, such as a notebook's, may have no bytes.
    binary = getattr(sys.stdin, "buffer", None)
    if binary is None:
        return Document.from_text(sys.stdin.read(), STANDARD_INPUT)
    content = read_stream(binary, "standard input")
    start = content[:100].lstrip().lower()
    suffix = next((s for b, s in _SUFFIX_OF_START.items() if start.startswith(b)), "")
    if _EPUB in content[:100]:
        suffix = ".epub"
    document = document_of(content, f"standard input{suffix}", encoding=encoding)
    return replace(document, name=STANDARD_INPUT)
