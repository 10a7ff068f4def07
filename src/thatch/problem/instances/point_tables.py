"""Tables of points in CSV: their columns, and numbers with the lines of errors."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from thatch.arrays import Floats
from thatch.errors import FileFormatError
from thatch.tables.csv_rows import csv_rows, has_open_quote

#: Names of columns of coordinates by metric, in lower case.
AXES = {
    "haversine": (("longitude", "lon", "lng", "long"), ("latitude", "lat")),
    "euclidean": (("x", "easting"), ("y", "northing")),
}
_DELIMITERS = ",;\t|"


@dataclass(frozen=True, slots=True)
class PointTable:
    r"""Rows of a CSV file, with the lines that they end in.

    >>> table = PointTable.of("name,x,y\nAyr,1,2\n", "places.csv")
    >>> table.columns, table.texts("name")
    (('name', 'x', 'y'), ['Ayr'])
    """

    path: Path
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    #: Whether a comma may be a decimal point, as it does not separate columns.
    has_decimal_comma: bool

    @classmethod
    def of(cls, text: str, name: str) -> PointTable:
        """Read the text of a file; columns are separated as its first line shows.

        Parameters
        ----------
        text
            The text: a line of names, then one line per point.
        name
            Name of the file, for errors.

        Raises
        ------
        FileFormatError
            If there is no point, or a row has too many or too few columns.
        """
        path = Path(name)
        content = text.removeprefix("\ufeff")
        first = content.lstrip().partition("\n")[0]
        delimiter = max(_DELIMITERS, key=first.count)
        rows: list[tuple[str, ...]] = []
        lines: list[int] = []
        for row in csv_rows(io.StringIO(content, newline=""), delimiter):
            source = content[row.start : row.end]
            if has_open_quote(source, row.num_lines, delimiter):
                raise FileFormatError(
                    path,
                    "a quote is not closed.",
                    line=row.line - row.num_lines + 1,
                    hint="A quotation mark may be missing.",
                )
            cells = tuple(cell.strip() for cell in row.cells)
            if not any(cells):
                continue
            rows.append(cells)
            lines.append(row.line)
            if len(cells) != len(rows[0]):
                raise FileFormatError(
                    path,
                    f"there are {len(cells)} columns; the first line has "
                    f"{len(rows[0])}.",
                    line=row.line,
                    hint="Put names that contain the separator in quotes.",
                )
        if len(rows) < 2:
            raise FileFormatError(
                path,
                "there are no points; a line of column names and one line per point "
                "were expected.",
                hint="Save the table as CSV, with names such as name, longitude and "
                "latitude in the first line.",
            )
        has_decimal_comma = delimiter != ","
        return cls(path, rows[0], tuple(rows[1:]), tuple(lines[1:]), has_decimal_comma)

    def found(self, names: Collection[str]) -> str | None:
        """The first column that has one of the names, in any case."""
        by_name = {column.lower(): column for column in reversed(self.columns)}
        return next((by_name[name] for name in names if name in by_name), None)

    def texts(self, column: str) -> list[str]:
        """The cells of a column."""
        k = self.columns.index(column)
        return [row[k] for row in self.rows]

    def numbers(self, column: str, least: float = 0.0, most: float = np.inf) -> Floats:
        """The numbers of a column, all within a range."""
        values = np.empty(len(self.rows))
        for k, text in enumerate(self.texts(column)):
            value = self._number(text)
            if value is None:
                shown = f"{text!r:.40}" if text else "empty"
                raise self.error(
                    k, f"{column} is {shown}; a number was expected.", "Correct the row"
                )
            if not least <= value <= most:
                rule = (
                    f"between {least:g} and {most:g}"
                    if isfinite(most)
                    else f"at least {least:g}"
                )
                raise self.error(
                    k, f"{column} is {text}; it must be {rule}.", "Correct the row"
                )
            values[k] = value
        return values

    @property
    def number_columns(self) -> list[str]:
        """Columns of numbers of at least 0 other than coordinates."""
        axes = {name for pair in AXES.values() for names in pair for name in names}
        return [
            column
            for column in dict.fromkeys(self.columns)
            if column and column.lower() not in axes and self._has_amounts(column)
        ]

    def error(self, k: int, message: str, hint: str) -> FileFormatError:
        """Error in row k."""
        return FileFormatError(
            self.path, message, line=self.lines[k], hint=f"{hint}, or remove it."
        )

    def only(self, is_kept: Sequence[bool]) -> PointTable:
        """The table of some of the rows."""
        kept = [k for k, each in enumerate(is_kept) if each]
        return PointTable(
            self.path,
            self.columns,
            tuple(self.rows[k] for k in kept),
            tuple(self.lines[k] for k in kept),
            self.has_decimal_comma,
        )

    def _has_amounts(self, column: str) -> bool:
        values = map(self._number, self.texts(column))
        return all(value is not None and value >= 0 for value in values)

    def _number(self, text: str) -> float | None:
        if self.has_decimal_comma and "." not in text:
            text = text.replace(",", ".")
        try:
            value = float(text)
        except ValueError:
            return None
        return value if isfinite(value) else None
