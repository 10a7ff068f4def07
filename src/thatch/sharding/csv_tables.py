"""Tables in CSV and TSV files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from thatch.caching import cached_property
from thatch.files.locations import Location
from thatch.sharding.table_formats import (
    IdKind,
    TableFile,
    arrow_stream,
    errors_of_pyarrow,
    require_pyarrow,
)

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CsvTable"]

_COMPRESSED = ".gz"
_BYTES_PER_BLOCK = 2**24
# The start of a file, which has its header and a few rows.
_HEAD_BYTES = 2**18
# How much smaller compressed tables are, roughly.
_COMPRESSION = 4
# A leading zero tells that an id is a text, such as a postal code.
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")


class CsvTable(TableFile):
    """A CSV or TSV file, which may be compressed with gzip."""

    def __init__(self, location: Location, delimiter: str) -> None:
        super().__init__(location)
        self._delimiter = delimiter

    @cached_property
    def _head(self) -> bytes:
        with errors_of_pyarrow(self, "CSV"), self._opened() as stream:
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
            raise self.error(
                "it is empty.", hint="The first row must have the names of the columns."
            )
        return self._first_rows[0]

    def estimated_rows(self) -> int:
        num_lines = self._head.count(b"\n") + 1
        size = self.location.size
        if self._is_compressed:
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

        with self._errors(ragged), self._opened() as stream:
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
    def _errors(self, ragged: Sequence[Any]) -> Iterator[None]:
        """Name the file, and a ragged row if there is one, in errors of pyarrow."""
        pa = require_pyarrow()
        with errors_of_pyarrow(self, "CSV"):
            try:
                yield
            except pa.ArrowInvalid:
                if not ragged or ragged[0].number is None:
                    raise
                # Arrow counts the header as well.
                raise self.error(
                    f"row {ragged[0].number - 1} has {ragged[0].actual_columns} cells; "
                    f"the header has {ragged[0].expected_columns}.",
                    hint="Quote cells that contain the separator.",
                ) from None

    @property
    def _is_compressed(self) -> bool:
        return self.location.name.lower().endswith(_COMPRESSED)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        with arrow_stream(self.location) as stream:
            if not self._is_compressed:
                yield stream
                return
            with require_pyarrow().CompressedInputStream(stream, "gzip") as content:
                yield content
