"""Rows of Parquet files, whose row groups can only be read from their start.

Many files have only one row group: reading its last rows takes as long as reading all.
Such files are written again in small groups before they are cut into chunks. A damaged
group costs only its own rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any

from thatch.corpus.corpus_settings import ERROR
from thatch.corpus.json_values import json_values, text_of_value
from thatch.files.locations import Location
from thatch.tables.arrow import is_damage, opened_parquet, pa, pq

_ROWS_PER_BATCH = 500
# Uncompressed size of a group; smaller ones are cheap to read several times.
_LARGE_GROUP_BYTES = 32 * 2**20
# Column of errors in files that were written again. A column ``error`` of an input file
# is something else.
_READ_ERROR = "thatch.read_error"


def parquet_group_ends(file: Location) -> list[int]:
    """Row at which each group ends, counted from the start of the file."""
    with opened_parquet(file) as parquet:
        return list(accumulate(group.num_rows for group in _groups(parquet)))


def parquet_uncompressed_size(file: Location) -> int:
    """Uncompressed size of all columns in bytes: roughly their size in memory."""
    with opened_parquet(file) as parquet:
        return sum(int(group.total_byte_size) for group in _groups(parquet))


def parquet_schema(file: Location) -> pa.Schema:
    """Names and types of all columns."""
    with opened_parquet(file) as parquet:
        return parquet.schema_arrow


def parquet_batches(
    file: Location, start: int, stop: int, names: list[str]
) -> Iterator[pa.RecordBatch]:
    """Batches of some columns of some rows; at least one, which may be empty.

    Values that cannot be read are null, and the column ``error``, which is added, says
    why. Columns that the file does not have are null.
    """
    with opened_parquet(file) as parquet:
        is_empty, end = True, 0
        for group in range(parquet.num_row_groups):
            first, end = end, end + parquet.metadata.row_group(group).num_rows
            if first >= stop or end <= start:
                continue
            for batch in _batches_of_group(file, parquet, group, names):
                low, high = max(start - first, 0), min(stop - first, batch.num_rows)
                first += batch.num_rows
                if low < high:
                    is_empty = False
                    yield batch.slice(low, high - low)
                if first >= stop:
                    break
        if is_empty:
            yield _empty_batch(parquet, names)


def plain_ids(column: pa.Array) -> list[int | str | None]:
    """Ids as integers, strings or None, whatever their type in the file.

    >>> plain_ids(pa.array([1.5, None])), plain_ids(pa.array([1]))
    (['1.5', None], [1])
    """
    if pa.types.is_dictionary(column.type):
        words = plain_ids(column.dictionary)
        return [None if k is None else words[k] for k in column.indices.to_pylist()]
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.string())
    if pa.types.is_floating(column.type):
        # As an id, also NaN is a string.
        return [None if id is None else str(id) for id in column.to_pylist()]
    return [_plain_id(value) for value in json_values(column)]


def _plain_id(value: Any) -> int | str | None:
    if type(value) is int and -(2**63) <= value < 2**63:
        return value
    return text_of_value(value)


def has_large_groups(file: Location) -> bool:
    """Whether there are row groups too large to be read once per chunk."""
    with opened_parquet(file) as parquet:
        return any(
            group.total_byte_size > _LARGE_GROUP_BYTES
            and group.num_rows > _ROWS_PER_BATCH
            for group in _groups(parquet)
        )


def _groups(parquet: Any) -> list[Any]:
    return [*map(parquet.metadata.row_group, range(parquet.num_row_groups))]


def write_in_small_groups(file: Location, target: Location, names: list[str]) -> None:
    """Write the same rows again, in small row groups."""
    with opened_parquet(file) as parquet, target.atomic_write() as sink:
        there = [name for name in names if name in parquet.schema_arrow.names]
        schema = _with_errors_renamed(_empty_batch(parquet, there)).schema
        with pq.ParquetWriter(
            sink, schema, compression="zstd", write_page_checksum=True
        ) as writer:
            for group in range(parquet.num_row_groups):
                for batch in _batches_of_group(file, parquet, group, there):
                    writer.write_batch(_with_errors_renamed(batch))


def _batches_of_group(
    file: Location, parquet: Any, group: int, names: list[str]
) -> Iterator[pa.RecordBatch]:
    """Batches of some columns, and a column of errors: null if the row was read."""
    num_rows, done = parquet.metadata.row_group(group).num_rows, 0
    there = _names_in(parquet, names)
    try:
        for batch in _batches(parquet, group, there):
            done += batch.num_rows
            yield _arranged(batch, names)
    except Exception as error:
        if not is_damage(error):
            raise
    if done == num_rows:
        return
    columns = [_Column(file, parquet, group, name) for name in there]
    for start in range(0, num_rows, _ROWS_PER_BATCH):
        batch = _batch(columns, min(_ROWS_PER_BATCH, num_rows - start))
        if start + batch.num_rows > done:
            yield _arranged(batch.slice(max(0, done - start)), names)


def _empty_batch(parquet: Any, names: list[str]) -> pa.RecordBatch:
    """A batch like those of a group, without rows."""
    fields = [parquet.schema_arrow.field(name) for name in _names_in(parquet, names)]
    return _arranged(pa.RecordBatch.from_pylist([], schema=pa.schema(fields)), names)


def _with_errors_renamed(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch for a file that is read again, with its errors."""
    return batch.rename_columns(
        [_READ_ERROR if name == ERROR else name for name in batch.schema.names]
    )


class _Column:
    """One column of a row group, read alone up to where it is damaged."""

    def __init__(self, file: Location, parquet: Any, group: int, name: str) -> None:
        self.name = name
        self._type = parquet.schema_arrow.field(name).type
        self._batches = _batches(parquet, group, [name])
        self._num_rows = parquet.metadata.row_group(group).num_rows
        self._num_read = 0
        self._place = f"row group {group} of {file.address}"
        self._waiting: list[pa.Array] = []
        self.error: str | None = None

    def take(self, size: int) -> tuple[pa.Array, int]:
        """The next values, null where they cannot be read; and how many were read."""
        while self.error is None and sum(map(len, self._waiting)) < size:
            try:
                batch = next(self._batches, None)
            except Exception as error:
                if not is_damage(error):
                    raise
                self._end(str(error))
                break
            if batch is None:
                self._end(f"it ends after {self._num_read} of {self._num_rows} rows")
                break
            self._num_read += batch.num_rows
            self._waiting.append(batch.column(0))
        read = pa.concat_arrays([*self._waiting, pa.nulls(0, self._type)])
        self._waiting = [read.slice(size)]
        values, num_read = read.slice(0, size), min(size, len(read))
        missing = pa.nulls(size - num_read, self._type)
        return pa.concat_arrays([values, missing]), num_read

    def _end(self, reason: str) -> None:
        short = " ".join(reason.split())
        self.error = f"{self.name} is damaged in {self._place}: {short:.200}."


def _batch(columns: list[_Column], size: int) -> pa.RecordBatch:
    """The next rows of all columns, with the error of the first damaged one."""
    arrays: dict[str, Any] = {}
    errors: list[str | None] = [None] * size
    for column in columns:
        arrays[column.name], num_read = column.take(size)
        for row in range(num_read, size):
            errors[row] = errors[row] or column.error
    known = arrays.pop(_READ_ERROR, None)
    if known is not None:
        errors = [
            new or old for new, old in zip(errors, known.to_pylist(), strict=True)
        ]
    arrays[_READ_ERROR] = pa.array(errors, pa.string())
    return pa.RecordBatch.from_pydict(arrays)


def _arranged(batch: pa.RecordBatch, names: list[str]) -> pa.RecordBatch:
    """The named columns, null if there is none, and the errors."""
    there = batch.schema.names
    nothing = pa.nulls(batch.num_rows)
    arrays = {name: batch.column(name) if name in there else nothing for name in names}
    if ERROR not in names:
        arrays[ERROR] = pa.nulls(batch.num_rows, pa.string())
    if _READ_ERROR in there:
        found = batch.column(_READ_ERROR)
        arrays[ERROR] = found.fill_null(arrays[ERROR])
    return pa.RecordBatch.from_pydict(arrays)


def _names_in(parquet: Any, names: list[str]) -> list[str]:
    known = set(parquet.schema_arrow.names)
    return [name for name in [*names, _READ_ERROR] if name in known]


def _batches(parquet: Any, group: int, names: list[str]) -> Iterator[Any]:
    found: Iterator[Any] = parquet.iter_batches(
        batch_size=_ROWS_PER_BATCH, row_groups=[group], columns=names, use_threads=False
    )
    return found
