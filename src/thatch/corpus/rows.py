"""Rows of files as Arrow batches of ids and texts, in slices that can be read alone."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch.arrays import Ints
from thatch.corpus.places import Format, Place
from thatch.corpus.settings import ERROR, LEFT_OUT
from thatch.corpus.texts import require_pyarrow
from thatch.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Columns", "Slice", "slices_of"]

_BLOCK = 8 * 2**20
# A slice ends after so many bytes even if it has few rows.
_MOST_BYTES = 32 * 2**20
_NEW_LINE, _QUOTE = 10, 34


@dataclass(frozen=True)
class Columns:
    """Which columns are read, and of what kind they are where files do not say."""

    #: None if rows need not be told apart.
    id: str | None
    text: str
    #: Whether all ids are whole numbers, in formats that leave it open.
    has_numbers: bool = False
    #: Whether texts come in lists, in formats that leave it open.
    has_lists: bool = False
    #: Whether other columns say what is wrong with some rows.
    is_marked: bool = False

    @property
    def names(self) -> list[str]:
        """Names of all columns that are read."""
        ids = [] if self.id is None else [self.id]
        return [*ids, self.text, *([ERROR, LEFT_OUT] if self.is_marked else [])]


@dataclass(frozen=True)
class Slice:
    """Some rows of a file, which can be read without the others."""

    file: Place
    format: Format
    #: Rows of a Parquet file; bytes of any other.
    start: int
    stop: int
    #: Number of its first row in the file, from 0.
    first_row: int
    num_rows: int
    #: Names of all columns, where only the beginning of the file says them.
    header: tuple[str, ...] = ()

    def batch(self, columns: Columns) -> pa.RecordBatch:
        """Ids and texts of the rows, and what is wrong with some already."""
        if self.format is Format.PARQUET:
            return _parquet_batch(self, columns.names)
        pa = require_pyarrow()
        rows = list(self._rows(columns))
        id_type = pa.int64() if columns.has_numbers else pa.string()
        text_type = pa.list_(pa.binary()) if columns.has_lists else pa.binary()
        arrays = {
            columns.id: pa.array([row.id for row in rows], type=id_type),
            columns.text: pa.array([row.text for row in rows], type=text_type),
            ERROR: pa.array([row.error for row in rows], type=pa.string()),
        }
        arrays.pop(None, None)
        return pa.RecordBatch.from_pydict(arrays)

    def ids(self, columns: Columns) -> list[Any]:
        """Ids of the rows alone."""
        if self.format is Format.PARQUET:
            ids = _parquet_batch(self, columns.names[:1]).column(0)
            return list(ids.to_pylist())
        return [row.id for row in self._rows(columns)]

    def require(self, columns: Columns) -> None:
        """Raise the error that names it if a column is in no row."""
        present = self._names()
        for name in columns.names:
            if present and name not in present:
                raise _missing(name, self.file, present)

    def objects(self) -> Iterator[dict[str, Any]]:
        """Rows of JSON lines that can be read at all, as they are."""
        for line in self._content().split(b"\n"):
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
                if isinstance(row, dict):
                    yield row

    def _names(self) -> list[str]:
        if self.format is Format.PARQUET:
            with self.file.opened() as opened:
                return list(_parquet(opened, self.file).schema_arrow.names)
        if self.format is Format.CSV:
            return list(self.header)
        return list(dict.fromkeys(name for row in self.objects() for name in row))

    def _rows(self, columns: Columns) -> Iterator[_Row]:
        if self.format is Format.JSON_LINES:
            return _json_rows(self._content(), columns)
        return _csv_rows(self._content(), self.header, columns)

    def _content(self) -> bytes:
        with self.file.opened() as file:
            file.seek(self.start)
            return file.read(self.stop - self.start)


@dataclass(frozen=True)
class _Row:
    id: Any
    text: Any = None
    error: str | None = None


def slices_of(
    files: list[Place], columns: Columns, *, rows_a_slice: int
) -> Iterator[Slice]:
    """The files cut into slices of so many rows; each must have the columns."""
    for file in files:
        slices = _slices(file, rows_a_slice)
        for first in slices[:1]:
            first.require(columns)
        yield from slices


def _slices(file: Place, rows_a_slice: int) -> list[Slice]:
    format = file.format
    if format is Format.PARQUET:
        return _parquet_slices(file, rows_a_slice)
    if format is Format.CSV:
        return _line_slices(file, Format.CSV, rows_a_slice)
    return _line_slices(file, Format.JSON_LINES, rows_a_slice)


def _parquet_slices(file: Place, rows_a_slice: int) -> list[Slice]:
    with file.opened() as opened:
        num_rows = _parquet(opened, file).metadata.num_rows
    return [
        Slice(
            file,
            Format.PARQUET,
            start,
            min(start + rows_a_slice, num_rows),
            start,
            min(rows_a_slice, num_rows - start),
        )
        for start in range(0, num_rows, rows_a_slice)
    ]


def _parquet(opened: Any, file: Place) -> Any:
    require_pyarrow()
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    try:
        return pq.ParquetFile(opened)
    except (ArrowException, OSError) as error:
        raise InputError(
            f"{file.address} must be a Parquet file, got something else: {error}.",
            hint="Check that it was written to its end.",
        ) from error


def _parquet_batch(part: Slice, names: list[str]) -> pa.RecordBatch:
    pa = require_pyarrow()
    with part.file.opened() as opened:
        parquet = _parquet(opened, part.file)
        pieces, first = [], 0
        for group in range(parquet.num_row_groups):
            num_rows = parquet.metadata.row_group(group).num_rows
            low, high = max(part.start - first, 0), min(part.stop - first, num_rows)
            if low < high:
                table = parquet.read_row_group(group, columns=names)
                pieces.append(table.slice(low, high - low).select(names))
            first += num_rows
    whole = pa.concat_tables(pieces).combine_chunks()
    batches = whole.to_batches()
    if len(batches) == 1:
        return batches[0]
    return pa.RecordBatch.from_pylist([], schema=whole.schema)


def _missing(name: str, file: Place, names: Any) -> InputError:
    return InputError(
        f"columns must include {name!r}, got {', '.join(names)} in {file.address}.",
        hint="Name the columns with --id and --text.",
    )


def _line_slices(file: Place, format: Format, rows_a_slice: int) -> list[Slice]:
    """Slices at line breaks; in CSV those within quotes are none."""
    is_csv = format is Format.CSV
    ends = _row_ends(file, is_quoted=is_csv)
    header: tuple[str, ...] = ()
    start, first = 0, 0
    if is_csv and ends.size:
        start, first = int(ends[0]), 1
        with file.opened() as opened:
            top = opened.read(start).decode("utf-8-sig", "surrogateescape")
        header = tuple(next(csv.reader([top]), ()))
    slices = []
    k = first
    while k < ends.size:
        # So many rows, or bytes, but one row at least.
        within = int(np.searchsorted(ends, start + _MOST_BYTES, side="right"))
        next_k = min(k + rows_a_slice, max(within, k + 1), ends.size)
        stop = int(ends[next_k - 1])
        slices.append(Slice(file, format, start, stop, k - first, next_k - k, header))
        start, k = stop, next_k
    return slices


def _row_ends(file: Place, *, is_quoted: bool) -> Ints:
    """Where each row ends: after its line break, or at the end of the file."""
    offset, quotes = 0, 0
    found = [np.zeros(0, dtype=np.int64)]
    with file.opened() as opened:
        while block := opened.read(_BLOCK):
            characters = np.frombuffer(block, np.uint8)
            is_end = characters == _NEW_LINE
            if is_quoted:
                # Doubled quotes open and close at once: outside means an even number.
                counts = quotes + np.cumsum(characters == _QUOTE)
                is_end &= counts % 2 == 0
                quotes = int(counts[-1])
            found.append(np.flatnonzero(is_end) + offset + 1)
            offset += len(block)
    ends = np.concatenate(found)
    has_rest = offset > (ends[-1] if ends.size else 0)
    return np.append(ends, offset) if has_rest else ends


def _json_rows(content: bytes, columns: Columns) -> Iterator[_Row]:
    for line in content.split(b"\n"):
        if line.strip():
            yield _json_row(line, columns)


def _json_row(line: bytes, columns: Columns) -> _Row:
    error = None
    try:
        text = line.decode()
    except UnicodeDecodeError as broken:
        text = line.decode(errors="replace")
        error = f"rows must be UTF-8, got the byte {line[broken.start]:#x}."
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return _Row(None, error=error or f"rows must be JSON, got {text[:40]!r}.")
    if not isinstance(row, dict):
        return _Row(None, error=f"rows must be JSON objects, got {text[:40]!r}.")
    id = None if columns.id is None else _id(row.get(columns.id), columns)
    if error is not None:
        return _Row(id, error=error)
    given = row.get(columns.text)
    try:
        return _Row(id, _as_bytes(given, columns))
    except (TypeError, UnicodeEncodeError):
        wanted = "a list of texts" if columns.has_lists else "a text"
        return _Row(
            id, error=f"{columns.text} must be {wanted}, got {_kind_of(given)}."
        )


def _id(value: Any, columns: Columns) -> Any:
    if value is None or (columns.has_numbers and isinstance(value, int)):
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    return text.encode("utf-8", "replace").decode()


def _as_bytes(value: Any, columns: Columns) -> Any:
    """The texts as Arrow takes them, or a TypeError."""
    if value is None:
        return None
    if columns.has_lists:
        if not isinstance(value, list):
            raise TypeError
        return [None if each is None else str.encode(each) for each in value]
    return str.encode(value)


def _kind_of(value: object) -> str:
    names = {list: "a list", dict: "an object", str: "a text", bool: "true or false"}
    return names.get(type(value), "a number")


def _csv_rows(
    content: bytes, header: tuple[str, ...], columns: Columns
) -> Iterator[_Row]:
    # Bytes that are no UTF-8 come out as they went in.
    lines = io.StringIO(content.decode("utf-8", "surrogateescape"), newline="")
    limit = csv.field_size_limit(2**31 - 1)
    try:
        for cells in csv.reader(lines):
            if not cells:
                continue
            row = dict(zip(header, cells, strict=False))
            cell = row.get(columns.id or "", "")
            id = cell.encode("utf-8", "replace").decode() or None
            if len(cells) != len(header):
                error = f"rows must have {len(header)} cells, got {len(cells)}."
                yield _Row(id, error=error)
            else:
                text = row.get(columns.text, "")
                yield _Row(id, text.encode("utf-8", "surrogateescape"))
    finally:
        csv.field_size_limit(limit)
