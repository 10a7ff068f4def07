"""Buckets: rows on disk, divided by the hash of an id, each of which fits in memory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch._kernels import hashing as kernel
from thatch.sharding.table_formats import require_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["MAX_BUCKETS", "Buckets"]

#: Their numbers have 16 bits.
MAX_BUCKETS = 2**16


class Buckets:
    """Rows of a table, in one file per bucket.

    Rows of the same id are in the same bucket, in the order in which they were added.
    """

    def __init__(self, folder: Path, name: str, num_buckets: int) -> None:
        self._folder = folder
        self._name = name
        self._num_buckets = num_buckets
        self._schema: Any = None

    def add(self, ids: pa.Array, **columns: Any) -> None:
        """Add rows: their ids, and the values of the other columns."""
        pa = require_pyarrow()
        numbers = _bucket_numbers(ids, self._num_buckets)
        order = np.argsort(numbers, kind="stable")
        ends = np.cumsum(np.bincount(numbers, minlength=self._num_buckets))
        rows = pa.record_batch(
            [ids, *map(pa.array, columns.values())], names=["id", *columns]
        ).take(pa.array(order))
        self._schema = rows.schema
        start = 0
        for bucket, end in enumerate(ends.tolist()):
            if end > start:
                # Opened again for every batch: there may be more buckets than files
                # that a process may have open.
                with self._path(bucket).open("ab") as file:
                    file.write(rows.slice(start, end - start).serialize())
                start = end

    def read(self, bucket: int) -> list[Any]:
        """The columns of a bucket, ids first; its file is removed."""
        pa = require_pyarrow()
        path = self._path(bucket)
        batches = []
        if path.exists():
            with pa.OSFile(str(path)) as stream:
                while stream.tell() < stream.size():
                    message = pa.ipc.read_message(stream)
                    batches.append(pa.ipc.read_record_batch(message, self._schema))
            path.unlink()
        table = pa.Table.from_batches(batches, schema=self._schema)
        return [_joined(column) for column in table.columns]

    def _path(self, bucket: int) -> Path:
        return self._folder / f"{self._name}-{bucket:05}"


def _joined(column: Any) -> pa.Array:
    pa = require_pyarrow()
    return pa.concat_arrays(column.chunks or [pa.array([], type=column.type)])


def _bucket_numbers(ids: pa.Array, num_buckets: int) -> np.ndarray:
    numbers = np.empty(len(ids), dtype=np.uint16)
    if require_pyarrow().types.is_integer(ids.type):
        kernel.buckets_of_integers(np.asarray(ids), num_buckets, numbers)
        return numbers
    _, starts, content = ids.buffers()
    first = np.frombuffer(starts, dtype=np.int64)[ids.offset :][: len(ids) + 1]
    texts = np.frombuffer(content or b"", dtype=np.uint8)
    kernel.buckets_of_texts(texts, first, num_buckets, numbers)
    return numbers
