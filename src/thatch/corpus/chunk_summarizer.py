"""Summaries of one chunk, written to a file: the task of a corpus job."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from thatch.corpus.batch import summarize_batch
from thatch.corpus.corpus_settings import ERROR, SOURCES, STATUS, CorpusSettings
from thatch.corpus.isolated import summarize_isolated
from thatch.corpus.plan import Chunk
from thatch.corpus.report import Report
from thatch.corpus.row_texts import require_pyarrow, with_errors
from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.parquet_rows import parquet_batches, parquet_names
from thatch.corpus.storage import Format, Location
from thatch.errors import InputError
from thatch.text.concepts.background import Background, parsed_background

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ChunkSummarizer", "report_on"]


@dataclass(frozen=True)
class ChunkSummarizer:
    """Reads a chunk, summarizes its rows and writes the result; sent to workers."""

    #: Without the background, which may be large.
    settings: CorpusSettings
    columns: Columns
    folder: Location
    format: Format
    #: File of the background, if there is one; each process reads it once.
    background: Location | None = None

    def __call__(self, chunk: Chunk) -> Report:
        """Summarize a chunk; its file is written atomically."""
        batch = chunk.rows.batch(self.columns)
        batch = with_errors(batch, self._wrong_ids(batch, chunk))
        summarize = summarize_isolated if chunk.is_isolated else summarize_batch
        answers = summarize(batch, self._whole_settings())
        if self.columns.is_grouped:
            answers = _with_sources(answers, batch)
        with self.folder.child(chunk.name(self.format)).atomic_write() as file:
            file.write(_written(answers, self.format))
        return _report(answers.select([self.settings.id, ERROR, STATUS]))

    def _whole_settings(self) -> CorpusSettings:
        if self.background is None:
            return self.settings
        return replace(self.settings, background=_background(self.background))

    def _wrong_ids(self, batch: pa.RecordBatch, chunk: Chunk) -> dict[int, str]:
        """Errors of rows without an id, or with the id of an earlier row."""
        name = self.settings.id
        ids = batch.column(name).to_pylist()
        known = with_errors(batch, {}).column(ERROR).to_pylist()
        wrong = {
            row: f"{name} is null."
            for row, id in enumerate(ids)
            if id is None and known[row] is None
        }
        for row in chunk.duplicates:
            wrong[row] = f"{name} is not unique: an earlier row has {ids[row]!r:.60}."
        return wrong

    def report(self, chunk: Chunk) -> Report:
        """Report on a chunk that was written before."""
        file = self.folder.child(chunk.name(self.format))
        return report_on(file, self.format, self.settings.id)


@lru_cache(maxsize=1)
def _background(file: Location) -> Background:
    with file.opened() as opened:
        return parsed_background(opened.read(), file.address)


def report_on(file: Location, format: Format, id: str) -> Report:
    """Report on rows that were written before."""
    names = [id, ERROR, STATUS]
    if format is Format.PARQUET:
        if not set(names) <= set(parquet_names(file)):
            raise _no_answers(file)
        batches = parquet_batches(file, 0, sys.maxsize, names)
        return sum(map(_report, batches), start=Report())
    total = Report()
    with file.opened() as lines:
        for line in lines:
            row = json.loads(line)
            if not set(names) <= set(row):
                raise _no_answers(file)
            total += Report.of(*([row[name]] for name in names))
    return total


def _report(answers: pa.RecordBatch) -> Report:
    return Report.of(*(column.to_pylist() for column in answers.columns))


def _no_answers(file: Location) -> InputError:
    return InputError(
        f"{file.address} already exists and has other columns.",
        hint="Choose another output, or remove that file.",
    )


def _with_sources(answers: pa.RecordBatch, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The answers with the ids of the documents that each sentence is from."""
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


def _written(answers: pa.RecordBatch, format: Format) -> bytes:
    """The content of the file of some rows; equal rows have equal bytes."""
    pa = require_pyarrow()
    if format is Format.PARQUET:
        import pyarrow.parquet as pq

        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_batches([answers]), sink, compression="zstd")
        content: bytes = sink.getvalue().to_pybytes()
        return content
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in answers.to_pylist())
    return "".join(lines).encode()
