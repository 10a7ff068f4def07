"""Columns of large CSV and TSV files, which pyarrow reads.

It is six times faster than Python's csv module. But it names a row only if the number
of its cells is wrong, and accepts a quote that is never closed, so both are checked.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from thatch.errors import FileFormatError
from thatch.files.encodings import has_wide_mark
from thatch.files.locations import Location
from thatch.machine.caching import cached_property
from thatch.tables.arrow import arrow_stream, errors_of_arrow, first_not, pa, pc
from thatch.tables.columns import IdKind, missing_column
from thatch.tables.csv_rows import first_csv_rows

_COMPRESSED = ".gz"
_BYTES_PER_BLOCK = 2**24
# What pyarrow trims: ASCII only.
_SPACES = " \t\n\v\f\r"
_QUOTES_HINT = (
    "Close the quote; a quoted cell starts with a quote, and doubles each one inside."
)
_UTF_8_HINT = "Convert the file, for example: iconv -f {} -t utf-8 OLD.csv > NEW.csv"
# The cells of a row at the end of a file.
_END = b"\0"


class _WithEnd(io.RawIOBase):
    """A stream, and some bytes at its end."""

    def __init__(self, stream: Any, end: bytes) -> None:
        self._stream = stream
        self._end = end

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        content = b""
        # A row may span two blocks, not three: all but the last must be full.
        while num_missing := size - len(content):
            more = bytes(self._stream.read(num_missing))
            if not more:
                more, self._end = self._end[:num_missing], self._end[num_missing:]
            if not more:
                break
            content += more
        return content


class CsvTable:
    """A CSV or TSV file, which may be compressed with gzip."""

    def __init__(self, location: Location, delimiter: str) -> None:
        self.location = location
        self._delimiter = delimiter

    @cached_property
    def _head(self) -> bytes:
        """The start of the file, which has its header and a few rows."""
        with errors_of_arrow(self.location, "CSV"), self._opened() as stream:
            return bytes(stream.read(2**18))

    @cached_property
    def _first_rows(self) -> list[tuple[str, ...]]:
        """The header and the first row, as far as they exist."""
        if has_wide_mark(self._head):
            raise self._error(
                "it is not UTF-8 text: it has the byte order mark of UTF-16 or UTF-32.",
                hint=_UTF_8_HINT.format("utf-16"),
            )
        return first_csv_rows(self._head, 2, self._delimiter)

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        if not self._first_rows:
            raise self._error(
                "it is empty.", hint="The first row must have the names of the columns."
            )
        return [_printable(cell).strip(_SPACES) for cell in self._first_rows[0]]

    def missing(self, column: str) -> FileFormatError:
        """The error about a column that is not there, or there several times."""
        if column in self.names:
            return missing_column(self.location.address, column, self.names)
        header = "".join(self._first_rows[0])
        if "\0" in header:
            return self._error(
                "it is not UTF-8 text: the header has NUL bytes.",
                hint=_UTF_8_HINT.format("utf-16le"),
            )
        if header != _printable(header):
            return self._error(
                f"the header is not UTF-8 text, and has no column {column!r}.",
                hint=_UTF_8_HINT.format("latin1"),
            )
        if "\n" in header or "\r" in header:
            return self._error(
                f"the header has no column {column!r}, but a line break in quotes.",
                hint=_QUOTES_HINT,
            )
        return missing_column(self.location.address, column, self.names)

    def estimated_rows(self) -> int:
        """About how many rows there are."""
        num_lines = self._head.count(b"\n") + 1
        # Compressed tables are about four times smaller.
        size = self.location.size * (4 if self._is_compressed else 1)
        return max(1, size * num_lines // max(1, len(self._head)))

    def kind_of(self, column: str) -> IdKind | None:
        """What the ids of a column are; None if there are no rows."""
        if len(self._first_rows) < 2:
            return None
        row = dict(zip(self.names, self._first_rows[1], strict=False))
        first = row.get(column, "").strip(_SPACES)
        # An exponent without a sign may be part of a hexadecimal name.
        if re.fullmatch(
            r"-?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?|-?[0-9]+[eE][+-][0-9]+", first
        ):
            raise self._error(
                f"row 1 has {column} {first}, a number but not an integer; ids must be "
                "integers or text.",
                hint="Write integers, or put a letter before every id.",
            )
        # A leading zero tells that an id is a text, such as a postal code.
        is_integer = re.fullmatch(r"0|-?[1-9][0-9]*", first)
        return IdKind.INTEGERS if is_integer else IdKind.TEXT

    def batches(self, columns: Sequence[str]) -> Iterator[tuple[pa.Array, ...]]:
        """Some columns of all rows, in their order."""
        if len(self._first_rows) < 2:
            return
        # As they are in the file: with the spaces around them.
        names = [self._first_rows[0][self.names.index(name)] for name in columns]
        num_rows = 0
        has_end = False
        for block in self._blocks(names):
            has_end = block[0][-1].as_py() == _END
            cells = [each[:-1] for each in block] if has_end else block
            yield tuple(
                self._text(*each, num_rows) for each in zip(columns, cells, strict=True)
            )
            num_rows += len(cells[0])
        if not has_end:
            raise self._error(
                f"row {num_rows} has a quote that is not closed.", hint=_QUOTES_HINT
            )

    def _blocks(self, names: Sequence[str]) -> Iterator[Sequence[pa.Array]]:
        """The bytes in some columns, block by block, with one more row at the end.

        That row is missing if it is part of a cell whose quote is not closed.
        """
        from pyarrow import csv as arrow_csv

        ragged: list[Any] = []
        num_rows = 0

        def on_ragged_row(row: Any) -> str:
            ragged.append(row)
            return "error"

        delimiter = self._delimiter.encode()
        end = b"\n" + delimiter.join([_END] * len(self.names)) + b"\n"
        with errors_of_arrow(self.location, "CSV"), self._opened() as stream:
            try:
                for batch in arrow_csv.open_csv(
                    pa.PythonFile(_WithEnd(stream, end), mode="r"),
                    arrow_csv.ReadOptions(
                        block_size=_BYTES_PER_BLOCK, use_threads=False
                    ),
                    arrow_csv.ParseOptions(
                        delimiter=self._delimiter,
                        invalid_row_handler=on_ragged_row,
                        newlines_in_values=True,
                    ),
                    arrow_csv.ConvertOptions(
                        include_columns=list(names),
                        # Decoded later, when the row of an error is known.
                        column_types={name: pa.large_binary() for name in names},
                    ),
                ):
                    yield batch.columns
                    num_rows += len(batch)
            except pa.ArrowInvalid as error:
                # Without threads, the number of the row is always known.
                if ragged:
                    raise self._is_ragged(ragged[0]) from None
                if "straddling" in str(error):
                    raise self._error(
                        f"a row after row {num_rows} has a quote that is not closed, "
                        f"or more than {_BYTES_PER_BLOCK:,} bytes.",
                        hint=_QUOTES_HINT,
                    ) from None
                raise

    def _is_ragged(self, row: Any) -> FileFormatError:
        cells = "cell" if row.actual_columns == 1 else "cells"
        is_quoted = '"' in row.text
        return self._error(
            # Arrow counts the header as well.
            f"row {row.number - 1} has {row.actual_columns} {cells}; the header "
            f"has {row.expected_columns}.",
            hint=_QUOTES_HINT
            if is_quoted
            else "Quote cells that contain the separator.",
        )

    def _text(self, name: str, cells: pa.Array, num_rows: int) -> pa.Array:
        try:
            texts = cells.cast(pa.large_string())
        except pa.ArrowInvalid:
            k = first_not(cells, pa.large_string())
            shown = _shown(cells[k].as_py())
            raise self._error(
                f"row {num_rows + k + 1} has {name} {shown}, which is not UTF-8 text.",
                hint=_UTF_8_HINT.format("latin1"),
            ) from None
        content = np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)
        # Most columns have neither quotes nor line breaks, which is seen much faster.
        if ((content == ord('"')) | (content <= ord("\r"))).any():
            self._require_quotes(name, texts, num_rows)
        return texts

    def _require_quotes(self, name: str, texts: pa.Array, num_rows: int) -> None:
        """Require that no cell has a line break, or a space before its quote.

        A quote that is not closed makes one cell of many rows.
        """
        k = pc.index(pc.match_substring_regex(texts, r'^[ \t]+"|[\r\n]'), True).as_py()
        if k >= 0:
            text = texts[k].as_py()
            has_break = "\n" in text or "\r" in text
            raise self._error(
                f"row {num_rows + k + 1} has {name} {_shown(text)}, with a "
                f"{'line break' if has_break else 'space before the quote'}.",
                hint=_QUOTES_HINT,
            )

    def _error(self, message: str, *, hint: str) -> FileFormatError:
        return FileFormatError(self.location.address, message, hint=hint)

    @property
    def _is_compressed(self) -> bool:
        return self.location.name.lower().endswith(_COMPRESSED)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        with arrow_stream(self.location) as stream:
            if not self._is_compressed:
                yield stream
                return
            with pa.CompressedInputStream(stream, "gzip") as content:
                yield content


def _printable(text: str) -> str:
    """The text with question marks for the bytes that are not UTF-8."""
    return text.encode(errors="surrogateescape").decode(errors="replace")


def _shown(cell: str | bytes) -> str:
    most = 20
    return f"{cell[:most]!r}{'...' if len(cell) > most else ''}"
