"""Batches of one row group; a damaged group costs only its own rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from thatch.corpus.corpus_settings import ERROR
from thatch.corpus.row_texts import require_pyarrow
from thatch.files.locations import Location

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ROWS_PER_BATCH",
    "batches_of_group",
    "empty_batch",
    "is_damage",
    "with_errors_renamed",
]

ROWS_PER_BATCH = 500
# Column of errors in files that were written again. A column ``error`` of an input file
# is something else.
_READ_ERROR = "thatch.read_error"
# Of the reason that Arrow gives.
_MAX_CHARACTERS = 200


def batches_of_group(
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
    for start in range(0, num_rows, ROWS_PER_BATCH):
        batch = _batch(columns, min(ROWS_PER_BATCH, num_rows - start))
        if start + batch.num_rows > done:
            yield _arranged(batch.slice(max(0, done - start)), names)


def empty_batch(parquet: Any, names: list[str]) -> pa.RecordBatch:
    """A batch like those of a group, without rows."""
    pa = require_pyarrow()
    fields = [parquet.schema_arrow.field(name) for name in _names_in(parquet, names)]
    return _arranged(pa.RecordBatch.from_pylist([], schema=pa.schema(fields)), names)


def with_errors_renamed(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch for a file that is read again, with its errors."""
    return batch.rename_columns(
        [_READ_ERROR if name == ERROR else name for name in batch.schema.names]
    )


def is_damage(error: Exception) -> bool:
    """Whether Arrow cannot decode what it has read; other errors may pass."""
    from pyarrow import ArrowException

    if isinstance(error, MemoryError | NotImplementedError):
        return False
    # Errors of the operating system and of remote storage have a number or a subclass.
    is_decoding = type(error) is OSError and error.errno is None
    return isinstance(error, ArrowException) or is_decoding


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
        pa = require_pyarrow()
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
        """Read no further."""
        short = " ".join(reason.split())[:_MAX_CHARACTERS]
        self.error = f"{self.name} is damaged in {self._place}: {short}."


def _batch(columns: list[_Column], size: int) -> pa.RecordBatch:
    """The next rows of all columns, with the error of the first damaged one."""
    pa = require_pyarrow()
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
    pa = require_pyarrow()
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
        batch_size=ROWS_PER_BATCH, row_groups=[group], columns=names, use_threads=False
    )
    return found
