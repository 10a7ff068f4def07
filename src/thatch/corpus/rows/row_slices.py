"""Slices of files that can be read one by one, as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from thatch.arrays import Ints
from thatch.corpus.corpus_settings import ERROR
from thatch.corpus.rows.columns import (
    Columns,
    array_of,
    as_type,
    kept_name,
    plain_type,
    type_of_value,
)
from thatch.corpus.rows.line_rows import Row, json_objects, json_rows, rows_of_csv
from thatch.corpus.rows.parquet_rows import (
    parquet_batches,
    parquet_group_ends,
    parquet_schema,
    plain_ids,
)
from thatch.errors import FileFormatError
from thatch.files.encodings import has_wide_mark
from thatch.files.locations import Format, Location
from thatch.tables.arrow import pa
from thatch.tables.columns import missing_column
from thatch.tables.csv_rows import csv_row_ends, first_csv_rows

_BLOCK = 8 * 2**20
# Largest slice, unless a single row is larger.
_MAX_BYTES = 32 * 2**20
# Read from a file to find its columns.
_HEAD_BYTES = 2**20


@dataclass(frozen=True)
class Slice:
    """Some rows of a file, which can be read without the others."""

    file: Location
    format: Format
    #: Row numbers in a Parquet file; byte offsets in other files.
    start: int
    stop: int
    num_rows: int
    #: Names of all columns of a CSV file, from its first row.
    header: tuple[str, ...] = ()

    def batches(self, columns: Columns) -> Iterator[pa.RecordBatch]:
        """Like `batch`, but in several batches if the format allows it."""
        if self.format is Format.PARQUET:
            for batch in parquet_batches(
                self.file, self.start, self.stop, columns.names
            ):
                yield _with_kept_columns(_with_plain_ids(batch, columns), columns)
        else:
            yield _batch(list(self._rows(columns)), columns)

    def batch(self, columns: Columns) -> pa.RecordBatch:
        """Ids and texts of the rows, and errors of rows that cannot be read."""
        return pa.concat_batches(list(self.batches(columns)))

    def scanned(self, columns: Columns) -> tuple[list[Any], list[set[pa.DataType]]]:
        """Ids of the rows, and the types of each kept column."""
        if self.format is Format.PARQUET:
            types = {field.name: field.type for field in parquet_schema(self.file)}
            kept = [
                {plain_type(types[n])} if n in types else set() for n in columns.keep
            ]
            batches = parquet_batches(
                self.file, self.start, self.stop, columns.names[:1]
            )
            ids = [id for batch in batches for id in plain_ids(batch.column(0))]
            return ids, kept
        rows = list(self._rows(columns))
        values = zip(*(row.kept for row in rows if row.kept), strict=True)
        kept = [set(map(type_of_value, each)) for each in values]
        return [row.id for row in rows], kept or [set() for _ in columns.keep]

    def objects(self) -> Iterator[dict[str, Any]]:
        """The rows of JSON lines that are valid JSON objects."""
        return json_objects(self._content())

    def _rows(self, columns: Columns) -> Iterator[Row]:
        if self.format is Format.JSON_LINES:
            return json_rows(self._content(), columns)
        return rows_of_csv(self._content(), self.header, columns)

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
    column = pa.array(ids, type=_id_type(columns))
    return batch.set_column(0, columns.id, column)


def _with_kept_columns(batch: pa.RecordBatch, columns: Columns) -> pa.RecordBatch:
    """The batch with its kept columns under names of their own, in their types."""
    kept = zip(columns.keep, columns.kept_types, strict=False)
    arrays = {kept_name(n): as_type(batch.column(n), kind) for n, kind in kept}
    others = [n for n in (*replace(columns, keep=()).names, ERROR) if n not in arrays]
    chosen = {name: batch.column(name) for name in others}
    return pa.RecordBatch.from_pydict(chosen | arrays)


def _id_type(columns: Columns) -> pa.DataType:
    return pa.int64() if columns.has_numbers else pa.string()


def _batch(rows: list[Row], columns: Columns) -> pa.RecordBatch:
    text_type = pa.list_(pa.binary()) if columns.has_lists else pa.binary()
    arrays = {
        columns.id: pa.array([row.id for row in rows], type=_id_type(columns)),
        columns.cluster: pa.array([row.cluster for row in rows], type=pa.string()),
        columns.text: pa.array([row.text for row in rows], type=text_type),
        ERROR: pa.array([row.error for row in rows], type=pa.string()),
    }
    arrays.pop(None, None)
    for k, (name, kind) in enumerate(
        zip(columns.keep, columns.kept_types, strict=False)
    ):
        values = [row.kept[k] if row.kept else None for row in rows]
        arrays[kept_name(name)] = array_of(values, kind)
    return pa.RecordBatch.from_pydict(arrays)


def slices_of(files: list[Location], *, rows_per_slice: int) -> Iterator[Slice]:
    """The files cut into slices with a number of rows."""
    for file in files:
        if file.format is Format.PARQUET:
            num_rows = max(parquet_group_ends(file), default=0)
            ends = [*range(rows_per_slice, num_rows, rows_per_slice), num_rows]
            yield from _parquet_slices(file, ends)
        else:
            yield from _line_slices(file, rows_per_slice)


def large_slices_of(files: list[Location]) -> Iterator[Slice]:
    """The files cut into few slices, each small enough to be read at once."""
    for file in files:
        if file.format is Format.PARQUET:
            yield from _parquet_slices(file, parquet_group_ends(file))
        else:
            yield from _line_slices(file, None)


def kept_names(
    files: list[Location], keep: tuple[str, ...] | Literal["all"], others: set[str]
) -> tuple[str, ...]:
    """Names of the columns to keep; each must be in one file or more.

    `others` are names that "all" does not mean.
    """
    if keep == "all":
        found = dict.fromkeys(name for file in files for name in _all_names_of(file))
        return tuple(name for name in found if name not in others)
    for name in keep:
        for file in files:
            if _names_of(file).count(name) > 1:
                raise _column_error(name, file)
        if all(lacks_column(file, name) or not _names_of(file) for file in files):
            raise _column_error(name, files[0])
    return keep


def require_columns_in(files: list[Location], columns: Columns) -> None:
    """Require that every file has all columns but the kept ones."""
    for file in files:
        for name in replace(columns, keep=()).names:
            if lacks_column(file, name):
                raise _column_error(name, file)


def lacks_column(file: Location, name: str) -> bool:
    """Whether a file that is not empty does not have the column exactly once."""
    names = _names_of(file)
    if not names or names.count(name) == 1:
        return False
    return file.format is not Format.JSON_LINES or name not in _all_names_of(file)


def _names_of(file: Location) -> list[str]:
    """Names of the columns of a file, from its first rows."""
    if file.format is Format.PARQUET:
        return list(parquet_schema(file).names)
    with file.opened() as opened:
        head = opened.read(_HEAD_BYTES)
    if has_wide_mark(head):
        raise FileFormatError(
            file.address,
            "it is not UTF-8 text: it has the byte order mark of UTF-16 or UTF-32.",
            hint="Save it as UTF-8.",
        )
    if file.format is Format.CSV:
        return list(*first_csv_rows(head, 1))
    return list(dict.fromkeys(name for row in json_objects(head) for name in row))


def _all_names_of(file: Location) -> list[str]:
    """Like `_names_of`, also of columns that only later rows of JSON lines have."""
    if file.format is not Format.JSON_LINES:
        return _names_of(file)
    rows = (row for each in _line_slices(file, None) for row in each.objects())
    return list(dict.fromkeys(name for row in rows for name in row))


def _column_error(name: str, file: Location) -> FileFormatError:
    names = _names_of(file)
    is_one = len(names) == 1 and any(each in names[0] for each in ";\t|")
    hint = "Name the columns with --id, --text and --keep."
    return missing_column(
        file.address,
        name,
        names,
        hint="Separate cells with commas." if is_one else hint,
    )


def _parquet_slices(file: Location, ends: list[int]) -> list[Slice]:
    starts = [0, *ends[:-1]]
    return [
        Slice(file, Format.PARQUET, start, end, end - start)
        for start, end in zip(starts, ends, strict=True)
        if start < end
    ]


def _line_slices(file: Location, rows_per_slice: int | None) -> list[Slice]:
    format = file.format or Format.JSON_LINES
    header: tuple[str, ...] = ()
    start, k = 0, 0
    with file.opened() as opened:
        is_csv = format is Format.CSV
        ends = csv_row_ends(opened) if is_csv else _line_ends(opened)
    if is_csv and ends.size:
        start, k = int(ends[0]), 1
        with file.opened() as opened:
            (header,) = first_csv_rows(opened.read(start), 1)
    slices = []
    while k < ends.size:
        # At most this many rows and bytes, but at least one row.
        within = int(np.searchsorted(ends, start + _MAX_BYTES, side="right"))
        next_k = min(k + (rows_per_slice or ends.size), max(within, k + 1), ends.size)
        stop = int(ends[next_k - 1])
        slices.append(Slice(file, format, start, stop, next_k - k, header))
        start, k = stop, next_k
    return slices


def _line_ends(file: Any) -> Ints:
    """Offset of the end of each line: after its line break, or end of the file."""
    offset = 0
    found = [np.zeros(0, dtype=np.int64)]
    while block := file.read(_BLOCK):
        found.append(np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n")))
        found[-1] += offset + 1
        offset += len(block)
    ends = np.concatenate(found)
    has_rest = offset > (ends[-1] if ends.size else 0)
    return np.append(ends, offset) if has_rest else ends
