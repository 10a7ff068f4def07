"""PDF, read by PDFium: paragraphs from lines and their positions on the page.

A PDF contains characters and positions, not paragraphs. A paragraph ends where the next
line is lower than usual, has another font size, is indented after the end of a
sentence, or starts with a bullet. It continues across pages and columns, and around
captions and footnotes (`pdf_paragraphs`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from thatch.errors import FileFormatError
from thatch.text.documents.document import BlockKind, Document, Part
from thatch.text.documents.pdf_asides import is_formula, is_references
from thatch.text.documents.pdf_columns import Line
from thatch.text.documents.pdf_headers import without_headers
from thatch.text.documents.pdf_pages import pages_of
from thatch.text.documents.pdf_paragraphs import (
    Joined,
    Paragraph,
    compounds_in,
    joined,
    paragraphs_of,
)
from thatch.text.documents.places import Place

__all__ = ["PagePiece", "read", "read_with_pieces"]

# Minimum font size of headings, relative to that of the text.
_HEADING_SIZE = 1.15
# Minimum ratio of the font sizes of headings of two levels.
_LEVEL_RATIO = 1.04
_MAX_HEADING_CHARACTERS = 200
_MAX_BOLD_HEADING_CHARACTERS = 100
_SENTENCE_SIGNS = (".", ",", ";", ":", "!", "?")


@dataclass(frozen=True, slots=True)
class PagePiece:
    """Characters of a document that are next to each other in the text of a page.

    >>> PagePiece(10, 14, page=0, first=7).page
    0
    """

    #: Offset of the first character in the text of the document.
    start: int
    #: Offset after the last character in the text of the document.
    end: int
    #: Index of the page, from 0.
    page: int
    #: Offset of the first character in the text of the page.
    first: int


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a PDF; `path` is its name.

    Running titles and page numbers are omitted; words that are hyphenated at the end of
    a line are joined. Captions, footnotes, references and formulas are asides.

    Raises
    ------
    FileFormatError
        If the file is damaged, has a password, contains no text, or exceeds a limit:
        10,000 pages, 20 million characters, and for each page 1 GiB and 5 seconds.
    """
    del encoding  # a PDF declares the encoding of its characters
    return read_with_pieces(content, path)[0]


def read_with_pieces(
    content: bytes, path: Path
) -> tuple[Document, tuple[PagePiece, ...]]:
    """Return the text of a PDF, and where its characters are on the pages.

    Raises
    ------
    FileFormatError
        As in `read`.
    """
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
        PagePiece(block.start + piece.start, block.start + piece.end, *piece.place)
        for block, text in zip(document.blocks, shown, strict=True)
        for piece in text.pieces
    )
    return document, tuple(pieces)


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
            if piece.place[0] != page:
                page = piece.place[0]
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
            if not self._sizes or largest > size * _LEVEL_RATIO:
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
        is_large = paragraph.lines[0].font_size >= self._body_size * _HEADING_SIZE
        is_short = paragraph.num_characters <= _MAX_HEADING_CHARACTERS
        return is_large and is_short and not paragraph.is_aside

    def _is_bold(self, paragraph: Paragraph) -> bool:
        """Whether it is a short bold line, or the title of the references."""
        first = paragraph.lines[0].text
        if len(first) > _MAX_BOLD_HEADING_CHARACTERS:
            return False
        if len(paragraph.lines) == 1 and is_references(first):
            return True
        is_bold = all(line.is_bold for line in paragraph.lines)
        is_short = paragraph.num_characters <= _MAX_BOLD_HEADING_CHARACTERS
        is_title = not paragraph.lines[-1].text.endswith(_SENTENCE_SIGNS)
        return is_bold and is_short and is_title and not first[:1].islower()


def _is_formula(paragraph: Paragraph) -> bool:
    return is_formula(" ".join(line.text for line in paragraph.lines))
