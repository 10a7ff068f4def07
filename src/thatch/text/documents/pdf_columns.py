"""Columns of a page that was written row by row, read one after the other."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby


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
