"""Rows of files as Arrow batches of ids and texts, in slices that can be read alone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch.arrays import Ints
from thatch.corpus.corpus_settings import ERROR
from thatch.corpus.row_texts import require_pyarrow
from thatch.corpus.rows.columns import Columns, Row
from thatch.corpus.rows.csv_rows import csv_header, csv_row_ends, csv_rows
from thatch.corpus.rows.json_rows import json_objects, json_rows
from thatch.corpus.rows.parquet_rows import (
    parquet_batches,
    parquet_group_ends,
    parquet_names,
    plain_ids,
)
from thatch.corpus.storage import Format, Place
from thatch.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Slice", "lacks", "large_slices_of", "require_columns_in", "slices_of"]

_BLOCK = 8 * 2**20
# A slice ends after so many bytes even if it has few rows.
_MOST_BYTES = 32 * 2**20
# What is read of a file to see which columns it has.
_TOP = 2**20
# Characters of their names that an error tells.
_LONGEST_TOLD = 300
_NEW_LINE = 10
_SEPARATORS = (";", "\t", "|")
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass(frozen=True)
class Slice:
    """Some rows of a file, which can be read without the others."""

    file: Place
    format: Format
    #: Rows of a Parquet file; bytes of any other.
    start: int
    stop: int
    num_rows: int
    #: Names of all columns, where only the beginning of the file says them.
    header: tuple[str, ...] = ()

    def batches(self, columns: Columns) -> Iterator[pa.RecordBatch]:
        """What `batch` gives, some rows at a time where the format allows it."""
        if self.format is Format.PARQUET:
            for batch in parquet_batches(
                self.file, self.start, self.stop, columns.names
            ):
                yield _with_plain_ids(batch, columns)
        else:
            yield _batch(list(self._rows(columns)), columns)

    def batch(self, columns: Columns) -> pa.RecordBatch:
        """Ids and texts of the rows, and what is wrong with some already."""
        return require_pyarrow().concat_batches(list(self.batches(columns)))

    def ids(self, columns: Columns) -> list[Any]:
        """Ids of the rows alone."""
        if self.format is not Format.PARQUET:
            return [row.id for row in self._rows(columns)]
        batches = parquet_batches(self.file, self.start, self.stop, columns.names[:1])
        return [id for batch in batches for id in plain_ids(batch.column(0))]

    def objects(self) -> Iterator[dict[str, Any]]:
        """Rows of JSON lines that can be read at all, as they are."""
        return json_objects(self._content())

    def _rows(self, columns: Columns) -> Iterator[Row]:
        if self.format is Format.JSON_LINES:
            return json_rows(self._content(), columns)
        return csv_rows(self._content(), self.header, columns)

    def _content(self) -> bytes:
        with self.file.opened() as file:
            file.seek(self.start)
            return file.read(self.stop - self.start)


def _with_plain_ids(batch: pa.RecordBatch, columns: Columns) -> pa.RecordBatch:
    if columns.id is None:
        return batch
    ids = plain_ids(batch.column(0))
    if not columns.has_numbers:
        ids = [None if id is None else str(id) for id in ids]
    column = require_pyarrow().array(ids, type=_id_type(columns))
    return batch.set_column(0, columns.id, column)


def _id_type(columns: Columns) -> pa.DataType:
    pa = require_pyarrow()
    return pa.int64() if columns.has_numbers else pa.string()


def _batch(rows: list[Row], columns: Columns) -> pa.RecordBatch:
    pa = require_pyarrow()
    text_type = pa.list_(pa.binary()) if columns.has_lists else pa.binary()
    arrays = {
        columns.id: pa.array([row.id for row in rows], type=_id_type(columns)),
        columns.cluster: pa.array([row.cluster for row in rows], type=pa.string()),
        columns.text: pa.array([row.text for row in rows], type=text_type),
        ERROR: pa.array([row.error for row in rows], type=pa.string()),
    }
    arrays.pop(None, None)
    return pa.RecordBatch.from_pydict(arrays)


def slices_of(files: list[Place], *, rows_a_slice: int) -> Iterator[Slice]:
    """The files cut into slices of so many rows."""
    for file in files:
        if file.format is Format.PARQUET:
            num_rows = max(parquet_group_ends(file), default=0)
            ends = [*range(rows_a_slice, num_rows, rows_a_slice), num_rows]
            yield from _parquet_slices(file, ends)
        else:
            yield from _line_slices(file, rows_a_slice)


def large_slices_of(files: list[Place]) -> Iterator[Slice]:
    """The files cut into as few slices as can be read in one go."""
    for file in files:
        if file.format is Format.PARQUET:
            yield from _parquet_slices(file, parquet_group_ends(file))
        else:
            yield from _line_slices(file, None)


def names_of(file: Place) -> list[str]:
    """Names of a file's columns, as far as its beginning tells."""
    if file.format is Format.PARQUET:
        return parquet_names(file)
    _require_utf8(file)
    with file.opened() as opened:
        top = opened.read(_TOP)
    if file.format is Format.CSV:
        return list(csv_header(top))
    return list(dict.fromkeys(name for row in json_objects(top) for name in row))


def require_columns_in(files: list[Place], columns: Columns) -> None:
    """Raise the error that names it if a file lacks a column."""
    for file in files:
        for name in columns.names:
            if lacks(file, name):
                raise _other_columns(name, file, names_of(file))


def lacks(file: Place, name: str) -> bool:
    """Whether a file with rows in it has no such column, or has two."""
    names = names_of(file)
    is_there = names.count(name) == 1 or _has_later(file, name)
    return bool(names) and not is_there


def _has_later(file: Place, name: str) -> bool:
    """Whether rows of JSON lines have what those at the beginning lack."""
    if file.format is not Format.JSON_LINES:
        return False
    slices = _line_slices(file, None)
    return any(name in row for each in slices for row in each.objects())


def _other_columns(name: str, file: Place, names: list[str]) -> InputError:
    told = ", ".join(names)[:_LONGEST_TOLD]
    if name in names:
        return InputError(
            f"columns must have different names, got {told} in {file.address}.",
            hint=f"Rename one that is called {name}.",
        )
    is_one = len(names) == 1 and any(each in names[0] for each in _SEPARATORS)
    return InputError(
        f"columns must include {name!r}, got {told} in {file.address}.",
        hint="Write it with commas between cells."
        if is_one
        else "Name the columns with --id and --text.",
    )


def _parquet_slices(file: Place, ends: list[int]) -> list[Slice]:
    starts = [0, *ends[:-1]]
    return [
        Slice(file, Format.PARQUET, start, end, end - start)
        for start, end in zip(starts, ends, strict=True)
        if start < end
    ]


def _line_slices(file: Place, rows_a_slice: int | None) -> list[Slice]:
    """Slices at the ends of rows."""
    format = file.format or Format.JSON_LINES
    header: tuple[str, ...] = ()
    start, k = 0, 0
    with file.opened() as opened:
        is_csv = format is Format.CSV
        ends = csv_row_ends(opened) if is_csv else _line_ends(opened)
    if is_csv and ends.size:
        start, k = int(ends[0]), 1
        with file.opened() as opened:
            header = csv_header(opened.read(start))
    slices = []
    while k < ends.size:
        # So many rows, or bytes, but one row at least.
        within = int(np.searchsorted(ends, start + _MOST_BYTES, side="right"))
        next_k = min(k + (rows_a_slice or ends.size), max(within, k + 1), ends.size)
        stop = int(ends[next_k - 1])
        slices.append(Slice(file, format, start, stop, next_k - k, header))
        start, k = stop, next_k
    return slices


def _require_utf8(file: Place) -> None:
    with file.opened() as opened:
        encoding = _OTHER_ENCODINGS.get(opened.read(2))
    if encoding is not None:
        raise InputError(
            f"{file.address} must be UTF-8, got {encoding}.",
            hint="Save it as UTF-8.",
        )


def _line_ends(file: Any) -> Ints:
    """Where each line ends: after its break, or at the end of the file."""
    offset = 0
    found = [np.zeros(0, dtype=np.int64)]
    while block := file.read(_BLOCK):
        found.append(np.flatnonzero(np.frombuffer(block, np.uint8) == _NEW_LINE))
        found[-1] += offset + 1
        offset += len(block)
    ends = np.concatenate(found)
    has_rest = offset > (ends[-1] if ends.size else 0)
    return np.append(ends, offset) if has_rest else ends
