"""What is done with one part, on whatever machine."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.corpus.apart import summarize_apart
from thatch.corpus.batch import summarize_batch
from thatch.corpus.columns import Columns
from thatch.corpus.places import Format, Place
from thatch.corpus.plan import Part
from thatch.corpus.report import Report
from thatch.corpus.settings import ERROR, SOURCES, STATUS, CorpusSettings
from thatch.corpus.texts import require_pyarrow, with_errors

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Work"]


@dataclass(frozen=True)
class Work:
    """What is done with every part: it is sent to where that happens."""

    settings: CorpusSettings
    columns: Columns
    folder: Place
    format: Format

    def __call__(self, part: Part) -> Report:
        """Read, summarize, write; the file appears whole or not at all."""
        batch = part.rows.batch(self.columns)
        batch = with_errors(batch, _duplicates(batch, part))
        summarize = summarize_apart if part.is_dangerous else summarize_batch
        answers = summarize(batch, self.settings)
        if self.columns.is_grouped:
            answers = _with_sources(answers, batch)
        with self.folder.below(part.name(self.format)).appearing() as file:
            file.write(_written(answers, self.format))
        return self._report(answers)

    def report(self, part: Part) -> Report:
        """Report on a part that is already there."""
        pa = require_pyarrow()
        with self.folder.below(part.name(self.format)).opened() as file:
            if self.format is Format.PARQUET:
                import pyarrow.parquet as pq

                columns = list(self._told)
                table = pq.read_table(pa.BufferReader(file.read()), columns=columns)
                return self._report(table)
            rows = [json.loads(line) for line in file.read().splitlines()]
        return Report.of(*([row[name] for row in rows] for name in self._told))

    def _report(self, answers: Any) -> Report:
        return Report.of(*(answers.column(name).to_pylist() for name in self._told))

    @property
    def _told(self) -> tuple[str, str, str]:
        return self.settings.id, ERROR, STATUS


def _with_sources(answers: pa.RecordBatch, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The answers with the ids of the documents that their sentences are from."""
    pa = require_pyarrow()
    sources = [
        None if documents is None else [ids[document] for document in documents]
        for documents, ids in zip(
            answers.column("documents").to_pylist(),
            batch.column(SOURCES).to_pylist(),
            strict=True,
        )
    ]
    return answers.append_column(SOURCES, pa.array(sources, pa.list_(pa.string())))


def _duplicates(batch: pa.RecordBatch, part: Part) -> dict[int, str]:
    """What is wrong with the rows whose id another row has already."""
    ids = {row: batch.column(0)[row].as_py() for row in part.duplicates}
    return {
        row: f"ids must be of one row each, got {id!r:.60} again."
        for row, id in ids.items()
    }


def _written(answers: pa.RecordBatch, format: Format) -> bytes:
    """The rows as a file holds them; the same rows, the same bytes."""
    pa = require_pyarrow()
    if format is Format.PARQUET:
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_batches([answers]), sink, compression="zstd")
        content: bytes = sink.getvalue().to_pybytes()
        return content
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in answers.to_pylist())
    return "".join(lines).encode()
