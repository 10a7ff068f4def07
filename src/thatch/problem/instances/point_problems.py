"""Problems of tables of points: a site covers the demand within its reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from thatch.arrays import Floats
from thatch.errors import FileFormatError, InputError
from thatch.options import alternatives, option, require_choices
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.point_tables import AXES, PointTable
from thatch.tables.columns import columns_hint

# Names of columns in lower case; those to the left are preferred.
_NAMES = ("name", "label", "site", "place", "city", "town", "address", "id")
_COSTS = ("cost", "costs", "price", "rent", "fee")
_WEIGHTS = (
    *("weight", "weights", "demand", "population", "residents", "people"),
    *("inhabitants", "households", "customers", "clients", "patients"),
)
_RANGES = {
    "haversine": {"longitude": (-180.0, 360.0), "latitude": (-90.0, 90.0)},
    "euclidean": {"x": (-np.inf, np.inf), "y": (-np.inf, np.inf)},
}
_KINDS = ("kind", "role", "type")
_SITES = ("site", "sites", "candidate", "candidates", "facility", "facilities")
_DEMAND = ("demand", "client", "clients", "customer", "customers")
_BOTH = ("both",)


def _metrics() -> dict[str, str]:
    return {
        "haversine": "longitude and latitude, with distances in meters",
        "euclidean": "x and y, with distances in their unit",
    }


@dataclass(frozen=True, kw_only=True)
class PointSettings:
    """Which points a site reaches, and what sites cost and points weigh.

    >>> PointSettings(radius=800).metric is None
    True
    """

    radius: float = option(
        10_000.0,
        help="Distance up to which a site covers a point, in meters or in the unit of "
        "x and y",
        label="Reach",
        minimum=0,
    )
    metric: str | None = option(
        None,
        help="Kind of coordinates",
        default_text="what the names of the columns say",
        choices=_metrics,
    )
    cost_column: str | None = option(
        None,
        help="Column with the costs of the sites; empty if each costs 1",
        default_text="a column named cost, price or rent, for example",
    )
    weight_column: str | None = option(
        None,
        help="Column with the weights of the demand points; empty if each counts 1",
        default_text="a column named weight, demand or population, for example",
    )


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


def _amount_column(
    table: PointTable, option: str, wanted: str | None, usual: Sequence[str]
) -> str:
    if wanted is None:
        return table.found(usual) or ""
    if wanted and wanted not in table.columns:
        raise InputError(
            f"{option} is {wanted!r:.60}, which {table.path} does not have.",
            hint=columns_hint(wanted, table.columns),
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
                hint=f"Add such a row, or remove the column {column}: every point is "
                "then demand and a candidate site.",
            )
    return table.only(is_site), table.only(is_demand)


def _common_metric(sites: PointTable, demand: PointTable) -> str:
    """The metric for which both tables have columns."""

    def complete(table: PointTable) -> list[str]:
        return [
            metric
            for metric, axes in AXES.items()
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
        AXES[metric], _RANGES[metric].items(), strict=True
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
    axes = {name for pair in AXES.values() for names in pair for name in names}
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
