"""Word documents, read by python-docx."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from thatch.errors import FileFormatError, MissingExtraError
from thatch.text.documents.document import BlockKind, Document

try:
    import docx
    from docx.table import Table
except ImportError as error:
    raise MissingExtraError(
        "Reading Word documents", package="python-docx", extra="files"
    ) from error

__all__ = ["read"]

_HEADING_STYLES = ("heading", "title", "subtitle")


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a Word document; `path` is its name.

    A table is one block, with one row per line. Headers, footers and comments are
    omitted.

    Raises
    ------
    FileFormatError
        If the content is not a Word document, or damaged.

    >>> word, file = docx.Document(), io.BytesIO()
    >>> _ = word.add_paragraph("It rained.")
    >>> word.save(file)
    >>> read(file.getvalue(), Path("news.docx")).text
    'It rained.'
    """
    del encoding  # .docx files are always UTF-8
    try:
        return Document.from_blocks(_blocks(content), str(path))
    except Exception as error:  # python-docx raises anything that zip and XML raise
        raise FileFormatError(
            path,
            "the file is not a Word document (.docx), or it is damaged "
            f"({type(error).__name__}).",
            hint="Open it in a word processor and save it again.",
        ) from error


def _blocks(content: bytes) -> Iterator[tuple[BlockKind, str]]:
    for element in docx.Document(io.BytesIO(content)).iter_inner_content():
        if isinstance(element, Table):
            yield BlockKind.CODE, "\n".join(_rows(element))
            continue
        style = (element.style.name or "").lower() if element.style else ""
        is_heading = style.startswith(_HEADING_STYLES)
        yield BlockKind.HEADING if is_heading else BlockKind.PROSE, element.text


def _rows(table: Table) -> Iterator[str]:
    for row in table.rows:
        yield " | ".join(" ".join(cell.text.split()) for cell in row.cells)
