"""Documents of one cluster brought together, a small share of them in memory.

Rows go to one of some files by a hash of their cluster; then each file is read alone,
and written again with a row a cluster.
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
from thatch.corpus.rows.parquet_rows import parquet_unpacked_size, plain_ids
from thatch.corpus.rows.row_slices import large_slices_of
from thatch.corpus.storage import Format, Place
from thatch.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["write_clusters"]

# Bytes of input that one file of rows should hold, since it is read whole.
_BYTES_A_BUCKET = 64 * 2**20
# They are all open at once; above 32 GiB of texts, each holds more.
_MOST_BUCKETS = 512
# Clusters that are read together; they may be large.
_GROUP = 50


def write_clusters(files: list[Place], folder: Place, columns: Columns) -> None:
    """Write the corpus with a row a cluster: its name, and the list of its texts.

    Clusters and texts are in the order in which they first come. A text that cannot be
    read is empty, and the column ``left_out`` says why; one without a cluster is a row
    of its own, in error. The column ``sources`` has the ids of the texts.

    Parameters
    ----------
    files
        What to read.
    folder
        Where to write files of clusters.
    columns
        Which columns hold the cluster, the text, and the id, if there is one.
    """
    for k, place in enumerate(_spilled(files, folder, columns)):
        _bring_together(place, folder.below(f"clusters-{k:05}.parquet"), columns)
        place.remove()


def _spilled(files: list[Place], folder: Place, columns: Columns) -> list[Place]:
    """Files of rows, with all rows of a cluster in the same."""
    pa = require_pyarrow()
    import pyarrow.parquet as pq

    size = sum(map(_unpacked_size, files))
    num_buckets = min(max(1, math.ceil(size / _BYTES_A_BUCKET)), _MOST_BUCKETS)
    places = [folder.below(f".rows-{k}") for k in range(num_buckets)]
    types = [pa.string(), pa.string(), pa.binary(), pa.string()]
    schema = pa.schema(list(zip(_Row._fields, types, strict=True)))
    with ExitStack() as stack:
        writers = [
            stack.enter_context(
                pq.ParquetWriter(stack.enter_context(place.appearing()), schema)
            )
            for place in places
        ]
        for rows in _rows(files, columns):
            for k, some in _by_bucket(rows, num_buckets).items():
                arrays = map(pa.array, zip(*some, strict=True), types)
                writers[k].write_table(pa.table(list(arrays), schema=schema))
    return places


def _unpacked_size(file: Place) -> int:
    is_packed = file.format is Format.PARQUET
    return parquet_unpacked_size(file) if is_packed else file.size


def _bring_together(spilled: Place, target: Place, columns: Columns) -> None:
    """Write a row a cluster."""
    pa = require_pyarrow()
    import pyarrow.parquet as pq

    with spilled.opened() as file:
        rows = pq.read_table(pa.BufferReader(file.read())).to_pylist()
    clusters = _clusters([_Row(**row) for row in rows], columns.cluster or "")
    with target.appearing() as file:
        pq.write_table(_table(clusters, columns), file, row_group_size=_GROUP)


class _Row(NamedTuple):
    """A document, or what is wrong with it."""

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
        """Take a document in; an empty one, if it cannot be read."""
        if row.error is not None:
            id = "" if row.id is None else f", {row.id}"
            self.left_out.append(f"{row.error} It is text {len(self.texts)}{id}.")
        self.texts.append(row.text if row.error is None else b"")
        self.sources.append(row.id)


def _clusters(rows: list[_Row], by: str) -> list[_Cluster]:
    """Documents of one name together; each without a name alone, and in error."""
    named: dict[str, _Cluster] = {}
    found: list[_Cluster] = []
    for row in rows:
        if row.cluster is None:
            error = row.error or f"{by} must not be null, got null."
            it = "" if row.id is None else f" It is {row.id}."
            found.append(_Cluster(None, error=error + it))
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


def _rows(files: list[Place], columns: Columns) -> Iterator[list[_Row]]:
    for rows in large_slices_of(files):
        for read in rows.batches(columns):
            batch = with_errors(read, {})
            texts = as_bytes(batch.column(columns.text), columns.text)
            if any(isinstance(each, list) for each in texts):
                raise InputError(
                    f"{columns.text} must be texts where they are grouped, got lists "
                    f"in {rows.file.address}.",
                    hint="Leave --group-by out, or name a column of texts.",
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
