"""Tables in Parquet and CSV files, read batch by batch."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thatch.errors import FileFormatError, InputError
from thatch.files.locations import Location
from thatch.sharding.csv_tables import CsvTable
from thatch.sharding.parquet_tables import ParquetTable
from thatch.sharding.table_formats import IdKind, TableFile, require_pyarrow

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Batch", "TableFiles"]

_PARQUET = (".parquet", ".pq")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_COMPRESSED = ".gz"


@dataclass(frozen=True)
class Batch:
    """Some consecutive rows of a table."""

    #: One pyarrow array per column.
    columns: tuple[pa.Array, ...]
    #: Number of its first row, counted from 0 over all files.
    first_row: int


class TableFiles:
    """A table in a file, or in all files of a folder.

    Parameters
    ----------
    address
        A Parquet, CSV or TSV file, or a folder of them, at a path or an address. CSV
        and TSV files may be compressed with gzip.
    columns
        Names of the columns to read.
    """

    def __init__(self, address: str | os.PathLike[str], columns: Sequence[str]) -> None:
        require_pyarrow()
        self.source = Location.of(address)
        self.columns = tuple(columns)
        if len(set(self.columns)) < len(self.columns):
            raise InputError(
                f"the columns of {self.source.address} are {', '.join(columns)}; they "
                "must differ.",
                hint="Name one column for each.",
            )
        self._files = _files_of(self.source)
        self._starts: list[int] = []
        for file in self._files:
            file.require_columns(self.columns)

    def estimated_rows(self) -> int:
        """How many rows there are; exact for Parquet."""
        return sum(file.estimated_rows() for file in self._files)

    def kinds_of(self, column: str) -> Iterator[tuple[str, IdKind]]:
        """What the ids of a column are in each file that has rows."""
        for file in self._files:
            kind = file.kind_of(column)
            if kind is not None:
                yield file.location.address, kind

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
        k = bisect_right(self._starts, row) - 1
        return FileFormatError(
            self._files[k].location.address,
            f"row {row - self._starts[k] + 1} {message}",
            hint=hint,
        )

    def place(self, row: int) -> str:
        """The row for an error: its number, and its file if there are several."""
        k = bisect_right(self._starts, row) - 1
        name = f"row {row - self._starts[k] + 1}"
        if len(self._files) == 1:
            return name
        return f"{name} of {self._files[k].location.address}"


def _files_of(source: Location) -> list[TableFile]:
    if not source.exists:
        raise InputError(
            f"{source.address} does not exist.",
            hint="Pass an existing file or folder.",
        )
    is_folder = source.is_folder
    locations = source.files() if is_folder else [source]
    if is_folder:
        hidden = (".", "_")
        locations = [each for each in locations if not each.name.startswith(hidden)]
    found = [file for file in map(_file_of, locations) if file is not None]
    if not found:
        suffixes = ", ".join([*_PARQUET, *_DELIMITERS])
        raise InputError(
            f"{source.address} contains no table."
            if is_folder
            else f"{source.address} has an unknown format.",
            hint=f"Files must end in {suffixes}.",
        )
    return found


def _file_of(location: Location) -> TableFile | None:
    name = location.name.lower()
    if name.endswith(_PARQUET):
        return ParquetTable(location)
    for suffix, delimiter in _DELIMITERS.items():
        if name.removesuffix(_COMPRESSED).endswith(suffix):
            return CsvTable(location, delimiter)
    return None
