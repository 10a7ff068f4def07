"""Rows of Parquet files, which are kept in groups that are read from their beginning.

Many files have all rows in one group: to read some at its end takes as long as to read
them all. Such files are written again in small groups before they are cut into parts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from thatch.corpus.row_texts import require_pyarrow
from thatch.corpus.storage import Place
from thatch.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "has_large_groups",
    "parquet_batches",
    "parquet_group_ends",
    "parquet_names",
    "parquet_unpacked_size",
    "plain_ids",
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


def parquet_unpacked_size(file: Place) -> int:
    """Bytes of all columns, roughly as memory holds them."""
    with _opened(file) as parquet:
        groups = map(parquet.metadata.row_group, range(parquet.num_row_groups))
        return sum(int(group.total_byte_size) for group in groups)


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


def plain_ids(column: pa.Array) -> list[int | str | None]:
    """Ids as whole numbers, texts or None, whatever they are in the file.

    >>> import pyarrow as pa
    >>> plain_ids(pa.array([1.5, None])), plain_ids(pa.array([1]))
    (['1.5', None], [1])
    """
    pa = require_pyarrow()
    if pa.types.is_dictionary(column.type):
        words = plain_ids(column.dictionary)
        return [None if k is None else words[k] for k in column.indices.to_pylist()]
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        # What calls itself text may not be UTF-8.
        column = column.cast(pa.large_binary())
    if pa.types.is_temporal(column.type):
        column = column.cast(pa.string())
    return [_plain(value) for value in column.to_pylist()]


def _plain(value: Any) -> int | str | None:
    if value is None or (type(value) is int and -(2**63) <= value < 2**63):
        return value
    if isinstance(value, bool):
        return json.dumps(value)
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


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
            yield pq.ParquetFile(opened, buffer_size=_BUFFER, pre_buffer=False)
        except ArrowException as error:
            raise InputError(
                f"{file.address} must be a Parquet file, got something else: {error}.",
                hint="Check that it was written to its end.",
            ) from error
