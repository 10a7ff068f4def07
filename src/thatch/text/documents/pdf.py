"""PDF, read by PDFium: paragraphs from lines and their positions on the page.

A PDF contains characters and positions, not paragraphs. A paragraph ends where the next
line is lower than usual, has another font size, is indented after the end of a
sentence, or starts with a bullet. It continues across pages and columns, and around
captions and footnotes (`pdf_paragraphs`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from thatch.errors import FileFormatError
from thatch.text.documents.document import BlockKind, Document, Part, Place
from thatch.text.documents.pdf_asides import is_formula, is_references
from thatch.text.documents.pdf_lines import Line
from thatch.text.documents.pdf_marks import Mark
from thatch.text.documents.pdf_pages import pages_of, with_marks
from thatch.text.documents.pdf_paragraphs import (
    Joined,
    Paragraph,
    Piece,
    compounds_in,
    joined,
    paragraphs_of,
)

_SENTENCE_SIGNS = (".", ",", ";", ":", "!", "?")


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a PDF; `path` is its name.

    Running titles and page numbers are omitted; words that are hyphenated at the end of
    a line are joined. Captions, footnotes, references and formulas are asides.

    A file may have 10,000 pages and 20 million characters, and each page may take 1 GiB
    and 5 seconds.
    """
    del encoding  # a PDF declares the encoding of its characters
    return read_with_pieces(content, path)[0]


def read_with_pieces(content: bytes, path: Path) -> tuple[Document, tuple[Piece, ...]]:
    """Return the text of a PDF, and where its characters are on the pages."""
    pages = without_headers(pages_of(content, path))
    if pages and not any(pages):
        raise FileFormatError(
            path,
            f"the PDF contains no text on its {len(pages)} pages.",
            hint="It may be a scan: run text recognition first.",
        )
    body_size = _body_size(line for page in pages for line in page)
    paragraphs = list(paragraphs_of(pages, body_size))
    compounds = compounds_in(pages)
    texts = [joined(paragraph.lines, compounds) for paragraph in paragraphs]
    parts = list(_parts(paragraphs, texts, _Headings(paragraphs, body_size)))
    document = Document.from_blocks(parts, str(path))
    shown = (text for text in texts if text.text.strip())
    pieces = (
        replace(piece, start=block.start + piece.start, end=block.start + piece.end)
        for block, text in zip(document.blocks, shown, strict=True)
        for piece in text.pieces
    )
    return document, tuple(pieces)


def highlighted(
    content: bytes,
    path: Path,
    *,
    pieces: Sequence[Piece],
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
    pieces: Sequence[Piece], start: int, end: int
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


def _body_size(lines: Iterator[Line]) -> float:
    """Font size of most characters, given that of one character of each line."""
    num_characters: Counter[float] = Counter()
    for line in lines:
        num_characters[round(line.font_size, 1)] += len(line.text)
    return max(num_characters, key=lambda size: num_characters[size], default=0.0)


def _parts(
    paragraphs: Sequence[Paragraph], texts: Sequence[Joined], headings: _Headings
) -> Iterator[Part]:
    page = -1
    # Of the heading of a list of references, within such a list.
    level_of_references: int | None = None
    for paragraph, text in zip(paragraphs, texts, strict=True):
        level = headings.level(paragraph)
        if level and (level_of_references is None or level <= level_of_references):
            level_of_references = level if is_references(text.text) else None
        if level:
            kind = BlockKind.HEADING
        else:
            is_text = level_of_references is None and not is_formula(text.text)
            is_prose = is_text and not paragraph.is_aside
            kind = BlockKind.PROSE if is_prose else BlockKind.ASIDE
        places = []
        for piece in text.pieces:
            if piece.page != page:
                page = piece.page
                places.append(Place(piece.start, page=page + 1))
        yield Part(kind, text.text, level, tuple(places))


class _Headings:
    """Which paragraphs are headings, and of which level: the largest font is 1."""

    def __init__(self, paragraphs: Sequence[Paragraph], body_size: float) -> None:
        self._body_size = body_size
        large = (p for p in paragraphs if self._is_large(p) and not _is_formula(p))
        sizes = {paragraph.lines[0].font_size for paragraph in large}
        #: The least font size of each level, descending.
        self._sizes: list[float] = []
        largest = 0.0
        for size in sorted(sizes, reverse=True):
            # Sizes that differ by less are of one level.
            if not self._sizes or largest > size * 1.04:
                self._sizes.append(size)
                largest = size
            self._sizes[-1] = size

    def level(self, paragraph: Paragraph) -> int:
        """Level of a heading; 0 if the paragraph is none."""
        if paragraph.is_aside or _is_formula(paragraph):
            return 0
        size = paragraph.lines[0].font_size
        if self._is_large(paragraph):
            return 1 + next(k for k, least in enumerate(self._sizes) if size >= least)
        return len(self._sizes) + 1 if self._is_bold(paragraph) else 0

    def _is_large(self, paragraph: Paragraph) -> bool:
        is_large = paragraph.lines[0].font_size >= self._body_size * 1.15
        is_short = paragraph.num_characters <= 200
        return is_large and is_short and not paragraph.is_aside

    def _is_bold(self, paragraph: Paragraph, *, max_characters: int = 100) -> bool:
        """Whether it is a short bold line, or the title of the references."""
        first = paragraph.lines[0].text
        if len(first) > max_characters:
            return False
        if len(paragraph.lines) == 1 and is_references(first):
            return True
        is_bold = all(line.is_bold for line in paragraph.lines)
        is_short = paragraph.num_characters <= max_characters
        is_title = not paragraph.lines[-1].text.endswith(_SENTENCE_SIGNS)
        return is_bold and is_short and is_title and not first[:1].islower()


def _is_formula(paragraph: Paragraph) -> bool:
    return is_formula(" ".join(line.text for line in paragraph.lines))


_NUMBER = re.compile(r"\d{1,9}")
_ANY_LINE = re.compile(r".*", re.DOTALL)
_PAGE_NUMBER = re.compile(
    r"\W*(?:page|seite|p\.|s\.)?\s*\d{1,9}(?:\s*(?:of|von|de|/)\s*\d{1,9})?\W*",
    re.IGNORECASE,
)


def without_headers(pages: list[list[Line]]) -> list[list[Line]]:
    """Return pages without running titles and page numbers.

    The first, last, top or bottom line of a page is removed if most pages, or most even
    or odd ones, have the same one there, apart from numbers, or if one of its numbers
    increases with the pages; in all cases on at least three pages. Next to a running
    title there may be a page number, too.

    >>> pages = [
    ...     [Line("News", 50, 700, 11, k), Line(f"Day {day}.", 50, 600, 11, k, 6)]
    ...     for k, day in enumerate(["one", "two", "three"])
    ... ]
    >>> [[line.text for line in page] for page in without_headers(pages)]
    [['Day one.'], ['Day two.'], ['Day three.']]
    """
    return _without_repeated(_without_repeated(pages, _ANY_LINE), _PAGE_NUMBER)


def _without_repeated(
    pages: list[list[Line]], pattern: re.Pattern[str]
) -> list[list[Line]]:
    """Pages without those repeated lines at their edges that match."""
    keys = [
        [(line.first, key) for line, key in _keys(page) if pattern.fullmatch(line.text)]
        for page in pages
    ]
    counts = Counter(key for found in keys for key in {key for _, key in found})
    frequent = {
        key for key, count in counts.items() if count >= _min_pages(key, len(pages))
    }
    removed = [{first for first, key in found if key in frequent} for found in keys]
    return [
        [line for line in page if line.first not in omitted]
        for page, omitted in zip(pages, removed, strict=True)
    ]


#: Place on the page, text without numbers, what is alike ("all" pages, "even" or "odd"
#: ones, or those with a "number") and by how much the number exceeds that of the page.
_Key = tuple[str, str, str, int]


def _keys(page: list[Line]) -> Iterator[tuple[Line, _Key]]:
    """Lines at the edges of a page, with what they share with headers of others."""
    if not page:
        return
    edges = {
        "first": page[0],
        "last": page[-1],
        "top": max(page, key=lambda line: line.baseline),
        "bottom": min(page, key=lambda line: line.baseline),
    }
    for place, line in edges.items():
        text = _NUMBER.sub("0", line.text)
        yield line, (place, text, "all", 0)
        yield line, (place, text, ("even", "odd")[line.page % 2], 0)
        for number in _NUMBER.findall(line.text):
            yield line, (place, text, "number", int(number) - line.page)


def _min_pages(key: _Key, num_pages: int) -> int:
    num_alike = {
        "all": num_pages,
        "even": (num_pages + 1) // 2,
        "odd": num_pages // 2,
        "number": 0,
    }
    return max(3, num_alike[key[2]] // 2 + 1)
