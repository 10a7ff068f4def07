"""Paragraphs of a PDF: which lines belong together, and their text on one line."""

from __future__ import annotations

import re
import statistics
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from thatch.text.documents.pdf_asides import footnotes, is_caption, is_references
from thatch.text.documents.pdf_lines import LINE_HYPHEN, Line

_BULLET = re.compile(r"[•▪◦‣·\uf0b7]\s*")
_SENTENCE_END = re.compile("[.!?:\u3002\uff01\uff1f]['\"\u201d\u2019)\\]]*\\Z")
_HYPHENATED = re.compile(r"\b\w+(?:-\w+)+")
_LAST_PART = re.compile(r"[\w-]*\w\Z")
_FIRST_PART = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Lines that belong together.

    >>> Paragraph([Line("Snow fell.", 0, 0, 10, 0)]).num_characters
    10
    """

    #: The lines, in order.
    lines: Sequence[Line]
    #: Whether it is a caption or a footnote.
    is_aside: bool = False

    @property
    def num_characters(self) -> int:
        """Number of characters of the lines."""
        return sum(len(line.text) for line in self.lines)


def paragraphs_of(
    pages: Sequence[Sequence[Line]], body_size: float
) -> Iterator[Paragraph]:
    """Return the paragraphs of a PDF; asides follow the paragraph around them.

    >>> rows = ["Snow fell", "all day", "and", "", "Table 1: Snow", "", "it was cold."]
    >>> page = [
    ...     Line(text, 50, 700 - 12 * k, 10, 0) for k, text in enumerate(rows) if text
    ... ]
    >>> [" ".join(line.text for line in p.lines) for p in paragraphs_of([page], 10)]
    ['Snow fell all day and it was cold.', 'Table 1: Snow']
    """
    usual_drop = _usual_drop([line for page in pages for line in page])
    paragraph: list[Line] = []
    asides: list[Paragraph] = []
    for lines, is_aside in _runs(pages, body_size, usual_drop):
        if is_aside:
            asides.append(Paragraph(lines, is_aside=True))
            continue
        for line in lines:
            is_around = bool(asides) and line is lines[0]
            if paragraph and _ends(paragraph, line, usual_drop, is_around=is_around):
                yield Paragraph(paragraph)
                yield from asides
                paragraph, asides = [], []
            paragraph.append(line)
    if paragraph:
        yield Paragraph(paragraph)
    yield from asides


def _usual_drop(lines: Sequence[Line]) -> float:
    drops = [_drop(above, below) for above, below in pairwise(lines)]
    return statistics.median([drop for drop in drops if drop > 0] or [0])


def _runs(
    pages: Sequence[Sequence[Line]], body_size: float, usual_drop: float
) -> Iterator[tuple[list[Line], bool]]:
    """Lines of the text, and between them captions and footnotes."""
    text: list[Line] = []
    for page in pages:
        notes = footnotes(page, body_size)
        k = 0
        while k < len(page):
            end = k
            if k in notes:
                while end < len(page) and end in notes:
                    end += 1
            elif _can_start(page, k, usual_drop) and is_caption(
                page[k].text, is_small=page[k].font_size < 0.95 * body_size
            ):
                end = _end_of_caption(page, k, usual_drop)
            if end == k:
                text.append(page[k])
                k += 1
                continue
            if text:
                yield text, False
                text = []
            yield list(page[k:end]), True
            k = end
    if text:
        yield text, False


def _can_start(page: Sequence[Line], k: int, usual_drop: float) -> bool:
    """Whether a caption may start at a line: at a paragraph, a column or a page."""
    if not k or not _drop(page[k - 1], page[k]):
        return True
    return _starts_paragraph(page[k - 1], page[k], usual_drop)


def _end_of_caption(page: Sequence[Line], k: int, usual_drop: float) -> int:
    end = k + 1
    while (
        end < len(page)
        and _drop(page[end - 1], page[end])
        and not _starts_paragraph(page[end - 1], page[end], usual_drop)
    ):
        end += 1
    return end


def _drop(above: Line, below: Line) -> float:
    """Distance from a line down to the next; 0 on another page or in another column."""
    is_below = above.page == below.page and below.baseline < above.baseline
    return above.baseline - below.baseline if is_below else 0.0


def _ends(
    paragraph: Sequence[Line], line: Line, usual_drop: float, *, is_around: bool
) -> bool:
    """Whether a paragraph ends before a line; there may be asides between them."""
    above = paragraph[-1]
    if is_references(above.text) or is_references(line.text):
        return len(paragraph) == 1 or not _is_sentence_open(above, line)
    if is_around and _is_sentence_open(above, line):
        return False
    return _starts_paragraph(above, line, usual_drop)


def _is_sentence_open(above: Line, line: Line) -> bool:
    return line.text[:1].islower() and not _SENTENCE_END.search(above.text)


def _starts_paragraph(above: Line, line: Line, usual_drop: float) -> bool:
    if above.text.endswith(LINE_HYPHEN):
        return False
    small, large = sorted((above.font_size, line.font_size))
    is_level = abs(above.baseline - line.baseline) < 0.6 * large
    if above.page == line.page and is_level and line.left > above.left:
        return False  # raised or lowered, such as an exponent
    is_other_size = large > small * 1.1
    if is_other_size or _BULLET.match(line.text):
        return True
    if not _drop(above, line):
        return False
    is_indented = 0.5 < (line.left - above.left) / max(line.font_size, 1.0) < 5
    is_after_sentence = _SENTENCE_END.search(above.text) is not None
    is_far = _drop(above, line) > usual_drop * 1.3
    return is_far or (is_indented and is_after_sentence)


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of a paragraph that are next to each other in the text of a page."""

    #: Offset of the first character in the text of the paragraph, or of the document.
    start: int
    #: Offset after the last character there.
    end: int
    #: Index of the page, from 0.
    page: int
    #: Offset of the first character in the text of the page.
    first: int


@dataclass(frozen=True, slots=True)
class Joined:
    """The text of a paragraph, and where its characters come from."""

    text: str
    pieces: tuple[Piece, ...]


def compounds_in(pages: Iterable[Iterable[Line]]) -> frozenset[str]:
    """Return the words that have a hyphen within a line, in lower case.

    >>> sorted(compounds_in([[Line("A well-known harbor", 50, 700, 10, 0)]]))
    ['well-known']
    """
    return frozenset(
        word.casefold()
        for page in pages
        for line in page
        for word in _HYPHENATED.findall(line.text)
    )


def joined(lines: Sequence[Line], compounds: frozenset[str]) -> Joined:
    """Return lines as one, with hyphenated words joined and without a bullet."""
    bullet = _BULLET.match(lines[0].text)
    skipped = bullet.end() if bullet else 0
    texts: list[str] = []
    pieces: list[Piece] = []
    end = 0
    for line, next_line in pairwise([*lines, None]):
        assert line is not None
        text, between = line.text[skipped:], ""
        if next_line is not None and text.endswith((LINE_HYPHEN, "-")):
            hyphen = _hyphen(text, next_line.text, compounds)
            text, between = text[:-1] + hyphen[:1], hyphen[1:]
        elif next_line is not None and not _are_wide(text[-1:], next_line.text[0]):
            between = " " if text else ""
        text = text.replace(LINE_HYPHEN, "-")
        start, end = end, end + len(text)
        if text:
            pieces.append(Piece(start, end, line.page, line.first + skipped))
        texts += [text, between]
        end += len(between)
        skipped = 0
    return Joined("".join(texts), tuple(pieces))


def _hyphen(above: str, below: str, compounds: frozenset[str]) -> str:
    """The hyphen between two lines, if the word would have one within a line."""
    left = _LAST_PART.search(above[-60:-1])
    right = _FIRST_PART.match(below)
    if left is None or left[0][-1].isdigit():
        return "-" if left else "- "
    is_compound = right and f"{left[0]}-{right[0]}".casefold() in compounds
    is_divided = right and right[0][0].islower() and not is_compound
    return "" if is_divided else "-"


def _are_wide(left: str, right: str) -> bool:
    """Whether both are wide East Asian characters, which need no space between them."""
    return all(unicodedata.east_asian_width(c or " ") in "WF" for c in (left, right))
