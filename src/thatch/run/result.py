"""The result of a solver."""

from __future__ import annotations

import csv
import enum
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib import import_module
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError, MissingExtraError
from thatch.files.atomic_writes import atomic_write
from thatch.options import require_choice
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.locations import Locations
from thatch.problem.notebook import Table, as_html
from thatch.problem.selection import Selection
from thatch.run.beliefs import Beliefs
from thatch.run.certificates import Certificate

# A notebook shows this many of the chosen items.
_MAX_ROWS = 10


class Status(enum.Enum):
    """Why a solver stopped, as a sentence for users.

    >>> Status.OPTIMAL.label
    'optimal'
    >>> Status.TIME_LIMIT.value
    'The time limit was reached; more time may help.'
    """

    OPTIMAL = "No selection within the budget covers more."
    FINISHED = "The solver finished; it does not prove its selection optimal."
    CONVERGED = "The messages converged."
    ITERATION_LIMIT = "The iteration limit was reached; more iterations may help."
    TIME_LIMIT = "The time limit was reached; more time may help."
    NO_IMPROVEMENT = "No better selection was found for the iterations allowed."
    TARGET_REACHED = "The target value or gap was reached."
    INTERRUPTED = "The solver was interrupted; more time may help."

    @property
    def label(self) -> str:
        """The status in lower case, as printed and written to JSON."""
        return self.name.lower()


@dataclass(frozen=True)
class Progress:
    """The state of a run after an iteration; NaN and infinity mean "not known".

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> solve(toy.greedy_trap().problem).trace[0].step
    'exhaustive'
    """

    #: Counts from 1.
    iteration: int
    #: Since the run began.
    seconds: float
    #: The most weight covered within the budget so far.
    value: float = nan
    #: The tightest bound on the optimum so far.
    upper_bound: float = inf
    #: The largest change of any message.
    largest_change: float = nan
    #: The price at which messages were passed.
    price: float = nan
    #: Iterations since the value last improved.
    stalled: int = 0
    #: The step that was taken, for solvers with several kinds of steps.
    step: str = ""


def write_trace(trace: Sequence[Progress], path: str | Path) -> None:
    """Save a trace as CSV, one row per iteration.

    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "trace.csv"
    >>> write_trace([Progress(iteration=1, seconds=0.5, value=3.0)], path)
    >>> path.read_text().splitlines()[1]
    '1,0.5,3.0,inf,nan,nan,0,'
    """
    with (
        atomic_write(path) as draft,
        draft.open("w", newline="", encoding="utf-8") as file,
    ):
        writer = csv.DictWriter(file, [field.name for field in fields(Progress)])
        writer.writeheader()
        writer.writerows(asdict(progress) for progress in trace)


@dataclass(frozen=True, eq=False)
class Result:
    """A selection, why the solver stopped, and a bound on the optimum.

    >>> from thatch import GeneralizedGreedy, solve
    >>> from thatch.problem.instances import toy
    >>> result = solve(toy.greedy_trap().problem, GeneralizedGreedy())
    >>> result.selection.value, result.upper_bound, result.gap
    (13.0, 16.0, 0.1875)
    """

    selection: Selection
    status: Status
    #: No selection within the budget is worth more than this.
    upper_bound: float
    iterations: int
    seconds: float
    #: One entry per iteration.
    trace: Sequence[Progress]
    #: Fields and marginals, where the solver passes messages.
    beliefs: Beliefs | None = None
    #: What shows that no selection exceeds the bound; None if that is not known.
    certificate: Certificate | None = None

    @property
    def gap(self) -> float:
        """Share of the upper bound that may be missing; 0 means proved optimal."""
        if self.upper_bound <= self.selection.bound:
            return 0.0
        if self.upper_bound == float("inf"):
            return 1.0
        return (self.upper_bound - self.selection.value) / self.upper_bound

    def with_bound(
        self, upper_bound: float, certificate: Certificate | None = None
    ) -> Result:
        """Return the result with the lower of its bound and this one.

        That of an optimal selection cannot be lower.
        """
        bound = self.selection.bound
        if self.status is Status.OPTIMAL and self.upper_bound <= bound:
            return self
        tightest, shown = self.upper_bound, self.certificate
        if upper_bound < tightest:
            tightest, shown = upper_bound, certificate
        status = self.status
        if self.selection.is_feasible and self.selection.is_proved_by(tightest):
            status = Status.OPTIMAL
        elif status is Status.OPTIMAL:
            status = Status.FINISHED
        return replace(
            self,
            upper_bound=max(tightest, bound),
            certificate=shown,
            status=status,
        )

    def to_frame(self, package: str | None = None) -> Any:
        """Return a data frame with one row per chosen item.

        Its columns are ``item``, the name or number; the coordinates, if the problem
        has locations; ``cost``; ``covers``, the weight that the item covers; and
        ``covers_alone``, the weight that no other chosen item covers.

        Parameters
        ----------
        package
            ``pandas``, ``polars`` or ``pyarrow``; default: the first of them that is
            installed.

        Raises
        ------
        MissingExtraError
            If it is not installed, or none of them is.

        >>> from thatch import solve
        >>> from thatch.problem.instances import toy
        >>> print(solve(toy.greedy_trap().problem, "exact").to_frame("pandas"))
            item  cost  covers  covers_alone
        0   left   1.0     8.0           8.0
        1  right   1.0     8.0           8.0
        """
        return items_frame(self.selection, package)

    def elements_frame(self, package: str | None = None) -> Any:
        """Return a data frame with one row per element.

        Its columns are ``element``, the name or number; the coordinates, if the problem
        has locations; ``weight``; and ``cover_count``, how many chosen items cover it.
        The package is that of `to_frame`. Shards have no such frame: they keep no names
        of elements.

        >>> from thatch import CoverageProblem, solve
        >>> problem = CoverageProblem.from_sets({"a": ["x"], "b": ["y"]}, budget=1)
        >>> print(solve(problem).elements_frame("pandas"))
          element  weight  cover_count
        0       x     1.0            1
        1       y     1.0            0
        """
        return elements_frame(self.selection, package)

    def to_geojson(self, *, include_elements: bool = False) -> dict[str, Any]:
        """Return the chosen items as points of a GeoJSON feature collection.

        The properties of a feature are the columns of `to_frame` or `elements_frame`,
        and its ``kind``, ``item`` or ``element``. Coordinates are longitude and
        latitude of WGS 84; those of other reference systems are converted, by pyproj.

        Parameters
        ----------
        include_elements
            Whether all elements are added, covered or not; their property ``covered``
            says which.

        Raises
        ------
        InputError
            If the problem has no locations, or no coordinate reference system for them.

        >>> from thatch import CoverageProblem, solve
        >>> sites, homes = [(8.54, 47.37)], [(8.55, 47.38)]
        >>> problem = CoverageProblem.from_points(
        ...     sites, homes, radius=2000, metric="haversine", budget=1
        ... )
        >>> (site,) = solve(problem).to_geojson()["features"]
        >>> site["geometry"]
        {'type': 'Point', 'coordinates': [8.54, 47.37]}
        """
        return geojson(self.selection, include_elements=include_elements)

    def __repr__(self) -> str:
        return (
            f"Result({self.status.label}, value {self.selection.value:g}, "
            f"gap {self.gap:.3%}, {len(self.selection)} items)"
        )

    def _repr_html_(self) -> str:
        selection = self.selection
        problem = selection.problem
        facts: dict[str, str | float] = {
            "value": selection.value,
            "upper bound": self.upper_bound,
            "gap": f"{self.gap:.2%}",
            "cost": f"{selection.cost:,.10g} of {problem.budget:,.10g}",
            "items": f"{len(selection):,} of {problem.num_items:,}",
            "status": self.status.value,
            "seconds": f"{self.seconds:.2g}",
        }
        return as_html("Result", facts, items_table(selection))


def items_table(selection: Selection) -> Table:
    """The first chosen items, as a notebook shows them."""
    shown = slice(_MAX_ROWS)
    rows = zip(
        map(str, selection.labels[shown]),
        selection.problem.costs[selection.items[shown]].tolist(),
        selection.contributions[shown].tolist(),
        strict=True,
    )
    headings = ("item", "cost", "covers alone")
    return Table(headings, list(rows), max(0, len(selection) - _MAX_ROWS))


# Packages of data frames and their constructors, the preferred one first.
_PACKAGES = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}


def items_frame(selection: Selection, package: str | None) -> Any:
    """Data frame with one row per chosen item."""
    locations = selection.problem.locations
    columns: dict[str, Any] = {"item": selection.labels}
    if locations is not None:
        columns |= _coordinates(locations, locations.items[selection.items])
    return new_frame(columns | _item_values(selection), package)


def elements_frame(selection: Selection, package: str | None) -> Any:
    """Data frame with one row per element."""
    if not isinstance(selection.problem, CoverageProblem):
        raise InputError(
            "shards do not store the names of elements, which this data frame needs.",
            hint="Use selection.cover_counts: one number per element, in the order "
            "of the shards.",
        )
    locations = selection.problem.locations
    columns: dict[str, Any] = {"element": _element_labels(selection)}
    if locations is not None:
        columns |= _coordinates(locations, locations.elements)
    return new_frame(columns | _element_values(selection), package)


def geojson(selection: Selection, *, include_elements: bool) -> dict[str, Any]:
    """GeoJSON of the chosen items, and of all elements if they are included."""
    locations = selection.problem.locations
    if locations is None:
        raise InputError(
            "the problem has no locations; they are needed for a map.",
            hint="Build it with CoverageProblem.from_points, or pass locations to "
            "from_distances or from_edges.",
        )
    degrees = locations.in_degrees()
    features = _features(
        "item",
        degrees.items[selection.items],
        {"item": selection.labels} | _item_values(selection),
    )
    if include_elements:
        features += _features(
            "element",
            degrees.elements,
            {"element": _element_labels(selection)}
            | _element_values(selection)
            | {"covered": selection.covered},
        )
    return {"type": "FeatureCollection", "features": features}


@dataclass(frozen=True, eq=False)
class Results:
    """Several results, in order."""

    results: tuple[Result, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __getitem__(self, k: int) -> Result:
        return self.results[k]


def _item_values(selection: Selection) -> dict[str, np.ndarray]:
    return {
        "cost": selection.problem.costs[selection.items],
        "covers": selection.coverages,
        "covers_alone": selection.contributions,
    }


def _element_values(selection: Selection) -> dict[str, np.ndarray]:
    return {
        "weight": selection.problem.weights,
        "cover_count": selection.cover_counts,
    }


def _element_labels(selection: Selection) -> list[str] | list[int]:
    names = selection.problem.element_names
    return list(range(selection.problem.num_elements)) if names is None else list(names)


def _coordinates(locations: Locations, points: Floats) -> dict[str, np.ndarray]:
    return dict(zip(locations.columns, points.T, strict=True))


def new_frame(columns: dict[str, Any], package: str | None) -> Any:
    """A frame of the package, or of the first one that is installed."""
    if package is not None:
        require_choice("package", package, _PACKAGES, default="pandas")
    wanted = list(_PACKAGES) if package is None else [package]
    for name in wanted:
        try:
            module = import_module(name)
        except ImportError:
            continue
        # Frames can be changed, the arrays of a problem cannot.
        copies = {
            key: values.copy() if isinstance(values, np.ndarray) else values
            for key, values in columns.items()
        }
        return getattr(module, _PACKAGES[name])(copies)
    raise MissingExtraError("A data frame", package=wanted[0], extra="frames")


def _features(
    kind: str, points: Floats, columns: dict[str, Any]
) -> list[dict[str, Any]]:
    """One feature per row, with the values of the columns as Python numbers."""
    longitudes = np.where(points[:, 0] > 180.0, points[:, 0] - 360.0, points[:, 0])
    places = np.column_stack([longitudes, points[:, 1]]).tolist()
    lists = [
        values.tolist() if isinstance(values, np.ndarray) else values
        for values in columns.values()
    ]
    return [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": place},
            "properties": {"kind": kind, **dict(zip(columns, row, strict=True))},
        }
        for place, *row in zip(places, *lists, strict=True)
    ]
