"""Ids and numbers in the columns of a table, checked; errors name file and row."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from thatch.arrays import Flags, Floats
from thatch.errors import FileFormatError
from thatch.sharding.table_files import Batch, TableFiles
from thatch.sharding.table_formats import TEXT_TYPES, IdKind, require_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["id_kind", "ids_in", "numbers_in"]

_POWERS = 10 ** np.arange(1, 19, dtype=np.int64)
# A text without leading zeros: its number is too large, or too small.
_INTEGER = re.compile(r"-?[1-9][0-9]*")
_MAX_ID = 2**63 - 1
_KEPT = "Remove the row, or correct it."


def id_kind(tables: Iterable[TableFiles], column: str) -> IdKind:
    """What the ids of a column are in all tables that have it: text if some are."""
    found = [
        each
        for table in tables
        if column in table.columns
        for each in table.kinds_of(column)
    ]
    is_text = any(kind is IdKind.TEXT for _, kind in found)
    return IdKind.TEXT if is_text else IdKind.INTEGERS


def ids_in(table: TableFiles, batch: Batch, column: str, kind: IdKind) -> pa.Array:
    """The ids of a batch: int64 and 0 or more, or text; none is missing."""
    pa = require_pyarrow()
    pc = _compute()
    values = _trimmed(batch.columns[table.columns.index(column)])
    is_text = not pa.types.is_integer(values.type)
    is_missing = values.is_null()
    if is_text:
        is_empty = pc.equal(pc.binary_length(values), 0).fill_null(True)
        is_missing = pc.or_(is_missing, is_empty)
    row = _first(_flags(is_missing))
    if row is not None:
        raise table.error(batch.first_row + row, f"has no {column}.", hint=_KEPT)
    if kind is IdKind.TEXT:
        if not is_text:
            raise table.error(
                batch.first_row,
                f"has {column} {values[0].as_py()}, an integer, but others are text; "
                "ids must be of one kind.",
                hint="Convert the column to text.",
            )
        return values
    return _integers(table, batch, column, values)


def numbers_in(table: TableFiles, batch: Batch, column: str) -> Floats:
    """The numbers of a batch: finite and not negative."""
    pa = require_pyarrow()
    values = _trimmed(batch.columns[table.columns.index(column)])
    row = _first(_flags(values.is_null()))
    if row is None:
        try:
            numbers = np.asarray(values.cast(pa.float64(), safe=False))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            row = _first_not(values, pa.float64())
    if row is not None:
        given = values[row].as_py()
        raise table.error(
            batch.first_row + row,
            f"has {column} {given!r}; a number was expected."
            if given
            else f"has no {column}.",
            hint=_KEPT,
        )
    row = _first(~(np.isfinite(numbers) & (numbers >= 0)))
    if row is not None:
        raise table.error(
            batch.first_row + row,
            f"has {column} {float(numbers[row])}; {column}s must be finite and "
            "non-negative.",
            hint=_KEPT,
        )
    return numbers


def _integers(
    table: TableFiles, batch: Batch, column: str, values: pa.Array
) -> pa.Array:
    pa = require_pyarrow()
    try:
        integers = values.cast(pa.int64())
    except pa.ArrowInvalid:
        place = _first_not(values, pa.int64())
        raise _not_an_integer(table, batch, column, values, place) from None
    if not pa.types.is_integer(values.type):
        # The text of an integer has as many characters as digits; 007 has not.
        array = np.asarray(integers)
        num_digits = 1 + np.searchsorted(_POWERS, np.abs(array), side="right")
        lengths = np.asarray(_compute().binary_length(values))
        row = _first(lengths != num_digits + (array < 0))
        if row is not None:
            raise _not_an_integer(table, batch, column, values, row)
    row = _first(np.asarray(integers) < 0)
    if row is not None:
        raise table.error(
            batch.first_row + row,
            f"has {column} {integers[row].as_py()}; integer ids must be 0 or more.",
            hint=_KEPT,
        )
    return integers


def _not_an_integer(
    table: TableFiles, batch: Batch, column: str, values: pa.Array, row: int
) -> FileFormatError:
    given = values[row].as_py()
    if _INTEGER.fullmatch(str(given)):
        return table.error(
            batch.first_row + row,
            f"has {column} {given}; integer ids must be from 0 to {_MAX_ID}.",
            hint="Number them anew, or make them text: put a letter before every id.",
        )
    return table.error(
        batch.first_row + row,
        f"has {column} {given!r}, which is not an integer, but the first id is.",
        hint="Correct it. Ids that look like integers, but are text, can be read from "
        "a Parquet file whose column is text.",
    )


def _trimmed(values: pa.Array) -> pa.Array:
    """Values without the spaces around them, if they are text."""
    pa = require_pyarrow()
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if str(values.type) not in TEXT_TYPES:
        return values
    return _compute().ascii_trim_whitespace(values.cast(pa.large_string()))


def _first_not(values: pa.Array, kind: Any) -> int:
    """The first value that cannot be converted, given that one cannot be."""
    pa = require_pyarrow()
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            values[low:middle].cast(kind)
            low = middle
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            high = middle
    return low


def _compute() -> Any:
    import pyarrow.compute

    return pyarrow.compute


def _flags(values: pa.Array) -> Flags:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _first(is_bad: Flags) -> int | None:
    return int(np.argmax(is_bad)) if is_bad.any() else None
