"""Rows of Parquet files, which are kept in groups that are read from their beginning.

Many files have all rows in one group: to read some at its end takes as long as to read
them all. Such files are written again in small groups before they are cut into parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from thatch.corpus.places import Place
from thatch.corpus.texts import require_pyarrow
from thatch.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "has_large_groups",
    "parquet_batches",
    "parquet_group_ends",
    "parquet_names",
    "write_in_small_groups",
]

_ROWS_A_BATCH = 500
# Unpacked bytes of a group that are read again and again without much ado.
_LARGE_GROUP = 32 * 2**20
_BUFFER = 2**20


def parquet_group_ends(file: Place) -> list[int]:
    """After how many rows of the file each group ends."""
    with _opened(file) as parquet:
        ends, end = [], 0
        for group in range(parquet.num_row_groups):
            end += parquet.metadata.row_group(group).num_rows
            ends.append(end)
    return ends


def parquet_names(file: Place) -> list[str]:
    """Names of all columns."""
    with _opened(file) as parquet:
        return list(parquet.schema_arrow.names)


def parquet_batches(
    file: Place, start: int, stop: int, names: list[str]
) -> Iterator[pa.RecordBatch]:
    """Some columns of some rows, a few rows at a time: one batch at least."""
    pa = require_pyarrow()
    with _opened(file) as parquet:
        is_empty, end = True, 0
        for group in range(parquet.num_row_groups):
            first, end = end, end + parquet.metadata.row_group(group).num_rows
            if first >= stop or end <= start:
                continue
            for batch in _batches(parquet, [group], names):
                low, high = max(start - first, 0), min(stop - first, batch.num_rows)
                first += batch.num_rows
                if low < high:
                    is_empty = False
                    yield batch.slice(low, high - low).select(names)
                if first >= stop:
                    break
        if is_empty:
            schema = parquet.schema_arrow
            fields = pa.schema([schema.field(name) for name in names])
            yield pa.RecordBatch.from_pylist([], schema=fields)


def has_large_groups(file: Place) -> bool:
    """Whether there are groups too large to be read for each of their parts."""
    with _opened(file) as parquet:
        groups = map(parquet.metadata.row_group, range(parquet.num_row_groups))
        return any(
            group.total_byte_size > _LARGE_GROUP and group.num_rows > _ROWS_A_BATCH
            for group in groups
        )


def write_in_small_groups(file: Place, target: Place, names: list[str]) -> None:
    """Write the same rows again, in groups that are small."""
    pa = require_pyarrow()
    import pyarrow.parquet as pq

    with _opened(file) as parquet, target.appearing() as sink:
        schema = pa.schema([parquet.schema_arrow.field(name) for name in names])
        with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
            for group in range(parquet.num_row_groups):
                for batch in _batches(parquet, [group], names):
                    writer.write_batch(batch.select(names))


def _batches(parquet: Any, groups: list[int], names: list[str]) -> Iterator[Any]:
    found: Iterator[Any] = parquet.iter_batches(
        batch_size=_ROWS_A_BATCH, row_groups=groups, columns=names, use_threads=False
    )
    return found


@contextmanager
def _opened(file: Place) -> Iterator[Any]:
    require_pyarrow()
    import pyarrow.parquet as pq
    from pyarrow import ArrowException

    with file.opened() as opened:
        try:
            parquet = pq.ParquetFile(opened, buffer_size=_BUFFER, pre_buffer=False)
        except (ArrowException, OSError) as error:
            raise InputError(
                f"{file.address} must be a Parquet file, got something else: {error}.",
                hint="Check that it was written to its end.",
            ) from error
        yield parquet
