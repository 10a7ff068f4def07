"""Summaries of one chunk, written to a file: the task of a corpus job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial

from thatch.corpus.batch import summarize_batch
from thatch.corpus.corpus_settings import ERROR, SOURCES, STATUS, CorpusSettings
from thatch.corpus.parts import Parts
from thatch.corpus.plan import Chunk
from thatch.corpus.report import Report
from thatch.corpus.row_texts import with_errors
from thatch.corpus.rows.columns import Columns, kept_name
from thatch.errors import LostTaskError
from thatch.files.locations import Location
from thatch.machine.engines import MAX_TRIES
from thatch.scale import LocalEngine
from thatch.tables.arrow import pa
from thatch.text.concepts.background import Background, parsed_background


@dataclass(frozen=True)
class ChunkSummarizer:
    """Reads a chunk, summarizes its rows and writes the result; sent to workers."""

    #: Without the background, which may be large.
    settings: CorpusSettings
    columns: Columns
    parts: Parts
    #: File of the background, if there is one; each process reads it once.
    background: Location | None = None

    def __call__(self, chunk: Chunk) -> Report:
        """Summarize a chunk and write its part."""
        batch = chunk.rows.batch(self.columns)
        batch = with_errors(batch, self._wrong_ids(batch, chunk))
        summarize = summarize_isolated if chunk.is_isolated else summarize_batch
        answers = summarize(batch, self._whole_settings())
        if self.columns.is_grouped:
            answers = _with_sources(answers, batch)
        for name in self.columns.keep:
            answers = answers.append_column(name, batch.column(kept_name(name)))
        self.parts.write(chunk, answers)
        names = (self.settings.id, ERROR, STATUS)
        return Report.of(*(answers.column(name).to_pylist() for name in names))

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


@lru_cache(maxsize=1)
def _background(file: Location) -> Background:
    with file.opened() as opened:
        return parsed_background(opened.read(), file.address)


def _with_sources(answers: pa.RecordBatch, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The answers with the ids of the documents that each sentence is from."""
    sources = [
        None if documents is None else [ids[document] for document in documents]
        for documents, ids in zip(
            answers.column("documents").to_pylist(),
            batch.column(SOURCES).to_pylist(),
            strict=True,
        )
    ]
    return answers.append_column(SOURCES, pa.array(sources, pa.list_(pa.string())))


_LOST = f"all {MAX_TRIES} processes that summarized this row ended unexpectedly."


def summarize_isolated(
    batch: pa.RecordBatch, settings: CorpusSettings
) -> pa.RecordBatch:
    """Like `summarize_batch`, but a row that ends its process gets an error."""
    answers = {}
    while left := [row for row in range(batch.num_rows) if row not in answers]:
        work = partial(_answer, batch, settings)
        try:
            for row, answer in LocalEngine(num_workers=1).map(work, left):
                answers[row] = answer
        except LostTaskError as error:
            row = int(str(error.task))
            batch = with_errors(batch, {row: _LOST})
    return pa.concat_batches([answers[row] for row in range(batch.num_rows)])


def _answer(
    batch: pa.RecordBatch, settings: CorpusSettings, row: int
) -> pa.RecordBatch:
    return summarize_batch(batch.slice(row, 1), settings)
