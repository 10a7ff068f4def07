"""Summaries of one Arrow batch of documents, and of one chunk of a corpus job."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial

from thatch.corpus.corpus_settings import (
    ERROR,
    SCHEMA_FIELDS,
    SOURCES,
    STATUS,
    CorpusSettings,
)
from thatch.corpus.parts import Parts
from thatch.corpus.plan import Chunk
from thatch.corpus.report import Report
from thatch.corpus.row_texts import (
    RowTexts,
    require_columns,
    texts_of_rows,
    with_errors,
)
from thatch.corpus.rows.columns import Columns, kept_name
from thatch.errors import InputTypeError, LostTaskError, ThatchError
from thatch.files.locations import Location
from thatch.machine.engines import MAX_TRIES
from thatch.run.result import Result
from thatch.scale import LocalEngine
from thatch.solvers.solving import solve_each
from thatch.tables.arrow import pa
from thatch.text.concepts.background import Background, parsed_background
from thatch.text.summarizing import Summarizer
from thatch.text.summary import Summary
from thatch.text.task import SummaryTask


def summarize_batch(batch: pa.RecordBatch, settings: CorpusSettings) -> pa.RecordBatch:
    """Summaries of a batch of documents, one per row, in the same order.

    The summary of a row depends only on that row and the settings, so a corpus can be
    cut into batches anywhere. If a row cannot be summarized, its summary is null and
    its error says why. If some texts of a list cannot be read, the row has a summary of
    the others, and an error.

    Parameters
    ----------
    batch
        An id column, and a text column of strings or lists of strings. Two columns are
        optional: ``error``, strings, with the errors of rows that must not be
        summarized; and ``left_out``, lists of strings, with the errors of texts that
        are empty because they could not be read.
    settings
        Names of the columns, and how to summarize.

    >>> import pyarrow as pa
    >>> texts = ["Snow fell. Snow fell all day.", None]
    >>> batch = pa.RecordBatch.from_pydict({"id": [1, 2], "text": texts})
    >>> answer = summarize_batch(batch, CorpusSettings(budget=4))
    >>> answer["summary"].to_pylist(), answer["error"][1].as_py()
    (['Snow fell all day.', None], 'text is null.')
    """
    if not isinstance(batch, pa.RecordBatch):
        raise InputTypeError(
            f"batch is a {type(batch).__name__}; expected a pyarrow.RecordBatch.",
            hint="For a table, pass each batch of table.to_batches(); for a data "
            "frame, pass pyarrow.RecordBatch.from_pandas(frame).",
        )
    if not isinstance(settings, CorpusSettings):
        raise InputTypeError(
            f"settings is a {type(settings).__name__}; expected CorpusSettings.",
            hint="Pass CorpusSettings(budget=50), for example.",
        )
    require_columns(batch, settings.id, settings.text)
    texts = list(texts_of_rows(batch, settings))
    ids = batch.column(settings.id)
    summarizer = settings.summary.summarizer(settings.background)
    tried = [_task(summarizer, each, settings) for each in texts]
    answered = _answered(tried, summarizer, settings)
    rows = [
        replace(row, error=row.error or each.error)
        for row, each in zip(answered, texts, strict=True)
    ]
    columns = {
        name: pa.array([getattr(row, name) for row in rows], type=arrow_type)
        for name, arrow_type in _types().items()
    }
    return pa.RecordBatch.from_arrays(
        [ids, *columns.values()], schema=summary_schema(ids.type, settings.id)
    )


def summary_schema(id_type: pa.DataType, id_name: str = "id") -> pa.Schema:
    """Schema of the batches that `summarize_batch` returns, for ids of a type."""
    return pa.schema([(id_name, id_type), *_types().items()])


@dataclass(frozen=True)
class _Row:
    """A row of the result: a summary, or only an error."""

    error: str | None = None
    summary: str | None = None
    documents: list[int] | None = None
    positions: list[int] | None = None
    cost: float | None = None
    value: float | None = None
    gap: float | None = None
    status: str | None = None

    @classmethod
    def failed(cls, problem: Exception) -> _Row:
        """A row with an error; any exception affects only this row."""
        if isinstance(problem, ThatchError):
            return cls(error=problem.message)
        return cls(error=f"summarizing failed: {type(problem).__name__}: {problem}")

    @classmethod
    def of(cls, summary: Summary) -> _Row:
        """The row of a summary."""
        passages = summary.task.passages.all
        return cls(
            summary=summary.text,
            documents=[passages[p].document for p in summary.passages],
            positions=[passages[p].position for p in summary.passages],
            cost=float(summary.cost),
            value=summary.value,
            gap=summary.gap,
            status=summary.status.label,
        )


def _task(
    summarizer: Summarizer, texts: RowTexts, settings: CorpusSettings
) -> SummaryTask | _Row:
    if texts.is_unusable:
        return _Row(error=texts.error)
    try:
        return summarizer.task(texts.documents, settings.budget)
    except Exception as problem:
        return _Row.failed(problem)


def _answered(
    tried: list[SummaryTask | _Row], summarizer: Summarizer, settings: CorpusSettings
) -> list[_Row]:
    """Rows of the result; all problems of the batch are solved in one call."""
    tasks = [each for each in tried if isinstance(each, SummaryTask)]
    results = iter(_results(tasks, summarizer, settings))
    return [
        each
        if isinstance(each, _Row)
        else _row(summarizer, each, next(results), settings)
        for each in tried
    ]


def _results(
    tasks: list[SummaryTask], summarizer: Summarizer, settings: CorpusSettings
) -> list[Result | Exception]:
    try:
        problems = [task.problem for task in tasks]
        return [*solve_each(problems, summarizer.solver, seed=settings.seed)]
    except Exception as problem:
        if len(tasks) == 1:
            return [problem]
    # Solved alone, the task at fault is identified, and the others succeed.
    return [
        result for task in tasks for result in _results([task], summarizer, settings)
    ]


def _row(
    summarizer: Summarizer,
    task: SummaryTask,
    result: Result | Exception,
    settings: CorpusSettings,
) -> _Row:
    if isinstance(result, Exception):
        return _Row.failed(result)
    try:
        summary = summarizer.summary_from(task, result, seed=settings.seed)
    except Exception as problem:
        return _Row.failed(problem)
    if summary.warning:
        return _Row(error=summary.warning)
    return _Row.of(summary)


def _types() -> dict[str, pa.DataType]:
    known = {
        "string": pa.string(),
        "double": pa.float64(),
        "list<int32>": pa.list_(pa.int32()),
    }
    return {name: known[kind] for name, kind in SCHEMA_FIELDS.items()}


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
    """Like `summarize_batch`, but a row that ends its process gets an error.

    >>> import pyarrow as pa
    >>> batch = pa.RecordBatch.from_pydict({"id": [1], "text": ["Snow fell."]})
    >>> summarize_isolated(batch, CorpusSettings())["summary"].to_pylist()
    ['Snow fell.']
    """
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
