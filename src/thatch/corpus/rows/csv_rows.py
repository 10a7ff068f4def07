"""Rows of CSV, as Python's csv module reads them."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import BinaryIO

import numpy as np

from thatch.arrays import Ints
from thatch.corpus.rows.columns import Columns, Row

__all__ = ["csv_header", "csv_row_ends", "csv_rows"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UNCLOSED = "unexpected end of data"
# Of the limit of field sizes, which all readers of csv share.
_lock = RLock()


def _renew_lock() -> None:
    """Forget the lock in a forked process: another thread may have had it."""
    global _lock
    _lock = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def csv_row_ends(file: BinaryIO) -> Ints:
    r"""Offset of the end of each row, the header first; cells may have line breaks.

    >>> csv_row_ends(io.BytesIO(b'id,text\na,"Snow\nfell."\n')).tolist()
    [8, 23]
    """
    start = (
        len(_BYTE_ORDER_MARK)
        if file.read(len(_BYTE_ORDER_MARK)) == _BYTE_ORDER_MARK
        else 0
    )
    file.seek(start)
    # One character per byte: line breaks and quotes are the same in UTF-8.
    text = io.TextIOWrapper(file, encoding="latin-1", newline="")
    lines = _Counted(text, start)
    ends = [lines.num_characters for cells in _parsed(lines) if cells != []]
    text.detach()  # the caller closes the file
    return np.array(ends, dtype=np.int64)


def csv_header(content: bytes) -> tuple[str, ...]:
    """Names of the columns."""
    text = content.decode("utf-8-sig", "surrogateescape")
    for cells in _parsed(io.StringIO(text, newline="")):
        if isinstance(cells, list) and cells:
            return tuple(cells)
    return ()


def csv_rows(
    content: bytes, header: tuple[str, ...], columns: Columns
) -> Iterator[Row]:
    r"""Every row, also those with errors.

    >>> given = b'a,Snow fell.\nb'
    >>> for row in csv_rows(given, ("id", "text"), Columns("id", "text")):
    ...     print(row.id, row.text, row.error)
    a b'Snow fell.' None
    b None expected 2 cells, got 1.
    """
    # Invalid UTF-8 is kept as it is; it becomes an error later.
    text = content.decode("utf-8", "surrogateescape")
    lines = _Counted(io.StringIO(text, newline=""))
    start = 0
    for cells in _parsed(lines):
        end = lines.num_characters
        source, start = text[start:end], end
        if isinstance(cells, str):
            yield Row(error=f"invalid CSV: {cells}.")
        elif cells:
            yield _row(cells, source, header, columns)


def _row(
    cells: list[str], source: str, header: tuple[str, ...], columns: Columns
) -> Row:
    row = dict(zip(header, cells, strict=False))
    id, cluster = (
        _named(row.get(name or "")) for name in (columns.id, columns.cluster)
    )
    num_lines = len(io.StringIO(source, newline="").readlines())
    if _is_wrongly_quoted(source, num_lines):
        error = f"unclosed quote in a row of {num_lines} lines."
        return Row(id, cluster, error=error)
    if len(cells) != len(header):
        error = f"expected {len(header)} cells, got {len(cells)}."
        return Row(id, cluster, error=error)
    text = row[columns.text].encode("utf-8", "surrogateescape")
    kept = tuple(map(row.get, columns.keep))
    return Row(id, cluster, [text] if columns.has_lists else text, kept=kept)


class _Counted:
    """An iterator of lines that counts their characters."""

    def __init__(self, lines: Iterable[str], start: int = 0) -> None:
        self._lines = iter(lines)
        self.num_characters = start

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.num_characters += len(line)
        return line


def _parsed(lines: Iterable[str]) -> Iterator[list[str] | str]:
    """Cells of each row, none if the line is empty; or the error of the row."""
    reader = csv.reader(lines)
    while True:
        try:
            with _cells_of_any_size():
                cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield str(error)
        else:
            yield cells


@contextmanager
def _cells_of_any_size() -> Iterator[None]:
    # The limit is global.
    with _lock:
        limit = csv.field_size_limit(2**31 - 1)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def _named(cell: str | None) -> str | None:
    return (cell or "").encode("utf-8", "replace").decode() or None


def _is_wrongly_quoted(source: str, num_lines: int) -> bool:
    """Whether the row contains a quote that is not closed."""
    if '"' not in source:
        return False
    with _cells_of_any_size():
        try:
            for _ in csv.reader(io.StringIO(source, newline=""), strict=True):
                pass
        except csv.Error as error:
            # Text after a closing quote is accepted in a row of one line; in a row of
            # several lines, the quote was probably closed by that of a later row.
            return num_lines > 1 or _UNCLOSED in str(error)
    return False
