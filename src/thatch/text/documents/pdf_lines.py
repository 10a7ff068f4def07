"""Lines of one page of a PDF, in reading order, as PDFium finds them.

The text of a page is read upright, whichever way the page or its text is turned. Where
two columns were written row by row, PDFium returns one line for both; such lines are
divided, and columns are read one after the other.
"""

from __future__ import annotations

import ctypes
import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any

from thatch.errors import requiring

with requiring("Reading PDF", package="pypdfium2", extra="files"):
    import pypdfium2 as pypdfium2
    from pypdfium2 import raw as raw

#: PDFium returns this for a hyphen at the end of a line, in place of the line break.
LINE_HYPHEN = "\ufffe"
_LINE = re.compile(rf"[^\r\n{LINE_HYPHEN}]+(?:{LINE_HYPHEN})?")
_BOLD = re.compile(rb"bold|black|heavy|demi|cmbx|-medi", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page, and where it starts."""

    text: str
    #: Position of its start on the page, in points from the left and from the bottom.
    left: float
    baseline: float
    #: Font size of the character in its middle.
    font_size: float
    #: Index of the page, from 0.
    page: int
    #: Offset of its first character in the text of the page.
    first: int = 0
    #: Whether its first and its last character are bold.
    is_bold: bool = False
    #: Position of its end on the page; 0 where it was not measured.
    right: float = 0.0


@dataclass(frozen=True)
class TextPage:
    """The characters of a page, read upright."""

    #: The page, of PDFium.
    page: Any
    #: Its characters, of PDFium.
    characters: Any
    #: Its text; a character of it has an index in `characters` of its own.
    text: str
    #: Angle by which most of the text is turned, clockwise, in radians.
    angle: float

    def index(self, offset: int) -> int:
        """Index in `characters` of the character at an offset in the text."""
        return int(raw.FPDFText_GetCharIndexFromTextIndex(self.characters, offset))

    def origin(self, index: int) -> tuple[float, float]:
        """Where a character starts, from the left and from the bottom, upright."""
        x, y = ctypes.c_double(), ctypes.c_double()
        raw.FPDFText_GetCharOrigin(self.characters, index, x, y)
        return self._turned(x.value, y.value)

    def sides(self, index: int) -> tuple[float, float]:
        """Left and right side of a character, upright."""
        box = raw.FS_RECTF()
        raw.FPDFText_GetLooseCharBox(self.characters, index, box)
        if not self.angle:
            return box.left, box.right
        ends = (
            self._turned(box.left, box.bottom)[0],
            self._turned(box.right, box.top)[0],
        )
        return min(ends), max(ends)

    def font_size(self, index: int) -> float:
        """Font size of a character as it is shown."""
        size = float(raw.FPDFText_GetFontSize(self.characters, index))
        matrix = raw.FS_MATRIX()
        if not raw.FPDFText_GetMatrix(self.characters, index, matrix):
            return size
        return size * (math.hypot(matrix.c, matrix.d) or 1.0)

    def is_bold(self, index: int) -> bool:
        """Whether the name of the font of a character says that it is bold."""
        name, flags = ctypes.create_string_buffer(200), ctypes.c_int()
        raw.FPDFText_GetFontInfo(self.characters, index, name, len(name), flags)
        return _BOLD.search(name.value) is not None

    def _turned(self, x: float, y: float) -> tuple[float, float]:
        if not self.angle:
            return x, y
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        return x * cos - y * sin, x * sin + y * cos


@contextmanager
def text_page(pdf: pypdfium2.PdfDocument, number: int) -> Iterator[TextPage]:
    """Open a page, turned so that its text is upright, and read its characters.

    PDFium returns the lines in reverse order where the text is turned. When the page is
    closed, it is as it was.

    >>> pdf = pypdfium2.PdfDocument.new()
    >>> page = pdf.new_page(100, 100)
    >>> with text_page(pdf, 0) as opened:
    ...     opened.text, opened.angle
    ('', 0.0)
    """
    page = pdf[number]
    rotation = page.get_rotation()
    if rotation:
        page.set_rotation(0)
    characters = page.get_textpage()
    try:
        angle = _angle(characters)
        if angle:
            characters.close()
            page.set_rotation(-round(math.degrees(angle)) % 360)
            characters = page.get_textpage()
        yield TextPage(page, characters, characters.get_text_range(), angle)
    finally:
        characters.close()
        if page.get_rotation() != rotation:
            page.set_rotation(rotation)
        page.close()


def _angle(characters: Any, *, num_samples: int = 10) -> float:
    """Angle of most of the text: a multiple of a right angle."""
    num_characters = characters.count_chars()
    step = max(num_characters // num_samples, 1)
    turns = Counter(
        round(raw.FPDFText_GetCharAngle(characters, index) / (math.pi / 2)) % 4
        for index in range(0, num_characters, step)
        if not raw.FPDFText_IsGenerated(characters, index)
    )
    return turns.most_common(1)[0][0] * math.pi / 2 if turns else 0.0


def lines_of(pdf: pypdfium2.PdfDocument, number: int) -> list[Line]:
    """Return the lines of a page, from its number from 0."""
    with text_page(pdf, number) as page:
        spans = [
            (found.start(), found.end())
            for found in _LINE.finditer(page.text)
            if found[0].strip().strip(LINE_HYPHEN)
        ]
        lines = [_line(page, start, end, number) for start, end in spans]
        if not (_are_side_by_side(lines) or _have_gaps(page, lines)):
            return lines
        rows: list[list[Line]] = []
        for line in lines:
            parts = _divided(page, line)
            if rows and _is_beside(rows[-1][-1], parts[0]):
                rows[-1] += parts
            else:
                rows.append(parts)
        return in_columns(rows)


def _line(page: TextPage, start: int, end: int, number: int) -> Line:
    text = page.text[start:end]
    first, end = start + len(text) - len(text.lstrip()), start + len(text.rstrip())
    index = page.index(first)
    left, baseline = page.origin(index)
    is_bold = page.is_bold(index) and page.is_bold(page.index(end - 1))
    # The first character may be an exponent, an initial or a bullet.
    middle = next(
        k
        for k in range((first + end) // 2, first - 1, -1)
        if not page.text[k].isspace()
    )
    size = page.font_size(page.index(middle))
    return Line(text.strip(), left, baseline, size, number, first, is_bold)


def _are_side_by_side(lines: list[Line]) -> bool:
    """Whether some lines are followed by one to the right of them."""
    num_pairs = sum(
        # Parts of formulas and cells of tables are shorter.
        min(len(line.text), len(after.text)) >= 15
        for line, after in pairwise(lines)
        if _is_beside(line, after)
    )
    return num_pairs >= 3


def _is_beside(line: Line, after: Line) -> bool:
    is_level = abs(line.baseline - after.baseline) < 0.5 * line.font_size
    return is_level and after.left > max(line.left, line.right)


def _have_gaps(page: TextPage, lines: list[Line], *, num_samples: int = 10) -> bool:
    """Whether some of the lines may be two, side by side: a few lines tell."""
    long = [line for line in lines if len(line.text) >= 30]
    sampled = long[:: max(len(long) // num_samples, 1)]
    num_divided = sum(len(_divided(page, line)) > 1 for line in sampled)
    return num_divided >= min(3, max(len(lines) // 2, 1))


def _divided(page: TextPage, line: Line) -> list[Line]:
    """The parts of a line between wide gaps, each with the sides of its text.

    Columns are at least one and a half times the font size apart.
    """
    parts, start = [], 0
    left = page.sides(page.index(line.first))[0]
    for space in re.finditer(r"\s+", line.text):
        before = page.sides(page.index(line.first + space.start() - 1))[1]
        after = page.sides(page.index(line.first + space.end()))[0]
        if after - before > 1.5 * line.font_size:
            parts.append((start, space.start(), left, before))
            start, left = space.end(), after
    end = len(line.text.rstrip(LINE_HYPHEN))
    right = page.sides(page.index(line.first + end - 1))[1]
    parts.append((start, len(line.text), left, right))
    if len(parts) == 1:
        return [replace(line, right=right)]
    return [
        replace(
            _line(page, line.first + start, line.first + end, line.page), right=right
        )
        for start, end, _, right in parts
    ]


def has_pictures(pdf: pypdfium2.PdfDocument, number: int) -> bool:
    """Return whether there is a picture on a page, from its number from 0.

    >>> pdf = pypdfium2.PdfDocument.new()
    >>> page = pdf.new_page(100, 100)
    >>> has_pictures(pdf, 0)
    False
    """
    page = pdf[number]
    try:
        return any(page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=3))
    finally:
        page.close()


def in_columns(rows: Sequence[Sequence[Line]]) -> list[Line]:
    """Return the lines of a page in reading order.

    >>> left = [Line(f"The harbor froze on {k}", 50, -k, 1, 0) for k in range(4)]
    >>> right = [Line(f"Ships waited there {k}", 300, -k, 1, 0) for k in range(4)]
    >>> rows = list(zip(left, right))
    >>> [line.text[-1] for line in in_columns(rows)]
    ['0', '1', '2', '3', '0', '1', '2', '3']
    """
    start = _start_of_second_column(rows)
    if start is None:
        return [_rejoined(row) for row in rows]
    lines: list[Line] = []
    for is_divided, run in groupby(rows, lambda row: not _crosses(row, start)):
        if is_divided:
            lines += _by_column(run, start)
        else:
            lines += [_rejoined(row) for row in run]
    return lines


def _start_of_second_column(
    rows: Iterable[Sequence[Line]], *, min_rows: int = 4, max_shift: float = 4.0
) -> float | None:
    """Where the lines of the second column start; None if there is none.

    Fewer rows may be a heading with a date beside it. The lines of a column start
    within a shift of that many points.
    """
    pairs = [row for row in rows if len(row) == 2]
    if len(pairs) < min_rows:
        return None
    starts = Counter(round(row[1].left / max_shift) for row in pairs)
    usual = starts.most_common(1)[0][0] * max_shift
    columns = [row for row in pairs if abs(row[1].left - usual) <= max_shift]
    # Cells of tables have fewer characters.
    is_text = all(
        statistics.median(len(row[side].text) for row in columns) >= 18
        for side in (0, 1)
    )
    return usual - max_shift if len(columns) >= min_rows and is_text else None


def _crosses(row: Sequence[Line], start: float) -> bool:
    return any(line.left < start < line.right for line in row)


def _by_column(rows: Iterable[Sequence[Line]], start: float) -> Iterator[Line]:
    right = []
    for row in rows:
        before = [line for line in row if line.left < start]
        after = [line for line in row if line.left >= start]
        if before:
            yield _rejoined(before)
        if after:
            right.append(_rejoined(after))
    yield from right


def _rejoined(parts: Sequence[Line]) -> Line:
    """The parts of a line as one; each character keeps its offset in the page."""
    text = ""
    for part in parts:
        text = text.ljust(part.first - parts[0].first) + part.text
    return replace(parts[0], text=text, right=parts[-1].right)
