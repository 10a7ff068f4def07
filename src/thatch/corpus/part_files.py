"""The content of output files: rows as Parquet or JSON lines, and their reports."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO

from thatch.corpus.corpus_settings import ERROR, STATUS
from thatch.corpus.json_values import json_values
from thatch.corpus.report import Report
from thatch.corpus.row_texts import require_pyarrow
from thatch.files.locations import Format, Location

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["HashingFile", "file_of", "join", "report_on"]


def file_of(
    answers: pa.RecordBatch, format: Format, facts: Mapping[str, object]
) -> bytes:
    """The content of a file of some rows; equal rows and facts have equal bytes.

    Parameters
    ----------
    answers
        The rows.
    format
        Format of the file.
    facts
        Which rows these are; part of the metadata of a Parquet file.
    """
    pa = require_pyarrow()
    if format is Format.PARQUET:
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        table = pa.Table.from_batches([answers])
        table = table.replace_schema_metadata(_metadata(facts))
        pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
        content: bytes = sink.getvalue().to_pybytes()
        return content
    names = answers.schema.names
    rows = zip(*map(json_values, answers.columns), strict=True)
    lines = (
        json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n"
        for row in rows
    )
    return "".join(lines).encode()


def _metadata(facts: Mapping[str, object]) -> dict[str, str]:
    return {f"thatch.{name}": str(value) for name, value in facts.items()}


def report_on(content: bytes, format: Format, id: str) -> Report:
    """Report on rows that were written before."""
    names = [id, ERROR, STATUS]
    if format is Format.PARQUET:
        import pyarrow.parquet as pq

        table = pq.read_table(require_pyarrow().BufferReader(content), columns=names)
        return Report.of(*(table.column(name).to_pylist() for name in names))
    rows = [json.loads(line) for line in content.splitlines()]
    return Report.of(*([row[name] for row in rows] for name in names))


def join(
    files: Iterable[Location],
    target: BinaryIO | HashingFile,
    format: Format,
    facts: Mapping[str, object],
) -> None:
    """Write all rows of some files to one file."""
    pa = require_pyarrow()
    if format is Format.JSON_LINES:
        for each in files:
            target.write(each.content() or b"")
        return
    import pyarrow.parquet as pq

    writer = None
    for each in files:
        table = pq.read_table(pa.BufferReader(each.content() or b""))
        table = table.replace_schema_metadata(_metadata(facts))
        if writer is None:
            writer = pq.ParquetWriter(
                target, table.schema, compression="zstd", write_page_checksum=True
            )
        writer.write_table(table)
    if writer is not None:
        writer.close()


class HashingFile(io.RawIOBase):
    """A file for writing that computes the checksum of what is written."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hash = hashlib.sha256()

    @property
    def sha256(self) -> str:
        """Checksum of all bytes so far."""
        return self._hash.hexdigest()

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, content: Any, /) -> int:
        """Write bytes."""
        self._hash.update(content)
        return self._file.write(content)
