"""The texts of a batch, and the errors of texts that cannot be read.

In a row with a list of texts, those that cannot be read are left out and named.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from thatch.corpus.corpus_settings import ERROR, LEFT_OUT, CorpusSettings
from thatch.errors import InputError
from thatch.tables.arrow import pa
from thatch.text.documents.document import Document


@dataclass(frozen=True)
class RowTexts:
    """The texts of one row."""

    #: Texts that cannot be read are empty, so that the others keep their indices.
    documents: tuple[Document, ...] = ()
    #: Error of the row, or of some of its texts.
    error: str | None = None
    #: Whether the row cannot be summarized at all.
    is_unusable: bool = False


def texts_of_rows(
    batch: pa.RecordBatch, settings: CorpusSettings
) -> Iterator[RowTexts]:
    """Texts of each row of a batch.

    >>> import pyarrow as pa
    >>> texts = [["Snow fell.", None], None]
    >>> batch = pa.RecordBatch.from_pydict({"id": [1, 2], "text": texts})
    >>> for row in texts_of_rows(batch, CorpusSettings()):
    ...     print(row.error)
    1 of 2 texts left out: text is null (text 1).
    text is null.
    """
    require_columns(batch, settings.text)
    texts = as_bytes(batch.column(settings.text), settings.text)
    rows = zip(
        texts,
        _optional_column(batch, ERROR),
        _optional_column(batch, LEFT_OUT),
        strict=True,
    )
    for texts_of_row, error, left_out in rows:
        if error is not None:
            yield RowTexts(error=error, is_unusable=True)
        elif isinstance(texts_of_row, list):
            yield _several(texts_of_row, left_out or [], settings)
        else:
            yield _single(texts_of_row, settings)


def with_errors(batch: pa.RecordBatch, errors: Mapping[int, str]) -> pa.RecordBatch:
    """The batch with errors of some rows.

    >>> import pyarrow as pa
    >>> batch = pa.RecordBatch.from_pydict({"id": [1, 2], "text": ["One.", "Two."]})
    >>> with_errors(batch, {1: "id is null."})["error"].to_pylist()
    [None, 'id is null.']
    """
    known = _optional_column(batch, ERROR)
    merged = [errors.get(row, error) for row, error in enumerate(known)]
    others = [name for name in batch.schema.names if name != ERROR]
    return batch.select(others).append_column(ERROR, pa.array(merged, type=pa.string()))


def require_columns(batch: pa.RecordBatch, *names: str) -> None:
    """Require that a batch has these columns."""
    for name in names:
        if name not in batch.schema.names:
            raise InputError(
                f"there is no column {name!r}; the columns are "
                f"{', '.join(batch.schema.names)}.",
                hint="Set id and text to the names of your columns.",
            )


def _single(text: bytes | None, settings: CorpusSettings) -> RowTexts:
    try:
        return RowTexts((_document(text, settings),))
    except InputError as problem:
        return RowTexts(error=problem.message, is_unusable=True)


def _several(
    texts: list[bytes | None], left_out: list[str], settings: CorpusSettings
) -> RowTexts:
    documents = []
    problems = list(left_out)
    for k, text in enumerate(texts):
        try:
            documents.append(_document(text, settings, place=f" (text {k})"))
        except InputError as problem:
            problems.append(problem.message)
            documents.append(Document(""))
    size = sum(len(each.text.encode()) for each in documents)
    if size > settings.max_bytes:
        return RowTexts(error=_too_large(size, settings), is_unusable=True)
    if not problems:
        return RowTexts(tuple(documents))
    most = 3
    more = f" And {len(problems) - most} more." * (len(problems) > most)
    shown = " ".join(problems[:most])
    return RowTexts(
        tuple(documents),
        f"{len(problems)} of {len(texts)} texts left out: {shown}{more}",
        is_unusable=len(problems) == len(texts),
    )


def _document(
    text: bytes | None, settings: CorpusSettings, *, place: str = ""
) -> Document:
    if text is None:
        raise InputError(f"{settings.text} is null{place}.")
    if len(text) > settings.max_bytes:
        raise InputError(_too_large(len(text), settings, place=place))
    try:
        return Document(text.decode())
    except UnicodeDecodeError as error:
        raise InputError(
            f"{settings.text} is not UTF-8: byte {text[error.start]:#04x} at offset "
            f"{error.start}{place}."
        ) from None


def _too_large(size: int, settings: CorpusSettings, *, place: str = "") -> str:
    return (
        f"{settings.text} has {size:,} bytes; at most {settings.max_bytes:,} are "
        f"allowed{place}."
    )


def as_bytes(column: pa.Array, name: str) -> list[Any]:
    """Texts as bytes, because strings of Arrow may be invalid UTF-8."""
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
        f"column {name} has type {kind}; expected strings or lists of strings.",
        hint="Set text to the name of the column with the texts.",
    )


def _optional_column(batch: pa.RecordBatch, name: str) -> list[Any]:
    """Values of a column, or None for each row if the batch does not have it."""
    if name not in batch.schema.names:
        return [None] * batch.num_rows
    return list(batch.column(name).to_pylist())
