"""PDF, read by PDFium: paragraphs from lines and their positions on the page.

A PDF contains characters and positions, not paragraphs. A paragraph ends where the next
line is lower than usual, has another font size, is indented after the end of a
sentence, or starts with a bullet. It continues across pages and columns.
"""

from __future__ import annotations

import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from thatch.errors import FileFormatError
from thatch.text.documents.document import BlockKind, Document
from thatch.text.documents.pdf_pages import LINE_HYPHEN, Line, pages_of

__all__ = ["read"]

_BULLET = re.compile(r"[•▪◦‣·\uf0b7][ \t]*")
_SENTENCE_END = re.compile("[.!?:\u3002\uff01\uff1f]['\"\u201d\u2019)\\]]*\\Z")
_HYPHENATED = re.compile(r"\b\w+(?:-\w+)+")
_LAST_PART = re.compile(r"[\w-]*\w\Z")
_FIRST_PART = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d{1,9}")
# Minimum distance of paragraphs, relative to the usual distance of lines.
_PARAGRAPH_DROP = 1.3
# Minimum font size of headings, relative to that of the text.
_HEADING_SIZE = 1.15
# Maximum ratio of font sizes that count as equal.
_MAX_SIZE_RATIO = 1.1
_MAX_HEADING_CHARACTERS = 200
_MAX_PART_CHARACTERS = 60
_MIN_PAGES_WITH_HEADER = 3


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a PDF; `path` is its name.

    Running titles and page numbers are omitted; words that are hyphenated at the end of
    a line are joined.

    Raises
    ------
    FileFormatError
        If the file is damaged, has a password, contains no text, or exceeds a limit:
        10,000 pages, 20 million characters, and for each page 1 GiB and 5 seconds.
    """
    del encoding  # a PDF declares the encoding of its characters
    pages = _without_headers(pages_of(content, path))
    lines = [line for page in pages for line in page]
    if pages and not lines:
        raise FileFormatError(
            path,
            f"the PDF contains no text on its {len(pages)} pages.",
            hint="It may be a scan: run text recognition first.",
        )
    compounds = {
        word.casefold() for line in lines for word in _HYPHENATED.findall(line.text)
    }
    body_size = _body_size(lines)
    return Document.from_blocks(
        (
            (_kind(paragraph, body_size), _joined(paragraph, compounds))
            for paragraph in _paragraphs(lines)
        ),
        str(path),
    )


def _without_headers(pages: list[list[Line]]) -> list[list[Line]]:
    """Pages without running titles and page numbers.

    A first or last line is removed if most pages have the same one, apart from numbers,
    or if one of its numbers increases with the pages; in both cases on at least three
    pages.
    """
    for place in (0, -1):
        counts = Counter(key for page in pages if page for key in _keys(page[place]))
        for page in pages:
            if page and any(
                counts[text, offset] >= _min_pages(len(pages), offset)
                for text, offset in _keys(page[place])
            ):
                del page[place]
    return pages


def _keys(line: Line) -> set[tuple[str, int | None]]:
    """Keys that a line shares with the same header on other pages."""
    text = _NUMBER.sub("0", line.text)
    offsets = {int(number) - line.page for number in _NUMBER.findall(line.text)}
    return {(text, None), *((text, offset) for offset in offsets)}


def _min_pages(num_pages: int, offset: int | None) -> int:
    return max(_MIN_PAGES_WITH_HEADER, num_pages // 2 + 1 if offset is None else 0)


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    drops = [_drop(above, below) for above, below in pairwise(lines)]
    usual = statistics.median([drop for drop in drops if drop > 0] or [0])
    paragraph: list[Line] = []
    for line in lines:
        if paragraph and _starts_paragraph(paragraph[-1], line, usual):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _drop(above: Line, below: Line) -> float:
    """Distance from a line down to the next; 0 on another page or in another column."""
    is_below = above.page == below.page and below.baseline < above.baseline
    return above.baseline - below.baseline if is_below else 0.0


def _starts_paragraph(above: Line, line: Line, usual_drop: float) -> bool:
    if above.text.endswith(LINE_HYPHEN):
        return False
    small, large = sorted((above.font_size, line.font_size))
    if large > small * _MAX_SIZE_RATIO or _BULLET.match(line.text):
        return True
    if not _drop(above, line):
        return False
    is_indented = 0.5 < (line.left - above.left) / max(line.font_size, 1.0) < 5
    is_after_sentence = _SENTENCE_END.search(above.text) is not None
    is_far = _drop(above, line) > usual_drop * _PARAGRAPH_DROP
    return is_far or (is_indented and is_after_sentence)


def _body_size(lines: Sequence[Line]) -> float:
    """Font size of most characters, given that of the first character of each line."""
    num_characters: Counter[float] = Counter()
    for line in lines:
        num_characters[round(line.font_size, 1)] += len(line.text)
    return max(num_characters, key=lambda size: num_characters[size], default=0.0)


def _kind(paragraph: list[Line], body_size: float) -> BlockKind:
    is_large = paragraph[0].font_size >= body_size * _HEADING_SIZE
    num_characters = sum(len(line.text) for line in paragraph)
    is_short = num_characters <= _MAX_HEADING_CHARACTERS
    return BlockKind.HEADING if is_large and is_short else BlockKind.PROSE


def _joined(paragraph: list[Line], compounds: set[str]) -> str:
    """The paragraph on one line, with hyphenated words joined."""
    pieces = [_BULLET.sub("", paragraph[0].text, count=1)]
    for line in paragraph[1:]:
        above = pieces[-1]
        if above.endswith((LINE_HYPHEN, "-")):
            pieces[-1] = above[:-1] + _hyphen(above, line.text, compounds)
        elif not _are_wide(above[-1:], line.text[0]):
            pieces.append(" ")
        pieces.append(line.text)
    return "".join(pieces).replace(LINE_HYPHEN, "-")


def _hyphen(above: str, below: str, compounds: set[str]) -> str:
    """The hyphen between two lines, if the word would have one within a line."""
    left = _LAST_PART.search(above[-_MAX_PART_CHARACTERS:-1])
    right = _FIRST_PART.match(below)
    if left is None or left[0][-1].isdigit():
        return "-" if left else "- "
    is_compound = right and f"{left[0]}-{right[0]}".casefold() in compounds
    is_divided = right and right[0][0].islower() and not is_compound
    return "" if is_divided else "-"


def _are_wide(left: str, right: str) -> bool:
    """Whether both are wide East Asian characters, which need no space between them."""
    return all(unicodedata.east_asian_width(c or " ") in "WF" for c in (left, right))
