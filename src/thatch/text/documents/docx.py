"""Word documents, read by python-docx."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from thatch.errors import FileFormatError, MissingExtraError
from thatch.text.documents.document import BlockKind, Document

try:
    import docx
    import docx.document
    from docx.oxml.table import CT_Tbl
except ImportError as error:
    raise MissingExtraError(
        "Reading Word documents", package="python-docx", extra="files"
    ) from error

__all__ = ["read"]

_MAX_BYTES_OF_XML = 64 << 20
_MAX_BYTES = 256 << 20
_HEADING_STYLES = ("heading", "title", "subtitle")


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a Word document; `path` is its name.

    A table is one block, with one row per line; a merged cell appears once. Headers,
    footers and comments are omitted.

    Raises
    ------
    FileFormatError
        If the content is not a Word document, or damaged, or has more than 64 MiB of
        text and markup or 256 MiB in all.

    >>> word, file = docx.Document(), io.BytesIO()
    >>> _ = word.add_paragraph("It rained.")
    >>> word.save(file)
    >>> read(file.getvalue(), Path("news.docx")).text
    'It rained.'
    """
    del encoding  # .docx files are always UTF-8
    try:
        _require_size(content, path)
        return Document.from_blocks(_blocks(content), str(path))
    except FileFormatError:
        raise
    except Exception as error:  # python-docx raises anything that zip and XML raise
        raise FileFormatError(
            path,
            "the file is not a Word document (.docx), or it is damaged "
            f"({type(error).__name__}).",
            hint="Open it in a word processor and save it again.",
        ) from error


def _require_size(content: bytes, path: Path) -> None:
    """Require parts of limited size: compressed, they may have a thousandth of it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = archive.infolist()
    of_xml = [part for part in parts if part.filename.endswith((".xml", ".rels"))]
    for measured, limit in ((of_xml, _MAX_BYTES_OF_XML), (parts, _MAX_BYTES)):
        num_bytes = sum(part.file_size for part in measured)
        if num_bytes > limit:
            raise FileFormatError(
                path,
                f"the Word document has {num_bytes:,} bytes when it is unpacked; at "
                f"most {limit:,} are read.",
                hint="Divide it into several files, or save it without pictures.",
            )


def _blocks(content: bytes) -> Iterator[tuple[BlockKind, str]]:
    word = docx.Document(io.BytesIO(content))
    headings = _heading_ids(word)
    # Not the paragraphs and cells of python-docx: it searches all styles for each
    # paragraph, and repeats a cell as often as the file claims.
    for element in word.element.body.inner_content_elements:
        if isinstance(element, CT_Tbl):
            yield BlockKind.CODE, "\n".join(_rows(element))
        else:
            is_heading = element.style in headings
            yield BlockKind.HEADING if is_heading else BlockKind.PROSE, element.text


def _heading_ids(word: docx.document.Document) -> frozenset[str]:
    return frozenset(
        style.style_id
        for style in word.styles
        if (style.name or "").lower().startswith(_HEADING_STYLES)
    )


def _rows(table: CT_Tbl) -> Iterator[str]:
    for row in table.tr_lst:
        texts = (" ".join(p.text for p in cell.p_lst) for cell in row.tc_lst)
        yield " | ".join(" ".join(text.split()) for text in texts)
