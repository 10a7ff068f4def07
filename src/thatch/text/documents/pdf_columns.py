"""Columns of a page that was written row by row, read one after the other."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

__all__ = ["Line", "in_columns"]

# Fewer rows may be a heading with a date beside it.
_MIN_ROWS = 4
# Columns of text have lines of this many characters; cells of tables have fewer.
_MIN_CHARACTERS = 18
# Maximum distance of the starts of the lines of a column, in points.
_MAX_SHIFT = 4.0


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


def in_columns(rows: Sequence[Sequence[Line]]) -> list[Line]:
    """Return the lines of a page in reading order.

    Parameters
    ----------
    rows
        The rows of the page, each with its parts between wide gaps.

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


def _start_of_second_column(rows: Iterable[Sequence[Line]]) -> float | None:
    """Where the lines of the second column start; None if there is none."""
    pairs = [row for row in rows if len(row) == 2]
    if len(pairs) < _MIN_ROWS:
        return None
    starts = Counter(round(row[1].left / _MAX_SHIFT) for row in pairs)
    usual = starts.most_common(1)[0][0] * _MAX_SHIFT
    columns = [row for row in pairs if abs(row[1].left - usual) <= _MAX_SHIFT]
    is_text = all(
        statistics.median(len(row[side].text) for row in columns) >= _MIN_CHARACTERS
        for side in (0, 1)
    )
    return usual - _MAX_SHIFT if len(columns) >= _MIN_ROWS and is_text else None


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
