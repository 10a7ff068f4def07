"""Files prepared for being cut into chunks.

Documents are grouped by cluster, and Parquet files with large row groups are written
again. A job that is resumed reuses the prepared files.

To group documents with only a fraction of them in memory, rows are first partitioned
into files by a hash of their cluster. Then each file is read alone and written again
with one row per cluster.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from thatch.corpus.corpus_settings import ERROR, LEFT_OUT, SOURCES
from thatch.corpus.row_texts import as_bytes, with_errors
from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.parquet_rows import (
    has_large_groups,
    parquet_uncompressed_size,
    plain_ids,
    write_in_small_groups,
)
from thatch.corpus.rows.row_slices import large_slices_of
from thatch.errors import InputError
from thatch.files.locations import Format, Location, inputs_of, version_of
from thatch.tables.arrow import pa, pq

# Written last: without it, the folder is incomplete.
_COMPLETE = "_complete.json"
# Each file of rows to be grouped is read as a whole.
_BYTES_PER_BUCKET = 64 * 2**20


def prepared(
    files: list[Location], columns: Columns, folder: Location
) -> tuple[list[Location], Columns]:
    """Files to cut into chunks, and their columns.

    Rows are grouped if there is a cluster column. The folder is not created if the
    files can be used as they are.
    """
    if columns.cluster is not None:
        if _is_new(files, columns, folder):
            _write_clusters(files, folder, columns)
            _finish(files, columns, folder)
        columns = replace(columns, id=columns.cluster, cluster=None, is_grouped=True)
        return inputs_of(folder), columns
    large = {f for f in files if f.format is Format.PARQUET and has_large_groups(f)}
    small = {file: folder.child(f"{k:05}.parquet") for k, file in enumerate(files)}
    if large and _is_new(files, columns, folder):
        for file in files:
            if file in large:
                write_in_small_groups(file, small[file], columns.names)
        _finish(files, columns, folder)
    return [small[file] if file in large else file for file in files], columns


def _is_new(files: list[Location], columns: Columns, folder: Location) -> bool:
    """Whether files must be prepared; then the folder is created, or emptied."""
    names = folder.names()
    if _COMPLETE in names:
        known = folder.child(_COMPLETE).content()
        if known == _record(files, columns, folder):
            return False
    if names:
        folder.remove()
    folder.make_folder()
    return True


def _finish(files: list[Location], columns: Columns, folder: Location) -> None:
    with folder.child(_COMPLETE).atomic_write() as file:
        file.write(_record(files, columns, folder))


def _record(files: list[Location], columns: Columns, folder: Location) -> bytes:
    """What was prepared, and the checksums of the result, which may be damaged."""
    names = sorted(folder.finished_names() - {_COMPLETE})
    checksums = {name: folder.child(name).sha256() for name in names}
    return json.dumps([version_of(files), columns.names, checksums]).encode()


def _write_clusters(files: list[Location], folder: Location, columns: Columns) -> None:
    """Write the corpus with one row per cluster: its name and the list of its texts.

    Clusters and texts keep the order of the input. A text that cannot be read is empty,
    and the column ``left_out`` says why; a document without a cluster is a separate row
    with an error. The column ``sources`` contains the ids of the texts.
    """
    for k, file in enumerate(_partitioned(files, folder, columns)):
        _group(file, folder.child(f"clusters-{k:05}.parquet"), columns)
        file.remove()


def _partitioned(
    files: list[Location], folder: Location, columns: Columns
) -> list[Location]:
    """Files of rows; all rows of a cluster are in the same file."""
    size = sum(map(_uncompressed_size, files))
    # All files are open at once; with more than 32 GiB of texts they become larger.
    num_buckets = min(max(1, math.ceil(size / _BYTES_PER_BUCKET)), 512)
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
    with partition.opened() as file:
        rows = pq.read_table(pa.BufferReader(file.read())).to_pylist()
    clusters = _clusters([_Row(**row) for row in rows], columns.cluster or "")
    with target.atomic_write() as file:
        # Clusters may be large.
        pq.write_table(_table(clusters, columns), file, row_group_size=50)


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
