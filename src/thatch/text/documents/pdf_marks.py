"""Highlights of a PDF: annotations that cover characters of its pages."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from thatch.text.documents.pdf_lines import TextPage, pypdfium2, raw, text_page

_YELLOW = (255, 235, 60, 255)
_Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters of a page to highlight, and the note of the annotation."""

    #: What a viewer shows beside it.
    note: str
    #: For each line, offset in the text of the page and number of characters.
    runs: tuple[tuple[int, int], ...]


def add_marks(pdf: pypdfium2.PdfDocument, number: int, marks: Sequence[Mark]) -> None:
    """Add annotations to a page, from its number from 0: one per mark.

    >>> pdf = pypdfium2.PdfDocument.new()
    >>> page = pdf.new_page(100, 100)
    >>> add_marks(pdf, 0, [])
    """
    with text_page(pdf, number) as page:
        for mark in marks:
            boxes = [box for run in mark.runs for box in _boxes(page, *run)]
            if boxes and not _annotate(page, boxes, mark.note):
                raise pypdfium2.PdfiumError(f"page {number + 1} cannot be marked")


def _boxes(page: TextPage, offset: int, length: int) -> Iterator[_Box]:
    """One box around some characters of a line: left, bottom, right, top."""
    first, last = page.index(offset), page.index(offset + length - 1)
    left, top, right, bottom = (ctypes.c_double() for _ in range(4))
    found = []
    for k in range(raw.FPDFText_CountRects(page.characters, first, last - first + 1)):
        if raw.FPDFText_GetRect(page.characters, k, left, top, right, bottom):
            found.append((left.value, bottom.value, right.value, top.value))
    if found:
        lefts, bottoms, rights, tops = zip(*found, strict=True)
        yield min(lefts), min(bottoms), max(rights), max(tops)


def _annotate(page: TextPage, boxes: Sequence[_Box], note: str) -> bool:
    annotation = raw.FPDFPage_CreateAnnot(page.page, raw.FPDF_ANNOT_HIGHLIGHT)
    if not annotation:
        return False
    try:
        done = [raw.FPDFAnnot_SetColor(annotation, 0, *_YELLOW)]
        for left, bottom, right, top in boxes:
            corners = (left, top, right, top, left, bottom, right, bottom)
            quad = raw.FS_QUADPOINTSF(*corners)
            done.append(raw.FPDFAnnot_AppendAttachmentPoints(annotation, quad))
        lefts, bottoms, rights, tops = zip(*boxes, strict=True)
        around = raw.FS_RECTF(min(lefts), max(tops), max(rights), min(bottoms))
        done += [
            raw.FPDFAnnot_SetRect(annotation, around),
            raw.FPDFAnnot_SetFlags(annotation, raw.FPDF_ANNOT_FLAG_PRINT),
            raw.FPDFAnnot_SetStringValue(annotation, b"Contents", _wide(note)),
            raw.FPDFAnnot_SetStringValue(annotation, b"T", _wide("thatch")),
        ]
        return all(done)
    finally:
        raw.FPDFPage_CloseAnnot(annotation)


def _wide(text: str) -> Any:
    """A string as PDFium expects it: UTF-16 with a zero at the end."""
    encoded = text.encode("utf-16-le") + b"\0\0"
    return (raw.FPDF_WCHAR * (len(encoded) // 2)).from_buffer_copy(encoded)
