"""Tables in Parquet and CSV files, read batch by batch."""

from __future__ import annotations

import csv
import enum
import io
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from thatch.caching import cached_property
from thatch.errors import FileFormatError, InputError, MissingExtraError
from thatch.files.locations import Location

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Batch", "IdKind", "TableFiles", "require_pyarrow"]

_PARQUET = (".parquet", ".pq")
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_COMPRESSED = ".gz"
_ROWS_PER_BATCH = 2**20
_BYTES_PER_BLOCK = 2**24
# The start of a CSV file, which has its header and a few rows.
_HEAD_BYTES = 2**18
# How much smaller compressed tables are, roughly.
_COMPRESSION = 4
_TEXT_TYPES = ("string", "large_string", "string_view")
# A leading zero tells that an id is a text, such as a postal code.
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")


class IdKind(enum.Enum):
    """What the ids in a column are."""

    INTEGERS = "integers"
    TEXT = "text"


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


class _TableFile:
    """One file of a table."""

    def __init__(self, location: Location) -> None:
        self.location = location

    @property
    def names(self) -> Sequence[str]:
        raise NotImplementedError  # pragma: no cover

    def require_columns(self, columns: Sequence[str]) -> None:
        names = self.names
        for column in columns:
            if names.count(column) == 1:
                continue
            close = get_close_matches(column, names, n=1)
            known = ", ".join(map(repr, names))
            raise FileFormatError(
                self.location.address,
                f"it has {names.count(column) or 'no'} columns {column!r}."
                if names.count(column)
                else f"it has no column {column!r}.",
                hint=f"Did you mean {close[0]}?"
                if close and column not in names
                else f"The columns are {known}.",
            )


class _ParquetFile(_TableFile):
    @cached_property
    def _schema(self) -> Any:
        with self._opened() as parquet:
            return parquet.schema_arrow

    @property
    def names(self) -> Sequence[str]:
        return list(self._schema.names)

    def estimated_rows(self) -> int:
        with self._opened() as parquet:
            return int(parquet.metadata.num_rows)

    def kind_of(self, column: str) -> IdKind | None:
        types = require_pyarrow().types
        kind = self._schema.field(column).type
        if types.is_dictionary(kind):
            kind = kind.value_type
        if types.is_integer(kind):
            return IdKind.INTEGERS
        if str(kind) in _TEXT_TYPES:
            return IdKind.TEXT
        raise FileFormatError(
            self.location.address,
            f"column {column!r} has type {kind}; ids must be integers or text.",
            hint="Convert the column.",
        )

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[pa.Array, ...]]:
        with self._opened() as parquet:
            for batch in parquet.iter_batches(_ROWS_PER_BATCH, columns=list(columns)):
                yield tuple(batch.column(name) for name in columns)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        import pyarrow.parquet as pq

        with _reasons(self.location, "Parquet"), _stream(self.location) as stream:
            yield pq.ParquetFile(stream)


class _CsvFile(_TableFile):
    def __init__(self, location: Location, delimiter: str) -> None:
        super().__init__(location)
        self._delimiter = delimiter

    @cached_property
    def _head(self) -> bytes:
        with _reasons(self.location, "CSV"), self._opened() as stream:
            return bytes(stream.read(_HEAD_BYTES))

    @cached_property
    def _first_rows(self) -> list[list[str]]:
        """The header and the first row, as far as they exist."""
        text = self._head.decode("utf-8-sig", "replace")
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter)
        found: list[list[str]] = []
        for row in filter(None, rows):
            found.append(row)
            if len(found) == 2:
                break
        return found

    @property
    def names(self) -> Sequence[str]:
        if not self._first_rows:
            raise FileFormatError(
                self.location.address,
                "it is empty.",
                hint="The first row must have the names of the columns.",
            )
        return self._first_rows[0]

    def estimated_rows(self) -> int:
        num_lines = self._head.count(b"\n") + 1
        size = self.location.size
        if self.location.name.lower().endswith(_COMPRESSED):
            size *= _COMPRESSION
        return max(1, size * num_lines // max(1, len(self._head)))

    def kind_of(self, column: str) -> IdKind | None:
        if len(self._first_rows) < 2:
            return None
        row = dict(zip(*self._first_rows, strict=False))
        is_integer = _INTEGER.fullmatch(row.get(column, "")) is not None
        return IdKind.INTEGERS if is_integer else IdKind.TEXT

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[pa.Array, ...]]:
        from pyarrow import csv as arrow_csv

        if len(self._first_rows) < 2:
            return
        pa = require_pyarrow()

        ragged: list[Any] = []

        def on_ragged_row(row: Any) -> str:
            ragged.append(row)
            return "error"

        with _reasons(self.location, "CSV", ragged), self._opened() as stream:
            for batch in arrow_csv.open_csv(
                stream,
                arrow_csv.ReadOptions(block_size=_BYTES_PER_BLOCK, use_threads=False),
                arrow_csv.ParseOptions(
                    delimiter=self._delimiter, invalid_row_handler=on_ragged_row
                ),
                arrow_csv.ConvertOptions(
                    include_columns=list(columns),
                    column_types={name: pa.large_string() for name in columns},
                ),
            ):
                yield tuple(batch.columns)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        with _stream(self.location) as stream:
            if not self.location.name.lower().endswith(_COMPRESSED):
                yield stream
                return
            with require_pyarrow().CompressedInputStream(stream, "gzip") as content:
                yield content


def require_pyarrow() -> Any:
    """Import pyarrow, or raise an error that names the extra to install."""
    try:
        import pyarrow
    except ImportError as error:
        raise MissingExtraError(
            "Making shards from files", package="pyarrow", extra="corpus"
        ) from error
    return pyarrow


def _files_of(source: Location) -> list[_ParquetFile | _CsvFile]:
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


def _file_of(location: Location) -> _ParquetFile | _CsvFile | None:
    name = location.name.lower()
    if name.endswith(_PARQUET):
        return _ParquetFile(location)
    for suffix, delimiter in _DELIMITERS.items():
        if name.removesuffix(_COMPRESSED).endswith(suffix):
            return _CsvFile(location, delimiter)
    return None


@contextmanager
def _stream(location: Location) -> Iterator[Any]:
    pa = require_pyarrow()
    path = location.local_path
    if path is not None:
        with pa.OSFile(str(path)) as stream:
            yield stream
        return
    with location.opened() as opened:
        yield pa.PythonFile(opened, mode="r")


@contextmanager
def _reasons(
    location: Location, format: str, ragged: Sequence[Any] = ()
) -> Iterator[None]:
    """Name the file, and a ragged row if there is one, in errors of pyarrow."""
    pa = require_pyarrow()
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        if ragged and ragged[0].number is not None:
            # Arrow counts the header as well.
            raise FileFormatError(
                location.address,
                f"row {ragged[0].number - 1} has {ragged[0].actual_columns} cells; the "
                f"header has {ragged[0].expected_columns}.",
                hint="Quote cells that contain the separator.",
            ) from None
        reason = str(error).strip().splitlines()[0].rstrip(".")
        raise FileFormatError(
            location.address,
            f"invalid {format}: {reason}.",
            hint="Check that the file is complete, and that its suffix is right.",
        ) from error
