"""Passages of a PDF, highlighted in the PDF itself."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

from thatch.text.documents.pdf import PagePiece
from thatch.text.documents.pdf_marks import Mark
from thatch.text.documents.pdf_pages import with_marks


def highlighted(
    content: bytes,
    path: Path,
    *,
    pieces: Sequence[PagePiece],
    spans: Sequence[tuple[int, int]],
) -> bytes:
    """Return a PDF with passages highlighted by annotations.

    The note of each says ``thatch`` and its number, from 1. A passage that continues on
    another page has an annotation on each of them.

    `pieces` are those of `read_with_pieces`, and `spans` are offsets in the text of the
    document.
    """
    marks: dict[int, list[Mark]] = {}
    for number, (start, end) in enumerate(spans, start=1):
        for page, runs in _runs(pieces, start, end).items():
            mark = Mark(f"thatch {number}", tuple(runs))
            marks.setdefault(page, []).append(mark)
    return with_marks(content, path, marks)


def _runs(
    pieces: Sequence[PagePiece], start: int, end: int
) -> dict[int, list[tuple[int, int]]]:
    """For each page, the offsets in its text and lengths of a passage's characters."""
    runs: dict[int, list[tuple[int, int]]] = {}
    first = bisect_right(pieces, start, key=lambda piece: piece.end)
    for piece in pieces[first:]:
        if piece.start >= end:
            break
        left, right = max(start, piece.start), min(end, piece.end)
        run = piece.first + left - piece.start, right - left
        runs.setdefault(piece.page, []).append(run)
    return runs
