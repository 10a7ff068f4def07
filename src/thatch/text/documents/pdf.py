"""PDF, read by PDFium: lines with their places on the page, made into paragraphs.

A PDF knows characters and places, not paragraphs. A paragraph ends where the next line
is further down than usual, is set in another size, is indented after a full stop, or
starts with a bullet; neither the end of a page nor that of a column ends one.
"""

from __future__ import annotations

import ctypes
import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from thatch.errors import FileFormatError, MissingExtraError
from thatch.text.documents.document import BlockKind, Document

try:
    import pypdfium2
    from pypdfium2 import raw
except ImportError as error:
    raise MissingExtraError(
        "Reading PDF", package="pypdfium2", extra="files"
    ) from error

__all__ = ["read"]

# PDFium's sign for a hyphen at the end of a line, in place of the line's end.
_LINE_HYPHEN = "\ufffe"
_LINE = re.compile(rf"[^\r\n{_LINE_HYPHEN}]+(?:{_LINE_HYPHEN})?")
_BULLET = re.compile(r"[•▪◦‣·\uf0b7][ \t]*")
_SENTENCE_END = re.compile("[.!?:\u3002\uff01\uff1f]['\"\u201d\u2019)\\]]*\\Z")
_HYPHENATED = re.compile(r"\b\w+(?:-\w+)+")
_LAST_PART = re.compile(r"[\w-]*\w\Z")
_FIRST_PART = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d{1,9}")
#: How much further down than usual the next paragraph starts, at least.
_PARAGRAPH_DROP = 1.3
#: How much larger than the text a heading is set, at least.
_HEADING_SIZE = 1.15
_SAME_SIZE = 1.1
_LONGEST_HEADING = 200
_LONGEST_PART = 60
_FEWEST_PAGES_WITH_HEADER = 3


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    #: Where it starts on its page, in points from the left and from below.
    left: float
    baseline: float
    #: Of its first character.
    font_size: float
    page: int


def read(content: bytes, path: Path, *, encoding: str | None = None) -> Document:
    """Return the text of a PDF; `path` is for messages.

    Lines that stand at the top or the bottom of most pages, such as page numbers, are
    left out; words divided at the end of a line are whole again.

    Raises
    ------
    FileFormatError
        If it is damaged, locked, or has pictures of text only.
    """
    del encoding  # a PDF says itself how its characters are stored
    pages = _without_headers(_pages(content, path))
    lines = [line for page in pages for line in page]
    if pages and not lines:
        raise FileFormatError(
            path,
            f"the PDF must hold text, got {len(pages)} pages without any.",
            hint="It may be a scan: run text recognition over it first.",
        )
    compounds = {
        word.casefold() for line in lines for word in _HYPHENATED.findall(line.text)
    }
    body_size = _body_size(lines)
    return Document.from_parts(
        (
            (_kind(paragraph, body_size), _joined(paragraph, compounds))
            for paragraph in _paragraphs(lines)
        ),
        str(path),
    )


def _pages(content: bytes, path: Path) -> list[list[_Line]]:
    try:
        pdf = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        is_locked = "password" in str(error).lower()
        raise FileFormatError(
            path,
            "the file must be a PDF without password, got one with a password."
            if is_locked
            else "the file must be a PDF, got something else or a damaged one.",
            hint="Save it without." if is_locked else "Open it in a viewer to check.",
        ) from error
    try:
        return [list(_page_lines(pdf, page)) for page in range(len(pdf))]
    except pypdfium2.PdfiumError as error:
        raise FileFormatError(
            path, f"the PDF must be whole, got: {error}", hint="It may be damaged."
        ) from error
    finally:
        pdf.close()


def _page_lines(pdf: pypdfium2.PdfDocument, page: int) -> Iterator[_Line]:
    characters = pdf[page].get_textpage()
    x, y = ctypes.c_double(), ctypes.c_double()
    for found in _LINE.finditer(characters.get_text_range()):
        text = found[0].strip()
        if text.strip(_LINE_HYPHEN):
            first = found.start() + len(found[0]) - len(found[0].lstrip())
            index = raw.FPDFText_GetCharIndexFromTextIndex(characters, first)
            raw.FPDFText_GetCharOrigin(characters, index, x, y)
            size = raw.FPDFText_GetFontSize(characters, index)
            yield _Line(text, x.value, y.value, size, page)


def _without_headers(pages: list[list[_Line]]) -> list[list[_Line]]:
    """Pages without running titles and page numbers.

    A first or last line goes if most pages have it, but for its numbers, or if one of
    its numbers counts the pages, on three pages at least.
    """
    for place in (0, -1):
        counts = Counter(key for page in pages if page for key in _keys(page[place]))
        for page in pages:
            if page and any(
                counts[text, offset] >= _fewest_pages(len(pages), offset)
                for text, offset in _keys(page[place])
            ):
                del page[place]
    return pages


def _keys(line: _Line) -> set[tuple[str, int | None]]:
    """What a line has in common with the same header on other pages."""
    text = _NUMBER.sub("0", line.text)
    offsets = {int(number) - line.page for number in _NUMBER.findall(line.text)}
    return {(text, None), *((text, offset) for offset in offsets)}


def _fewest_pages(num_pages: int, offset: int | None) -> int:
    return max(_FEWEST_PAGES_WITH_HEADER, num_pages // 2 + 1 if offset is None else 0)


def _paragraphs(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    drops = [_drop(above, below) for above, below in pairwise(lines)]
    usual = statistics.median([drop for drop in drops if drop > 0] or [0])
    paragraph: list[_Line] = []
    for line in lines:
        if paragraph and _starts_paragraph(paragraph[-1], line, usual):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _drop(above: _Line, below: _Line) -> float:
    """How far down the next line stands; 0 where it is on another page or column."""
    is_below = above.page == below.page and below.baseline < above.baseline
    return above.baseline - below.baseline if is_below else 0.0


def _starts_paragraph(above: _Line, line: _Line, usual_drop: float) -> bool:
    if above.text.endswith(_LINE_HYPHEN):
        return False
    small, large = sorted((above.font_size, line.font_size))
    if large > small * _SAME_SIZE or _BULLET.match(line.text):
        return True
    if not _drop(above, line):
        return False
    is_indented = 0.5 < (line.left - above.left) / max(line.font_size, 1.0) < 5
    is_after_sentence = _SENTENCE_END.search(above.text) is not None
    is_far = _drop(above, line) > usual_drop * _PARAGRAPH_DROP
    return is_far or (is_indented and is_after_sentence)


def _body_size(lines: Sequence[_Line]) -> float:
    """Size in which most characters are set, judged by the first of each line."""
    num_characters: Counter[float] = Counter()
    for line in lines:
        num_characters[round(line.font_size, 1)] += len(line.text)
    return max(num_characters, key=lambda size: num_characters[size], default=0.0)


def _kind(paragraph: list[_Line], body_size: float) -> BlockKind:
    is_large = paragraph[0].font_size >= body_size * _HEADING_SIZE
    is_short = sum(len(line.text) for line in paragraph) <= _LONGEST_HEADING
    return BlockKind.HEADING if is_large and is_short else BlockKind.PROSE


def _joined(paragraph: list[_Line], compounds: set[str]) -> str:
    """Return the paragraph on one line, its divided words whole."""
    pieces = [_BULLET.sub("", paragraph[0].text, count=1)]
    for line in paragraph[1:]:
        above = pieces[-1]
        if above.endswith((_LINE_HYPHEN, "-")):
            pieces[-1] = above[:-1] + _hyphen(above, line.text, compounds)
        elif not _are_wide(above[-1:], line.text[0]):
            pieces.append(" ")
        pieces.append(line.text)
    return "".join(pieces).replace(_LINE_HYPHEN, "-")


def _hyphen(above: str, below: str, compounds: set[str]) -> str:
    """Return the hyphen between two lines, if it would also stand within a line."""
    left = _LAST_PART.search(above[-_LONGEST_PART:-1])
    right = _FIRST_PART.match(below)
    if left is None or left[0][-1].isdigit():
        return "-" if left else "- "
    is_compound = right and f"{left[0]}-{right[0]}".casefold() in compounds
    is_divided = right and right[0][0].islower() and not is_compound
    return "" if is_divided else "-"


def _are_wide(left: str, right: str) -> bool:
    """Whether both are characters of a script that puts no spaces between words."""
    return all(unicodedata.east_asian_width(c or " ") in "WF" for c in (left, right))
