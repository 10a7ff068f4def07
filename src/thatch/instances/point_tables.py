"""Sites and demand points in CSV files, which become a problem."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np

from thatch.arrays import Floats
from thatch.errors import FileFormatError, InputError
from thatch.instances.point_settings import PointSettings
from thatch.options import alternatives, require_choices
from thatch.problem.coverage_problem import CoverageProblem

__all__ = [
    "PointTable",
    "cost_column",
    "problem_from_tables",
    "sites_and_demand",
    "weight_column",
]

# Names of columns in lower case; those to the left are preferred.
_NAMES = ("name", "label", "site", "place", "city", "town", "address", "id")
_COSTS = ("cost", "costs", "price", "rent", "fee")
_WEIGHTS = (
    *(
        "weight",
        "weights",
        "demand",
        "population",
        "residents",
        "people",
        "inhabitants",
    ),
    *("households", "customers", "clients", "patients"),
)
_AXES = {
    "haversine": (("longitude", "lon", "lng", "long"), ("latitude", "lat")),
    "euclidean": (("x", "easting"), ("y", "northing")),
}
_RANGES = {
    "haversine": {"longitude": (-180.0, 360.0), "latitude": (-90.0, 90.0)},
    "euclidean": {"x": (-np.inf, np.inf), "y": (-np.inf, np.inf)},
}
_KINDS = ("kind", "role", "type")
_SITES = ("site", "sites", "candidate", "candidates", "facility", "facilities")
_DEMAND = ("demand", "client", "clients", "customer", "customers")
_BOTH = ("both",)
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
        numbered = list(_rows(content, delimiter, path))
        if len(numbered) < 2:
            raise FileFormatError(
                path,
                "there are no points; a line of column names and one line per point "
                "were expected.",
                hint="Save the table as CSV, with names such as name, longitude and "
                "latitude in the first line.",
            )
        (_, header), *points = numbered
        for line, row in points:
            if len(row) != len(header):
                raise FileFormatError(
                    path,
                    f"there are {len(row)} columns; the first line has {len(header)}.",
                    line=line,
                    hint="Put names that contain the separator in quotes.",
                )
        return cls(
            path,
            header,
            tuple(row for _, row in points),
            tuple(line for line, _ in points),
            delimiter != ",",
        )

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
        axes = {name for pair in _AXES.values() for names in pair for name in names}
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


def problem_from_tables(
    sites: PointTable, demand: PointTable, settings: PointSettings | None = None
) -> CoverageProblem:
    r"""Problem of tables of points: a site covers the points within its reach.

    Parameters
    ----------
    sites
        Candidate sites: coordinates, and names and costs if there are any.
    demand
        Demand points: coordinates, and names and weights if there are any. It may be
        the table of the sites.
    settings
        Reach and columns. Default: those of `PointSettings`.

    Raises
    ------
    FileFormatError
        If a column is missing, or a number is missing or out of range.

    Returns
    -------
    CoverageProblem
        With a budget of 0, and with locations.

    >>> places = PointTable.of("name,x,y,people\nAyr,0,0,5\nBly,3,4,7\n", "places.csv")
    >>> problem_from_tables(places, places, PointSettings(radius=5)).weights
    array([5., 7.])
    """
    chosen = PointSettings() if settings is None else settings
    require_choices(chosen)
    metric = chosen.metric or _common_metric(sites, demand)
    return CoverageProblem.from_points(
        _coordinates(sites, metric),
        _coordinates(demand, metric),
        metric=metric,
        radius=chosen.radius,
        budget=0.0,
        costs=_amounts(sites, cost_column(sites, chosen)),
        weights=_amounts(demand, weight_column(demand, chosen)),
        item_names=_names(sites),
        element_names=_names(demand),
    )


def cost_column(sites: PointTable, settings: PointSettings) -> str:
    """The column of costs, or "" if there is none."""
    return _amount_column(sites, "cost_column", settings.cost_column, _COSTS)


def weight_column(demand: PointTable, settings: PointSettings) -> str:
    """The column of weights, or "" if there is none."""
    return _amount_column(demand, "weight_column", settings.weight_column, _WEIGHTS)


def _amounts(table: PointTable, column: str) -> Floats | None:
    return table.numbers(column) if column else None


def _rows(
    text: str, delimiter: str, path: Path
) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Rows that are not blank, each with the number of its last line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            cells = tuple(cell.strip() for cell in row)
            if any(cells):
                yield reader.line_num, cells
    except csv.Error as error:
        raise FileFormatError(
            path,
            f"invalid CSV: {error}.",
            line=reader.line_num,
            hint="A quotation mark may be missing.",
        ) from error


def _amount_column(
    table: PointTable, option: str, wanted: str | None, usual: Sequence[str]
) -> str:
    if wanted is None:
        return table.found(usual) or ""
    if wanted and wanted not in table.columns:
        raise InputError(
            f"{option} is {wanted!r:.60}, which {table.path} does not have.",
            hint=f"Its columns are {', '.join(table.columns[:10])}.",
        )
    return wanted


def sites_and_demand(table: PointTable) -> tuple[PointTable, PointTable]:
    r"""Sites and demand points of one table.

    A column ``kind`` tells ``site``, ``demand`` and ``both`` apart; without it, every
    point is demand and a candidate site.

    >>> text = "kind,x,y\nsite,0,0\ndemand,1,1\nboth,2,2\n"
    >>> [len(each.rows) for each in sites_and_demand(PointTable.of(text, "a.csv"))]
    [2, 2]
    """
    column = table.found(_KINDS)
    if column is None:
        return table, table
    kinds = [kind.lower() for kind in table.texts(column)]
    known = {*_SITES, *_DEMAND, *_BOTH}
    if not known.intersection(kinds):
        return table, table  # types of places, for example
    for k, kind in enumerate(kinds):
        if kind not in known:
            words = (_SITES[0], _DEMAND[0], _BOTH[0])
            shown = repr(kind) if kind else "empty"
            message = f"{column} is {shown:.40}; it must be {alternatives(words)}."
            raise table.error(k, message, "Correct the row")
    is_demand = [kind in (*_DEMAND, *_BOTH) for kind in kinds]
    is_site = [kind not in _DEMAND for kind in kinds]
    for word, flags in ((_SITES[0], is_site), (_DEMAND[0], is_demand)):
        if not any(flags):
            raise FileFormatError(
                table.path,
                f"no row has the {column} {word!r}.",
                hint=f"Add some, or remove the column {column}: every point is then "
                "demand and a candidate site.",
            )
    return table.only(is_site), table.only(is_demand)


def _common_metric(sites: PointTable, demand: PointTable) -> str:
    """The metric for which both tables have columns."""

    def complete(table: PointTable) -> list[str]:
        return [
            metric
            for metric, axes in _AXES.items()
            if all(table.found(names) is not None for names in axes)
        ]

    for table in (sites, demand):
        if not complete(table):
            raise _no_coordinates(table, "longitude and latitude, or x and y")
    common = [metric for metric in complete(sites) if metric in complete(demand)]
    if not common:
        raise InputError(
            f"{sites.path} and {demand.path} have different kinds of coordinates.",
            hint="Use longitude and latitude in both, or x and y.",
        )
    return common[0]


def _coordinates(table: PointTable, metric: str) -> Floats:
    columns: list[Floats] = []
    for names, (axis, (least, most)) in zip(
        _AXES[metric], _RANGES[metric].items(), strict=True
    ):
        column = table.found(names)
        if column is None:
            raise _no_coordinates(table, axis)
        columns.append(table.numbers(column, least, most))
    return np.column_stack(columns)


def _no_coordinates(table: PointTable, needed: str) -> FileFormatError:
    listed = ", ".join(table.columns[:10])
    return FileFormatError(
        table.path,
        f"there is no column for {needed}; the columns are {listed:.200}.",
        hint="Rename the columns in the first line of the file.",
    )


def _names(table: PointTable) -> list[str] | None:
    """Distinct names: those that are repeated get a number."""
    column = table.found(_NAMES) or _first_text(table)
    if column is None:
        return None
    return distinct_names(table.texts(column), lambda k: f"line {table.lines[k]}")


def distinct_names(names: Sequence[str], unnamed: Callable[[int], str]) -> list[str]:
    """The names, with a number where they are repeated.

    >>> distinct_names(["Ayr", "", "Ayr"], "row {}".format)
    ['Ayr', 'row 1', 'Ayr (2)']
    """
    found: list[str] = []
    given, seen = set(names), set[str]()
    counts: dict[str, int] = {}
    for k, name in enumerate(names):
        base = unique = name or unnamed(k)
        while unique in seen or (unique != name and unique in given):
            counts[base] = counts.get(base, 1) + 1
            unique = f"{base} ({counts[base]})"
        seen.add(unique)
        found.append(unique)
    return found


def _first_text(table: PointTable) -> str | None:
    axes = {name for pair in _AXES.values() for names in pair for name in names}
    known = {*axes, *_KINDS, *_COSTS, *_WEIGHTS}
    numbers = set(table.number_columns)
    return next(
        (
            column
            for column in table.columns
            if column not in numbers and column.lower() not in known
        ),
        None,
    )
