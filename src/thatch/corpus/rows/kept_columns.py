"""Other columns of the input that are copied to the result.

A column has one type in all chunks: that of the files, if they agree; else numbers
become 64-bit numbers, and everything else becomes strings.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from thatch.corpus.row_texts import require_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "array_of",
    "as_type",
    "common_type",
    "kept_name",
    "plain_type",
    "type_of_value",
]

_PREFIX = "keep:"


def kept_name(name: str) -> str:
    """Name of a kept column in batches to summarize, where others have fixed names.

    >>> kept_name("author")
    'keep:author'
    """
    return f"{_PREFIX}{name}"


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type in which values of a Parquet file are written.

    >>> import pyarrow as pa
    >>> plain_type(pa.dictionary(pa.int8(), pa.large_string()))
    DataType(string)
    """
    pa = require_pyarrow()
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    return pa.string() if _is_text(kind) else kind


def type_of_value(value: Any) -> pa.DataType:
    """The type of a value of JSON or CSV.

    >>> type_of_value(1), type_of_value("1"), type_of_value([1])
    (DataType(int64), DataType(string), DataType(string))
    """
    pa = require_pyarrow()
    if value is None:
        return pa.null()
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return pa.int64()
    return pa.float64() if isinstance(value, float) else pa.string()


def common_type(types: Iterable[pa.DataType]) -> pa.DataType:
    """A type for values of several types.

    >>> import pyarrow as pa
    >>> common_type([pa.int8(), pa.null(), pa.float64()])
    DataType(double)
    >>> common_type([pa.int64(), pa.string()])
    DataType(string)
    """
    pa = require_pyarrow()
    found = {kind for kind in types if not pa.types.is_null(kind)}
    if len(found) == 1:
        return found.pop()
    # Together, 64-bit integers with and without a sign fit into strings alone.
    if not found or pa.uint64() in found or not all(map(_is_number, found)):
        return pa.string()
    is_whole = all(map(pa.types.is_integer, found))
    return pa.int64() if is_whole else pa.float64()


def as_type(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """The column with another type; every value can become a string.

    >>> import pyarrow as pa
    >>> as_type(pa.array([[1], None]), pa.string()).to_pylist()
    ['[1]', None]
    """
    pa = require_pyarrow()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string(kind):
        return pa.array(_texts(column), kind)
    # Large integers are rounded if other values have fractions.
    return column if column.type == kind else column.cast(kind, safe=False)


def array_of(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Values of JSON or CSV in the type of their column.

    >>> import pyarrow as pa
    >>> array_of([2**60 + 1, None, "a"], pa.string()).to_pylist()
    ['1152921504606846977', None, 'a']
    """
    pa = require_pyarrow()
    if pa.types.is_string(kind):
        return pa.array(map(_text, values), kind)
    if pa.types.is_floating(kind):
        numbers = (None if value is None else float(value) for value in values)
        return pa.array(numbers, kind)
    return pa.array(values, kind)


def _texts(column: pa.Array) -> list[str | None]:
    pa = require_pyarrow()
    if _is_text(column.type):
        # Strings of Arrow may be invalid UTF-8.
        column = column.cast(pa.large_binary())
    elif pa.types.is_temporal(column.type):
        column = column.cast(pa.string())
    return [_text(value) for value in column.to_pylist()]


def _text(value: Any) -> str | None:
    """A value as a string: as it is, or as JSON.

    >>> _text("snow"), _text({"a": 1}), _text(True)
    ('snow', '{"a": 1}', 'true')
    """
    if value is None:
        return None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    text = value if isinstance(value, str) else _json(value)
    # JSON may have unpaired surrogates, which UTF-8 has not.
    return text.encode("utf-8", "replace").decode()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _is_text(kind: pa.DataType) -> bool:
    types = require_pyarrow().types
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_string_view(kind)
    )


def _is_number(kind: pa.DataType) -> bool:
    types = require_pyarrow().types
    return bool(types.is_integer(kind) or types.is_floating(kind))
