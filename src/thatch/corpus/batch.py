"""One Arrow batch of documents in, one of summaries out: what every engine calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from thatch.corpus.corpus_settings import SCHEMA_FIELDS, CorpusSettings
from thatch.corpus.row_texts import (
    RowTexts,
    require_columns,
    require_pyarrow,
    texts_of_rows,
)
from thatch.errors import InputTypeError, ThatchError
from thatch.run.result import Result
from thatch.solving import solve_each
from thatch.text.summarizing import Summarizer
from thatch.text.summary import Summary
from thatch.text.task import SummaryTask

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["summarize_batch", "summary_schema"]


def summarize_batch(batch: pa.RecordBatch, settings: CorpusSettings) -> pa.RecordBatch:
    """Summaries of a batch of documents, a row each, in the same order.

    It depends on nothing but its arguments, and a row's answer on nothing but the row:
    however a corpus is cut into batches, the rows are the same. A row that cannot be
    summarized has null for a summary, and says why in its error; one of several texts,
    some of which cannot be read, has a summary of the others, and an error too.

    Parameters
    ----------
    batch
        An id column, and a text column of strings or lists of strings. If it has a
        column ``error``, rows where that is not null have it as their error, and no
        summary. If it has ``left_out``, lists of strings, it says what is wrong with
        texts of a list that are empty for that.
    settings
        Which columns these are, and how to summarize.

    >>> import pyarrow as pa
    >>> texts = ["Snow fell. Snow fell all day.", None]
    >>> batch = pa.RecordBatch.from_pydict({"id": [1, 2], "text": texts})
    >>> answer = summarize_batch(batch, CorpusSettings(budget=4))
    >>> answer["summary"].to_pylist(), answer["error"][1].as_py()
    (['Snow fell all day.', None], 'text must not be null, got null.')
    """
    pa = require_pyarrow()
    if not isinstance(batch, pa.RecordBatch):
        raise InputTypeError(
            f"batch must be a pyarrow.RecordBatch, got {type(batch).__name__}.",
            hint="Of a table, pass each of table.to_batches(); of a data frame, "
            "pyarrow.RecordBatch.from_pandas(frame).",
        )
    if not isinstance(settings, CorpusSettings):
        raise InputTypeError(
            f"settings must be CorpusSettings, got {type(settings).__name__}.",
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
    """Columns of what `summarize_batch` returns, for ids of a type."""
    pa = require_pyarrow()
    return pa.schema([(id_name, id_type), *_types().items()])


@dataclass(frozen=True)
class _Row:
    """An answer, or an error and nothing else."""

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
        """A row in error: other rows do not suffer from it, whatever it is."""
        if isinstance(problem, ThatchError):
            return cls(error=problem.message)
        return cls(
            error=f"a row must be summarized, got {type(problem).__name__}: {problem}"
        )

    @classmethod
    def of(cls, summary: Summary) -> _Row:
        passages = summary.task.passages.all
        chosen = summary.task.choosable[summary.result.selection.items].tolist()
        return cls(
            summary=summary.text,
            documents=[passages[p].document for p in chosen],
            positions=[passages[p].position for p in chosen],
            cost=float(summary.cost),
            value=summary.value,
            gap=summary.gap,
            status=summary.status.label,
        )


def _task(
    summarizer: Summarizer, texts: RowTexts, settings: CorpusSettings
) -> SummaryTask | _Row:
    """What is to be solved for a row, or what is wrong with it."""
    if texts.is_lost:
        return _Row(error=texts.error)
    try:
        return summarizer.task(texts.documents, settings.budget)
    except Exception as problem:
        return _Row.failed(problem)


def _answered(
    tried: list[SummaryTask | _Row], summarizer: Summarizer, settings: CorpusSettings
) -> list[_Row]:
    """Rows with their answers; the problems of a batch are solved in one go."""
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
    # One of them is at fault: alone, it is found, and the others are done.
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
    pa = require_pyarrow()
    known = {
        "string": pa.string(),
        "double": pa.float64(),
        "list<int32>": pa.list_(pa.int32()),
    }
    return {name: known[kind] for name, kind in SCHEMA_FIELDS.items()}
