"""One Arrow batch of documents in, one of summaries out: what every engine calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.corpus.settings import CorpusSettings
from thatch.errors import InputError, MissingExtraError, ThatchError
from thatch.result import Result
from thatch.solving import solve_each
from thatch.text.document import Document
from thatch.text.summarizing import Summarizer
from thatch.text.summary import Summary
from thatch.text.task import Task

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "ERROR",
    "SCHEMA_FIELDS",
    "document_texts",
    "require_pyarrow",
    "summarize_batch",
    "summary_schema",
]

#: Column of an input that says what is already wrong with a row.
ERROR = "error"
#: Columns of the answer after the id, and the names of their Arrow types.
SCHEMA_FIELDS = {
    "summary": "string",
    #: Number of the text in the row's list, and of the sentence in that text, from 0.
    "documents": "list<int32>",
    "positions": "list<int32>",
    "cost": "double",
    "value": "double",
    "gap": "double",
    "status": "string",
    "error": "string",
}


def summarize_batch(batch: pa.RecordBatch, settings: CorpusSettings) -> pa.RecordBatch:
    """Summaries of a batch of documents, a row each, in the same order.

    It depends on nothing but its arguments, and a row's answer on nothing but the row:
    however a corpus is cut into batches, the rows are the same. A row that cannot be
    summarized has null for a summary, and says why in its error.

    Parameters
    ----------
    batch
        An id column, and a text column of strings or lists of strings. If it has a
        column ``error``, rows where that is not null are passed through.
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
    _require_columns(batch, settings)
    ids = batch.column(settings.id)
    texts = _as_bytes(batch.column(settings.text), settings.text)
    summarizer = settings.summary.summarizer(settings.background)
    tried = [
        _task(summarizer, given, error, settings)
        for given, error in zip(texts, _errors(batch), strict=True)
    ]
    rows = _answered(tried, summarizer, settings)
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


def document_texts(batch: pa.RecordBatch, settings: CorpusSettings) -> Iterator[str]:
    """Every text of a batch that can be read, one after the other."""
    _require_columns(batch, settings)
    for given in _as_bytes(batch.column(settings.text), settings.text):
        with suppress(InputError):
            yield from [each.text for each in _documents(given, settings)]


def require_pyarrow() -> Any:
    """Arrow for Python, or the error that names the extra it comes with."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError(
            "Summarizing a corpus", package="pyarrow", extra="corpus"
        ) from error
    return pyarrow


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
    summarizer: Summarizer,
    texts: bytes | list[bytes | None] | None,
    error: str | None,
    settings: CorpusSettings,
) -> Task | _Row:
    """What is to be solved for a row, or what is wrong with it."""
    if error is not None:
        return _Row(error=error)
    try:
        return summarizer.task(list(_documents(texts, settings)), settings.budget)
    except ThatchError as problem:
        return _Row(error=problem.message)


def _answered(
    tried: list[Task | _Row], summarizer: Summarizer, settings: CorpusSettings
) -> list[_Row]:
    """Rows with their answers; the problems of a batch are solved in one go."""
    tasks = [each for each in tried if isinstance(each, Task)]
    problems = [task.problem for task in tasks]
    results = iter(solve_each(problems, summarizer.solver, seed=settings.seed))
    return [
        each
        if isinstance(each, _Row)
        else _row(summarizer, each, next(results), settings)
        for each in tried
    ]


def _row(
    summarizer: Summarizer, task: Task, result: Result, settings: CorpusSettings
) -> _Row:
    try:
        summary = summarizer.summary_from(task, result, seed=settings.seed)
    except ThatchError as problem:
        return _Row(error=problem.message)
    if summary.warning:
        return _Row(error=summary.warning)
    return _Row.of(summary)


def _documents(
    texts: bytes | list[bytes | None] | None, settings: CorpusSettings
) -> Iterator[Document]:
    if texts is None:
        raise InputError(f"{settings.text} must not be null, got null.")
    several = texts if isinstance(texts, list) else [texts]
    size = sum(len(text) for text in several if text is not None)
    if size > settings.max_bytes:
        raise InputError(
            f"{settings.text} must have {settings.max_bytes:,} bytes or less, "
            f"got {size:,}."
        )
    for k, text in enumerate(several):
        place = f" at text {k}" if isinstance(texts, list) else ""
        if text is None:
            raise InputError(f"{settings.text} must not be null, got null{place}.")
        try:
            yield Document(text.decode())
        except UnicodeDecodeError as error:
            raise InputError(
                f"{settings.text} must be UTF-8, got the byte "
                f"{text[error.start]:#x} at {error.start}{place}."
            ) from None


def _require_columns(batch: pa.RecordBatch, settings: CorpusSettings) -> None:
    for name in (settings.id, settings.text):
        if name not in batch.schema.names:
            raise InputError(
                f"columns must include {name!r}, got {', '.join(batch.schema.names)}.",
                hint="Name the columns of the id and the text.",
            )


def _as_bytes(column: pa.Array, name: str) -> list[Any]:
    """Texts as bytes, since what calls itself text may not be UTF-8."""
    pa = require_pyarrow()
    types, kind = pa.types, column.type
    is_list = types.is_list(kind) or types.is_large_list(kind)
    inner = kind.value_type if is_list else kind
    if types.is_null(inner):
        return list(column.to_pylist())
    is_text = types.is_string(inner) or types.is_large_string(inner)
    is_binary = types.is_binary(inner) or types.is_large_binary(inner)
    if types.is_dictionary(inner) or types.is_string_view(inner):
        return _as_bytes(column.cast(pa.large_string()), name)
    if not (is_text or is_binary):
        raise InputError(
            f"{name} must be texts or lists of texts, got {kind}.",
            hint="Name the column of the texts.",
        )
    binary = pa.large_binary() if types.is_large_string(inner) else pa.binary()
    if is_list:
        binary = pa.large_list(binary)
    return list((column.cast(binary) if is_text else column).to_pylist())


def _errors(batch: pa.RecordBatch) -> list[str | None]:
    if ERROR not in batch.schema.names:
        return [None] * batch.num_rows
    return list(batch.column(ERROR).to_pylist())


def _types() -> dict[str, pa.DataType]:
    pa = require_pyarrow()
    known = {
        "string": pa.string(),
        "double": pa.float64(),
        "list<int32>": pa.list_(pa.int32()),
    }
    return {name: known[kind] for name, kind in SCHEMA_FIELDS.items()}
