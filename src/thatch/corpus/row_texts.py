"""The texts of a batch: what can be read of each row, and what is wrong with the rest.

A row that has a list of texts is read as far as it goes: what cannot be read is left
out, and said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from thatch.corpus.corpus_settings import ERROR, LEFT_OUT, CorpusSettings
from thatch.errors import InputError, MissingExtraError
from thatch.text.documents.document import Document

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "RowTexts",
    "as_bytes",
    "require_columns",
    "require_pyarrow",
    "texts_of_rows",
    "with_errors",
]

# Texts that are left out of a row, of which its error tells some.
_MOST_TOLD = 3


@dataclass(frozen=True)
class RowTexts:
    """The texts of a row."""

    #: Those that cannot be read are empty, so that the others keep their numbers.
    documents: tuple[Document, ...] = ()
    #: What is wrong with the row, or with some of its texts.
    error: str | None = None
    #: Whether nothing can be made of the row.
    is_lost: bool = False


def texts_of_rows(
    batch: pa.RecordBatch, settings: CorpusSettings
) -> Iterator[RowTexts]:
    """What can be read of each row of a batch.

    >>> import pyarrow as pa
    >>> texts = [["Snow fell.", None], None]
    >>> batch = pa.RecordBatch.from_pydict({"id": [1, 2], "text": texts})
    >>> for row in texts_of_rows(batch, CorpusSettings()):
    ...     print(row.error)
    1 of 2 texts left out: text must not be null, got null in text 1.
    text must not be null, got null.
    """
    require_columns(batch, settings.text)
    texts = as_bytes(batch.column(settings.text), settings.text)
    rows = zip(texts, _told(batch, ERROR), _told(batch, LEFT_OUT), strict=True)
    for given, error, left_out in rows:
        if error is not None:
            yield RowTexts(error=error, is_lost=True)
        elif isinstance(given, list):
            yield _several(given, left_out or [], settings)
        else:
            yield _alone(given, settings)


def with_errors(batch: pa.RecordBatch, errors: Mapping[int, str]) -> pa.RecordBatch:
    """The batch with what is wrong with some of its rows.

    >>> import pyarrow as pa
    >>> batch = pa.RecordBatch.from_pydict({"id": [1, 2], "text": ["One.", "Two."]})
    >>> with_errors(batch, {1: "It is late."})["error"].to_pylist()
    [None, 'It is late.']
    """
    pa = require_pyarrow()
    told = [errors.get(row, known) for row, known in enumerate(_told(batch, ERROR))]
    others = [name for name in batch.schema.names if name != ERROR]
    return batch.select(others).append_column(ERROR, pa.array(told, type=pa.string()))


def require_columns(batch: pa.RecordBatch, *names: str) -> None:
    """Raise the error that names it if a column is not there."""
    for name in names:
        if name not in batch.schema.names:
            raise InputError(
                f"columns must include {name!r}, got {', '.join(batch.schema.names)}.",
                hint="Name the columns of the id and the text.",
            )


def require_pyarrow() -> Any:
    """Arrow for Python, or the error that names the extra it comes with."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError(
            "Summarizing a corpus", package="pyarrow", extra="corpus"
        ) from error
    return pyarrow


def _alone(text: bytes | None, settings: CorpusSettings) -> RowTexts:
    try:
        return RowTexts((_document(text, settings),))
    except InputError as problem:
        return RowTexts(error=problem.message, is_lost=True)


def _several(
    texts: list[bytes | None], left_out: list[str], settings: CorpusSettings
) -> RowTexts:
    documents = []
    problems = list(left_out)
    for k, text in enumerate(texts):
        try:
            documents.append(_document(text, settings, place=f" in text {k}"))
        except InputError as problem:
            problems.append(problem.message)
            documents.append(Document(""))
    size = sum(len(each.text.encode()) for each in documents)
    if size > settings.max_bytes:
        return RowTexts(error=_too_large(size, settings), is_lost=True)
    if not problems:
        return RowTexts(tuple(documents))
    more = f" And {len(problems) - _MOST_TOLD} more." * (len(problems) > _MOST_TOLD)
    told = " ".join(problems[:_MOST_TOLD])
    return RowTexts(
        tuple(documents),
        f"{len(problems)} of {len(texts)} texts left out: {told}{more}",
        is_lost=len(problems) == len(texts),
    )


def _document(
    text: bytes | None, settings: CorpusSettings, *, place: str = ""
) -> Document:
    if text is None:
        raise InputError(f"{settings.text} must not be null, got null{place}.")
    if len(text) > settings.max_bytes:
        raise InputError(_too_large(len(text), settings, place=place))
    try:
        return Document(text.decode())
    except UnicodeDecodeError as error:
        raise InputError(
            f"{settings.text} must be UTF-8, got the byte "
            f"{text[error.start]:#x} at {error.start}{place}."
        ) from None


def _too_large(size: int, settings: CorpusSettings, *, place: str = "") -> str:
    return (
        f"{settings.text} must have {settings.max_bytes:,} bytes or less, "
        f"got {size:,}{place}."
    )


def as_bytes(column: pa.Array, name: str) -> list[Any]:
    """Texts as bytes, since what calls itself text may not be UTF-8."""
    pa = require_pyarrow()
    types, kind = pa.types, column.type
    if types.is_dictionary(kind):
        words = as_bytes(column.dictionary, name)
        return [None if k is None else words[k] for k in column.indices.to_pylist()]
    if types.is_null(kind):
        return [None] * len(column)
    if types.is_list(kind) or types.is_large_list(kind):
        inner = as_bytes(column.flatten(), name)
        if any(isinstance(each, list) for each in inner):
            raise _no_texts(name, kind)
        rest, lengths = iter(inner), column.value_lengths().to_pylist()
        return [None if n is None else list(islice(rest, n)) for n in lengths]
    if types.is_string(kind) or types.is_large_string(kind):
        column = column.cast(pa.large_binary())
    elif types.is_string_view(kind):
        column = column.cast(pa.binary_view())
    elif not (types.is_binary(kind) or types.is_large_binary(kind)):
        raise _no_texts(name, kind)
    return list(column.to_pylist())


def _no_texts(name: str, kind: pa.DataType) -> InputError:
    return InputError(
        f"{name} must be texts or lists of texts, got {kind}.",
        hint="Name the column of the texts.",
    )


def _told(batch: pa.RecordBatch, name: str) -> list[Any]:
    """What a column that need not be there says of each row."""
    if name not in batch.schema.names:
        return [None] * batch.num_rows
    return list(batch.column(name).to_pylist())
