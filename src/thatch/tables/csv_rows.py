"""Rows of CSV, read by Python's csv module: any row can be read, also a malformed one.

pyarrow reads large tables six times faster, but refuses the whole file at the first row
with too many cells, and needs to be installed.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from threading import RLock
from typing import BinaryIO, NamedTuple

import numpy as np

from thatch.arrays import Ints
from thatch.files.encodings import UTF_8_MARK

# Of the limit of field sizes, which all readers of csv share.
_lock = RLock()


def _renew_lock() -> None:
    """Forget the lock in a forked process: another thread may have had it."""
    global _lock
    _lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


class CsvRow(NamedTuple):
    """A row that is not empty."""

    cells: list[str]
    #: Where the row starts and ends, in characters.
    start: int
    end: int
    #: Number of its last line, from 1.
    line: int
    num_lines: int


def csv_rows(lines: Iterable[str], delimiter: str = ",") -> Iterator[CsvRow]:
    """Rows of CSV, with cells of any size.

    A quote that is not closed makes one cell of all lines up to the next quote; see
    `has_open_quote`.

    A file must be opened with ``newline=""``.
    """
    num_characters = 0

    def counted() -> Iterator[str]:
        nonlocal num_characters
        for line in lines:
            num_characters += len(line)
            yield line

    reader = csv.reader(counted(), delimiter=delimiter)
    start = line = 0
    while True:
        rows = []
        # Several rows at once: changing the limit takes longer than reading a row.
        with _cells_of_any_size():
            for cells in islice(reader, 50):
                end, last = num_characters, reader.line_num
                rows.append(CsvRow(cells, start, end, last, last - line))
                start, line = end, last
        if not rows:
            return
        yield from (row for row in rows if row.cells)


def csv_row_ends(file: BinaryIO) -> Ints:
    """Offset of the end of each row, the header first; cells may have line breaks."""
    start = len(UTF_8_MARK) if file.read(len(UTF_8_MARK)) == UTF_8_MARK else 0
    file.seek(start)
    # One character per byte: line breaks and quotes are the same in UTF-8.
    text = io.TextIOWrapper(file, encoding="latin-1", newline="")
    ends = [start + row.end for row in csv_rows(text)]
    text.detach()  # the caller closes the file
    return np.array(ends, dtype=np.int64)


def first_csv_rows(
    content: bytes, count: int, delimiter: str = ","
) -> list[tuple[str, ...]]:
    """The header and the rows after it, up to a number of rows.

    Bytes that are not UTF-8 are surrogates.
    """
    text = content.decode("utf-8-sig", "surrogateescape")
    rows = csv_rows(io.StringIO(text, newline=""), delimiter)
    return [tuple(row.cells) for row in islice(rows, count)]


def has_open_quote(source: str, num_lines: int, delimiter: str = ",") -> bool:
    """Whether the text of a row has a quote that was probably not closed."""
    if '"' not in source:
        return False
    lines = io.StringIO(source, newline="")
    with _cells_of_any_size():
        try:
            for _ in csv.reader(lines, delimiter=delimiter, strict=True):
                pass
        except csv.Error as error:
            # Text after a closing quote is accepted in a row of one line; in a row of
            # several lines, the quote was probably closed by that of a later row.
            return num_lines > 1 or "unexpected end of data" in str(error)
    return False


@contextmanager
def _cells_of_any_size() -> Iterator[None]:
    # The limit is global.
    with _lock:
        limit = csv.field_size_limit(2**31 - 1)
        try:
            yield
        finally:
            csv.field_size_limit(limit)
