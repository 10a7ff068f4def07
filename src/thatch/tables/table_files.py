"""Tables in Parquet, CSV and TSV files and in folders of them, read batch by batch."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from thatch.errors import FileFormatError, InputError
from thatch.files.locations import Location, inputs_of
from thatch.machine.caching import cached_property
from thatch.tables.arrow import is_text, opened_parquet, pa
from thatch.tables.columns import IdKind, missing_column
from thatch.tables.csv_tables import CsvTable

_ROWS_PER_BATCH = 2**20
_PARQUET = (".parquet", ".pq")
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}


@dataclass(frozen=True)
class Batch:
    """Some consecutive rows of a table."""

    #: One pyarrow array per column.
    columns: tuple[pa.Array, ...]
    #: Number of its first row, counted from 0 over all files.
    first_row: int


class TableFiles:
    """A table in a file, or in all files of a folder.

    Files are Parquet, CSV or TSV; CSV and TSV may be compressed with gzip.
    """

    def __init__(self, address: str | os.PathLike[str], columns: Sequence[str]) -> None:
        self.source = Location.of(address)
        self.columns = tuple(columns)
        if len(set(self.columns)) < len(self.columns):
            raise InputError(
                f"the columns of {self.source.address} are {', '.join(columns)}; they "
                "must differ.",
                hint="Name a different column for each.",
            )
        suffixes = (*_PARQUET, *_DELIMITERS)
        self._files = [_table_in(file) for file in inputs_of(self.source, suffixes)]
        self._starts: list[int] = []
        for file in self._files:
            for column in columns:
                if file.names.count(column) != 1:
                    raise file.missing(column)

    def estimated_rows(self) -> int:
        """How many rows there are; exact for Parquet."""
        return sum(file.estimated_rows() for file in self._files)

    def kinds_of(self, column: str) -> set[IdKind]:
        """What the ids of a column are in the files that have rows."""
        kinds = {file.kind_of(column) for file in self._files}
        return {kind for kind in kinds if kind is not None}

    def batches(self) -> Iterator[Batch]:
        """All rows, in their order."""
        first_row = 0
        self._starts.clear()
        for file in self._files:
            self._starts.append(first_row)
            for columns in file.batches(self.columns):
                yield Batch(columns, first_row)
                first_row += len(columns[0])

    def error(self, row: int, message: str, *, hint: str) -> FileFormatError:
        """The error about a row, which names its file; rows count from 1 there."""
        address, name = self._place(row)
        return FileFormatError(address, f"{name} {message}", hint=hint)

    def place(self, row: int) -> str:
        """The row for an error: its number, and its file if there are several."""
        address, name = self._place(row)
        return name if len(self._files) == 1 else f"{name} of {address}"

    def _place(self, row: int) -> tuple[str, str]:
        k = bisect_right(self._starts, row) - 1
        return self._files[k].location.address, f"row {row - self._starts[k] + 1}"


def _table_in(file: Location) -> CsvTable | _ParquetTable:
    name = file.name.lower()
    for suffix, delimiter in _DELIMITERS.items():
        if name.endswith(suffix):
            return CsvTable(file, delimiter)
    return _ParquetTable(file)


class _ParquetTable:
    """A Parquet file, with the methods of `CsvTable`."""

    def __init__(self, location: Location) -> None:
        self.location = location

    @cached_property
    def _schema(self) -> Any:
        with opened_parquet(self.location) as parquet:
            return parquet.schema_arrow

    @property
    def names(self) -> list[str]:
        return list(self._schema.names)

    def missing(self, column: str) -> FileFormatError:
        return missing_column(self.location.address, column, self.names)

    def estimated_rows(self) -> int:
        with opened_parquet(self.location) as parquet:
            return int(parquet.metadata.num_rows)

    def kind_of(self, column: str) -> IdKind:
        kind = self._schema.field(column).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_integer(kind):
            return IdKind.INTEGERS
        if is_text(kind):
            return IdKind.TEXT
        raise FileFormatError(
            self.location.address,
            f"column {column!r} has type {kind}; ids must be integers or text.",
            hint="Convert the column.",
        )

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[pa.Array, ...]]:
        with opened_parquet(self.location) as parquet:
            for batch in parquet.iter_batches(_ROWS_PER_BATCH, columns=list(columns)):
                yield tuple(batch.column(name) for name in columns)
