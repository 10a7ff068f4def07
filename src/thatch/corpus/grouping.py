"""Documents of one cluster brought together, in bounded memory.

Rows go to one of some files by a hash of their cluster; then each file is read alone,
and written again with a row a cluster.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from thatch.corpus.batch import require_pyarrow
from thatch.corpus.places import Place, inputs_of
from thatch.corpus.rows import Columns, slices_of
from thatch.corpus.settings import CorpusSettings

__all__ = ["grouped"]

_ROWS_A_SLICE = 500
# Bytes of input that one file of rows should hold, since it is read whole.
_BYTES_A_BUCKET = 64 * 2**20


def grouped(source: Place, folder: Place, *, by: str, settings: CorpusSettings) -> None:
    """Write the corpus with a row a cluster: its name, and the list of its texts.

    Clusters and texts are in the order in which they first come. Files that are there
    from an earlier run are written again, and are the same.
    """
    pa = require_pyarrow()
    import pyarrow.parquet as pq

    files = inputs_of(source)
    num_buckets = max(1, math.ceil(sum(f.size for f in files) / _BYTES_A_BUCKET))
    columns = Columns(by, settings.text)
    folder.make_folder()
    spilled = [folder.below(f".rows-{k}") for k in range(num_buckets)]
    schema = pa.schema([(by, pa.string()), (settings.text, pa.binary())])
    with ExitStack() as stack:
        writers = [
            stack.enter_context(
                pq.ParquetWriter(stack.enter_context(place.appearing()), schema)
            )
            for place in spilled
        ]
        for batch in _batches(files, columns):
            for k, rows in _by_bucket(batch, num_buckets).items():
                writers[k].write_table(pa.Table.from_pylist(rows, schema=schema))
    for k, place in enumerate(spilled):
        with place.opened() as file:
            rows = pq.read_table(pa.BufferReader(file.read())).to_pylist()
        clusters: dict[str, list[bytes]] = {}
        for row in rows:
            clusters.setdefault(row[by], []).append(row[settings.text])
        table = pa.table(
            {
                by: pa.array(list(clusters), pa.string()),
                settings.text: pa.array(list(clusters.values()), pa.list_(pa.binary())),
            }
        )
        with folder.below(f"clusters-{k:05}.parquet").appearing() as file:
            pq.write_table(table, file)
        place.remove()


def _batches(files: list[Place], columns: Columns) -> Iterator[list[dict[str, Any]]]:
    for file in files:
        for rows in slices_of(file, rows_a_slice=_ROWS_A_SLICE):
            batch = rows.batch(columns)
            names = batch.column(columns.id).to_pylist()
            texts = batch.column(columns.text).to_pylist()
            yield [
                {
                    columns.id: None if name is None else str(name),
                    columns.text: text.encode() if isinstance(text, str) else text,
                }
                for name, text in zip(names, texts, strict=True)
            ]


def _by_bucket(
    rows: list[dict[str, Any]], num_buckets: int
) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        name = next(iter(row.values()))
        digest = hashlib.blake2b(str(name).encode(), digest_size=8).digest()
        found.setdefault(int.from_bytes(digest, "big") % num_buckets, []).append(row)
    return found
