"""Documents grouped by cluster, with only a fraction of them in memory at a time.

Rows are partitioned into files by a hash of their cluster; then each file is read alone
and written again with one row per cluster.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from thatch.corpus.corpus_settings import ERROR, LEFT_OUT, SOURCES
from thatch.corpus.row_texts import as_bytes, require_pyarrow, with_errors
from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.parquet_rows import parquet_uncompressed_size, plain_ids
from thatch.corpus.rows.row_slices import large_slices_of
from thatch.errors import InputError
from thatch.files.locations import Format, Location

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write_clusters"]

# Each file is read as a whole.
_BYTES_PER_BUCKET = 64 * 2**20
# All files are open at once; with more than 32 GiB of texts they become larger.
_MAX_BUCKETS = 512
# Clusters may be large.
_CLUSTERS_PER_ROW_GROUP = 50


def write_clusters(files: list[Location], folder: Location, columns: Columns) -> None:
    """Write the corpus with one row per cluster: its name and the list of its texts.

    Clusters and texts keep the order of the input. A text that cannot be read is empty,
    and the column ``left_out`` says why; a document without a cluster is a separate row
    with an error. The column ``sources`` contains the ids of the texts.

    Parameters
    ----------
    files
        Files to read.
    folder
        Folder to write to.
    columns
        Columns of the clusters, the texts, and the ids, if there are any.
    """
    for k, file in enumerate(_partitioned(files, folder, columns)):
        _group(file, folder.child(f"clusters-{k:05}.parquet"), columns)
        file.remove()


def _partitioned(
    files: list[Location], folder: Location, columns: Columns
) -> list[Location]:
    """Files of rows; all rows of a cluster are in the same file."""
    pa = require_pyarrow()
    import pyarrow.parquet as pq

    size = sum(map(_uncompressed_size, files))
    num_buckets = min(max(1, math.ceil(size / _BYTES_PER_BUCKET)), _MAX_BUCKETS)
    partitions = [folder.child(f".rows-{k}") for k in range(num_buckets)]
    types = [pa.string(), pa.string(), pa.binary(), pa.string()]
    schema = pa.schema(list(zip(_Row._fields, types, strict=True)))
    with ExitStack() as stack:
        writers = [
            stack.enter_context(
                pq.ParquetWriter(stack.enter_context(each.atomic_write()), schema)
            )
            for each in partitions
        ]
        for rows in _rows(files, columns):
            for k, some in _by_bucket(rows, num_buckets).items():
                arrays = map(pa.array, zip(*some, strict=True), types)
                writers[k].write_table(pa.table(list(arrays), schema=schema))
    return partitions


def _uncompressed_size(file: Location) -> int:
    is_parquet = file.format is Format.PARQUET
    return parquet_uncompressed_size(file) if is_parquet else file.size


def _group(partition: Location, target: Location, columns: Columns) -> None:
    """Write one row per cluster."""
    pa = require_pyarrow()
    import pyarrow.parquet as pq

    with partition.opened() as file:
        rows = pq.read_table(pa.BufferReader(file.read())).to_pylist()
    clusters = _clusters([_Row(**row) for row in rows], columns.cluster or "")
    with target.atomic_write() as file:
        pq.write_table(
            _table(clusters, columns), file, row_group_size=_CLUSTERS_PER_ROW_GROUP
        )


class _Row(NamedTuple):
    """A document, or its error."""

    cluster: str | None
    id: str | None
    text: bytes | None
    error: str | None


@dataclass
class _Cluster:
    name: str | None
    error: str | None = None
    texts: list[bytes | None] = field(default_factory=list)
    sources: list[str | None] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def add(self, row: _Row) -> None:
        """Add a document; an empty one if it cannot be read."""
        if row.error is not None:
            id = "" if row.id is None else f", id {row.id!r}"
            error = row.error.removesuffix(".")
            self.left_out.append(f"{error} (text {len(self.texts)}{id}).")
        self.texts.append(row.text if row.error is None else b"")
        self.sources.append(row.id)


def _clusters(rows: list[_Row], by: str) -> list[_Cluster]:
    """Documents grouped by cluster; one without a cluster is alone, with an error."""
    named: dict[str, _Cluster] = {}
    found: list[_Cluster] = []
    for row in rows:
        if row.cluster is None:
            error = (row.error or f"{by} is null.").removesuffix(".")
            id = "" if row.id is None else f" (id {row.id!r})"
            found.append(_Cluster(None, error=f"{error}{id}."))
            continue
        if row.cluster not in named:
            found.append(named.setdefault(row.cluster, _Cluster(row.cluster)))
        named[row.cluster].add(row)
    return found


def _table(clusters: list[_Cluster], columns: Columns) -> pa.Table:
    pa = require_pyarrow()
    strings = pa.list_(pa.string())
    texts = pa.array([each.texts for each in clusters], pa.list_(pa.binary()))
    return pa.table(
        {
            columns.cluster: pa.array([each.name for each in clusters], pa.string()),
            columns.text: texts,
            ERROR: pa.array([each.error for each in clusters], pa.string()),
            LEFT_OUT: pa.array([each.left_out for each in clusters], strings),
            SOURCES: pa.array([each.sources for each in clusters], strings),
        }
    )


def _rows(files: list[Location], columns: Columns) -> Iterator[list[_Row]]:
    for rows in large_slices_of(files):
        for read in rows.batches(columns):
            batch = with_errors(read, {})
            texts = as_bytes(batch.column(columns.text), columns.text)
            if any(isinstance(each, list) for each in texts):
                raise InputError(
                    f"column {columns.text} of {rows.file.address} has lists of texts, "
                    "which cannot be grouped.",
                    hint="Leave --group-by out, or name a column of single texts.",
                )
            yield list(
                map(
                    _Row,
                    _names(batch, columns.cluster),
                    _names(batch, columns.id),
                    texts,
                    batch.column(ERROR).to_pylist(),
                )
            )


def _names(batch: pa.RecordBatch, column: str | None) -> list[str | None]:
    if column is None:
        return [None] * batch.num_rows
    values = plain_ids(batch.column(column))
    return [None if value is None else str(value) for value in values]


def _by_bucket(rows: list[_Row], num_buckets: int) -> dict[int, list[_Row]]:
    found: dict[int, list[_Row]] = {}
    for row in rows:
        digest = hashlib.blake2b(str(row.cluster).encode(), digest_size=8).digest()
        found.setdefault(int.from_bytes(digest, "big") % num_buckets, []).append(row)
    return found
