"""The columns to read from a corpus, and the types of those copied to the result.

A kept column has one type in all chunks: that of the files, if they agree; else numbers
become 64-bit numbers, and everything else becomes strings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from thatch.corpus.corpus_settings import ERROR, LEFT_OUT, SOURCES
from thatch.corpus.json_values import json_values, text_of_value
from thatch.tables.arrow import is_text, pa


@dataclass(frozen=True)
class Columns:
    """The columns to read, and their types where the file format has none."""

    #: Column of row ids; None if they are not needed.
    id: str | None
    text: str
    #: Column of cluster ids, if rows are to be grouped.
    cluster: str | None = None
    #: Columns that are copied to the result.
    keep: tuple[str, ...] = ()
    #: Their types in the result, once they are known.
    kept_types: tuple[pa.DataType, ...] = ()
    #: Whether all ids are integers, in JSON lines and CSV.
    has_numbers: bool = False
    #: Whether texts are lists, in JSON lines and CSV.
    has_lists: bool = False
    #: Whether rows are clusters, which were grouped before.
    is_grouped: bool = False

    @property
    def names(self) -> list[str]:
        """Names of all columns to read."""
        keys = [name for name in (self.id, self.cluster) if name is not None]
        added = [ERROR, LEFT_OUT, SOURCES] if self.is_grouped else []
        # Ids first; the text may be kept, too.
        return list(dict.fromkeys([*keys, self.text, *added, *self.keep]))


def kept_name(name: str) -> str:
    """Name of a kept column in batches to summarize, where others have fixed names.

    >>> kept_name("author")
    'keep:author'
    """
    return f"keep:{name}"


def plain_type(kind: pa.DataType) -> pa.DataType:
    """The type in which values of a Parquet file are written.

    >>> plain_type(pa.dictionary(pa.int8(), pa.large_string()))
    DataType(string)
    """
    if pa.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    return pa.string() if is_text(kind) else kind


def type_of_value(value: Any) -> pa.DataType:
    """The type of a value of JSON or CSV.

    >>> type_of_value(1), type_of_value("1"), type_of_value([1])
    (DataType(int64), DataType(string), DataType(string))
    """
    if value is None:
        return pa.null()
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return pa.int64()
    return pa.float64() if isinstance(value, float) else pa.string()


def common_type(types: Iterable[pa.DataType]) -> pa.DataType:
    """A type for values of several types.

    >>> common_type([pa.int8(), pa.null(), pa.float64()])
    DataType(double)
    >>> common_type([pa.int64(), pa.string()])
    DataType(string)
    """
    found = {kind for kind in types if not pa.types.is_null(kind)}
    if len(found) == 1:
        return found.pop()
    # Together, 64-bit integers with and without a sign fit into strings alone.
    if not found or pa.uint64() in found or not all(map(_is_number, found)):
        return pa.string()
    is_whole = all(map(pa.types.is_integer, found))
    return pa.int64() if is_whole else pa.float64()


def as_type(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """The column with another type; every value can become a string."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string(kind):
        return pa.array(map(text_of_value, json_values(column)), kind)
    # Large integers are rounded if other values have fractions.
    return column if column.type == kind else column.cast(kind, safe=False)


def array_of(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Values of JSON or CSV in the type of their column.

    >>> array_of([2**60 + 1, None, "a"], pa.string()).to_pylist()
    ['1152921504606846977', None, 'a']
    """
    if pa.types.is_string(kind):
        return pa.array(map(text_of_value, values), kind)
    if pa.types.is_floating(kind):
        numbers = (None if value is None else float(value) for value in values)
        return pa.array(numbers, kind)
    return pa.array(values, kind)


def _is_number(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind))
