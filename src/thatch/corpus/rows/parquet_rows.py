"""Rows of Parquet files, whose row groups can only be read from their start.

Many files have only one row group: reading its last rows takes as long as reading all.
Such files are written again in small groups before they are cut into chunks.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from thatch.corpus.json_values import json_values, text_of_value
from thatch.corpus.row_texts import require_pyarrow
from thatch.corpus.rows.parquet_groups import (
    ROWS_PER_BATCH,
    batches_of_group,
    empty_batch,
    is_damage,
    with_errors_renamed,
)
from thatch.errors import InputError
from thatch.files.locations import Location

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "has_large_groups",
    "parquet_batches",
    "parquet_group_ends",
    "parquet_names",
    "parquet_types",
    "parquet_uncompressed_size",
    "plain_ids",
    "write_in_small_groups",
]

# Uncompressed size of a group; smaller ones are cheap to read several times.
_LARGE_GROUP_BYTES = 32 * 2**20
_BUFFER = 2**20


def parquet_group_ends(file: Location) -> list[int]:
    """Row at which each group ends, counted from the start of the file."""
    with _opened(file) as parquet:
        ends, end = [], 0
        for group in range(parquet.num_row_groups):
            end += parquet.metadata.row_group(group).num_rows
            ends.append(end)
    return ends


def parquet_uncompressed_size(file: Location) -> int:
    """Uncompressed size of all columns in bytes: roughly their size in memory."""
    with _opened(file) as parquet:
        groups = map(parquet.metadata.row_group, range(parquet.num_row_groups))
        return sum(int(group.total_byte_size) for group in groups)


def parquet_names(file: Location) -> list[str]:
    """Names of all columns."""
    with _opened(file) as parquet:
        return list(parquet.schema_arrow.names)


def parquet_types(file: Location) -> dict[str, pa.DataType]:
    """Types of all columns."""
    with _opened(file) as parquet:
        return {field.name: field.type for field in parquet.schema_arrow}


def parquet_batches(
    file: Location, start: int, stop: int, names: list[str]
) -> Iterator[pa.RecordBatch]:
    """Batches of some columns of some rows; at least one, which may be empty.

    Values that cannot be read are null, and the column ``error``, which is added, says
    why. Columns that the file does not have are null.
    """
    with _opened(file) as parquet:
        is_empty, end = True, 0
        for group in range(parquet.num_row_groups):
            first, end = end, end + parquet.metadata.row_group(group).num_rows
            if first >= stop or end <= start:
                continue
            for batch in batches_of_group(file, parquet, group, names):
                low, high = max(start - first, 0), min(stop - first, batch.num_rows)
                first += batch.num_rows
                if low < high:
                    is_empty = False
                    yield batch.slice(low, high - low)
                if first >= stop:
                    break
        if is_empty:
            yield empty_batch(parquet, names)


def plain_ids(column: pa.Array) -> list[int | str | None]:
    """Ids as integers, strings or None, whatever their type in the file.

    >>> import pyarrow as pa
    >>> plain_ids(pa.array([1.5, None])), plain_ids(pa.array([1]))
    (['1.5', None], [1])
    """
    pa = require_pyarrow()
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
    with _opened(file) as parquet:
        groups = map(parquet.metadata.row_group, range(parquet.num_row_groups))
        return any(
            group.total_byte_size > _LARGE_GROUP_BYTES
            and group.num_rows > ROWS_PER_BATCH
            for group in groups
        )


def write_in_small_groups(file: Location, target: Location, names: list[str]) -> None:
    """Write the same rows again, in small row groups."""
    import pyarrow.parquet as pq

    with _opened(file) as parquet, target.atomic_write() as sink:
        there = [name for name in names if name in parquet.schema_arrow.names]
        schema = with_errors_renamed(empty_batch(parquet, there)).schema
        with pq.ParquetWriter(
            sink, schema, compression="zstd", write_page_checksum=True
        ) as writer:
            for group in range(parquet.num_row_groups):
                for batch in batches_of_group(file, parquet, group, there):
                    writer.write_batch(with_errors_renamed(batch))


@contextmanager
def _opened(file: Location) -> Iterator[Any]:
    require_pyarrow()
    import pyarrow.parquet as pq

    with file.opened() as opened:
        try:
            yield pq.ParquetFile(
                opened,
                buffer_size=_BUFFER,
                pre_buffer=False,
                page_checksum_verification=True,
            )
        except Exception as error:
            if not (is_damage(error) or isinstance(error, NotImplementedError)):
                raise
            raise InputError(
                f"{file.address} is not a valid Parquet file: {error}.",
                hint="Check that it was written completely.",
            ) from error
