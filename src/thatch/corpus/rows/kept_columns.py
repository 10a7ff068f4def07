"""Other columns of the input that are copied to the result.

A column has one type in all chunks: that of the files, if they agree; else numbers
become 64-bit numbers, and everything else becomes strings.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from thatch.corpus.json_values import is_text, json_values, text_of_value
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
    return pa.string() if is_text(kind) else kind


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
        return pa.array(map(text_of_value, json_values(column)), kind)
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
        return pa.array(map(text_of_value, values), kind)
    if pa.types.is_floating(kind):
        numbers = (None if value is None else float(value) for value in values)
        return pa.array(numbers, kind)
    return pa.array(values, kind)


def _is_number(kind: pa.DataType) -> bool:
    types = require_pyarrow().types
    return bool(types.is_integer(kind) or types.is_floating(kind))
