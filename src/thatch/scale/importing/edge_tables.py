"""The tables of a problem: edges, costs and weights, with ids and numbers checked.

Errors name the file and the row.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from thatch.arrays import Flags, Floats
from thatch.errors import FileFormatError, InputError
from thatch.files.locations import Location
from thatch.machine.caching import cached_property
from thatch.tables.arrow import first_not, is_text, pa, pc
from thatch.tables.columns import IdKind
from thatch.tables.table_files import Batch, TableFiles

#: Names of the columns of costs and of weights.
COST, WEIGHT = "cost", "weight"

_KEPT = "Remove the row, or correct it."

Address = str | os.PathLike[str]


@dataclass(frozen=True)
class EdgeTables:
    """The tables, and the names of their columns of ids."""

    edges: TableFiles
    costs: TableFiles | None
    weights: TableFiles | None
    item: str
    element: str

    @classmethod
    def at(
        cls,
        edges: Address,
        costs: Address | None,
        weights: Address | None,
        *,
        item: str,
        element: str,
    ) -> EdgeTables:
        """The tables at some addresses, which must have their columns."""
        return cls(
            TableFiles(edges, [item, element]),
            None if costs is None else TableFiles(costs, [item, COST]),
            None if weights is None else TableFiles(weights, [element, WEIGHT]),
            item,
            element,
        )

    @cached_property
    def item_kind(self) -> IdKind:
        """What the ids of items are."""
        return _id_kind(self._given, self.item)

    @cached_property
    def element_kind(self) -> IdKind:
        """What the ids of elements are."""
        return _id_kind(self._given, self.element)

    @property
    def estimated_rows(self) -> int:
        """About how many rows the longer of the tables that are divided has."""
        divided = [self.edges, *([] if self.weights is None else [self.weights])]
        return max(table.estimated_rows() for table in divided)

    def require_outside(self, target: Location) -> None:
        """Require that the output is apart from the input."""
        for table in self._given:
            source = table.source
            if source == target or target.contains(source) or source.contains(target):
                raise InputError(
                    f"the output {target.address} and the input {source.address} "
                    "overlap.",
                    hint="Choose another folder for the output.",
                )

    @property
    def _given(self) -> list[TableFiles]:
        tables = (self.edges, self.costs, self.weights)
        return [table for table in tables if table is not None]


def _id_kind(tables: Iterable[TableFiles], column: str) -> IdKind:
    """What the ids of a column are in all tables that have it: text if some are."""
    found = {
        kind
        for table in tables
        if column in table.columns
        for kind in table.kinds_of(column)
    }
    return IdKind.TEXT if IdKind.TEXT in found else IdKind.INTEGERS


def ids_in(table: TableFiles, batch: Batch, column: str, kind: IdKind) -> pa.Array:
    """The ids of a batch: int64 and 0 or more, or text; none is missing."""
    values = _trimmed(batch.columns[table.columns.index(column)])
    has_text = not pa.types.is_integer(values.type)
    is_missing = values.is_null()
    if has_text:
        is_empty = pc.equal(pc.binary_length(values), 0).fill_null(True)
        is_missing = pc.or_(is_missing, is_empty)
    row = _first(_flags(is_missing))
    if row is not None:
        raise table.error(batch.first_row + row, f"has no {column}.", hint=_KEPT)
    if kind is IdKind.TEXT:
        if not has_text:
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
    values = _trimmed(batch.columns[table.columns.index(column)])
    row = _first(_flags(values.is_null()))
    if row is None:
        try:
            numbers = np.asarray(values.cast(pa.float64(), safe=False))
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            row = first_not(values, pa.float64())
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
    try:
        integers = values.cast(pa.int64())
    except pa.ArrowInvalid:
        place = first_not(values, pa.int64())
        raise _not_an_integer(table, batch, column, values, place) from None
    if not pa.types.is_integer(values.type):
        # 007 and -0 are not the texts of integers.
        texts = integers.cast(pa.large_string())
        row = _first(_flags(pc.not_equal(texts, values)))
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
    # A text without leading zeros: its number is too large, or too small.
    if re.fullmatch(r"-?[1-9][0-9]*", str(given)):
        return table.error(
            batch.first_row + row,
            f"has {column} {given}; integer ids must be from 0 to {2**63 - 1}.",
            hint="Renumber them, or make them text: put a letter before every id.",
        )
    return table.error(
        batch.first_row + row,
        f"has {column} {given!r}, which is not an integer, but the first id is.",
        hint="Correct it. Ids that look like integers, but are text, can be read from "
        "a Parquet file whose column is text.",
    )


def _trimmed(values: pa.Array) -> pa.Array:
    """Values without the spaces around them, if they are text."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if not is_text(values.type):
        return values
    return pc.ascii_trim_whitespace(values.cast(pa.large_string()))


def _flags(values: pa.Array) -> Flags:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.bool_)


def _first(is_bad: Flags) -> int | None:
    return int(np.argmax(is_bad)) if is_bad.any() else None
