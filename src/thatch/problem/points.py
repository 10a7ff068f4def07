"""Sites and demand points of callers: arrays, data frames and GeoPandas frames."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError
from thatch.options import require_choice
from thatch.problem.frames import Frame, distinct_labels, read_frame
from thatch.problem.inputs import require_length
from thatch.problem.locations import (
    METRICS,
    Locations,
    coordinates,
    require_coordinates,
)
from thatch.problem.reach import radii_of

# Names of columns, in lower case.
_LONGITUDES = {"longitude", "lon", "lng", "long"}
_LATITUDES = {"latitude", "lat"}


@dataclass(frozen=True, eq=False)
class Points:
    """Points with labels, and what is known about their coordinates."""

    #: ``sites`` or ``demand``, for errors.
    name: str
    #: float64, shape (num_points, 2): (x, y) or (longitude, latitude).
    coordinates: Floats
    #: One label per point; a range where they are numbered from 0.
    labels: Sequence[Hashable]
    #: The metric that columns or a reference system imply; None for arrays.
    metric: str | None = None
    #: Coordinate reference system, if there is one.
    crs: Any = None
    #: The frame that the points come from, if there is one.
    frame: Frame | None = None

    def values(self, name: str, values: Any) -> Any:
        """The column that a string names; other values as they are."""
        if not isinstance(values, str):
            return values
        if self.frame is None:
            raise InputError(
                f"{name} is {values!r}, but {self.name} is not a data frame with such "
                "a column.",
                hint="Pass the values themselves.",
            )
        return self.frame.numbers_of(values)

    def names(self, name: str, names: Sequence[str] | str | None) -> Sequence[Hashable]:
        """Names given, or in the column that a string names, or else the labels."""
        if names is None:
            return self.labels
        if isinstance(names, str):
            if self.frame is None:
                raise InputError(
                    f"{name} is {names!r}, but {self.name} is not a data frame with "
                    "such a column.",
                    hint="Pass a list of names.",
                )
            column = self.frame.require_column(names)
            given = list(map(str, self.frame.values_of(column)))
        else:
            given = list(names)
        require_length("names", len(given), "point", len(self.coordinates))
        return given


def read_points(name: str, points: Any, metric: str | None) -> Points:
    """Read points from an array, a data frame or a GeoPandas frame or series."""
    if metric is not None:
        require_choice("metric", metric, METRICS, default=METRICS[0])
    if hasattr(points, "crs") and hasattr(points, "geometry"):
        return _read_geometry(name, points)
    frame = read_frame(name, points)
    if frame is None or frame.is_series:
        found = coordinates(name, points if frame is None else list(points))
        return Points(name, found, range(len(found)))
    columns, implied = _coordinate_columns(frame, metric)
    found = frame.numbers(list(columns))
    return Points(name, found, _row_labels(frame), implied, frame=frame)


def _read_geometry(name: str, points: Any) -> Points:
    geometry = points.geometry
    labels = distinct_labels(name, geometry.index.tolist())
    kinds = geometry.geom_type.tolist()
    is_point = [
        kind == "Point" and not is_empty
        for kind, is_empty in zip(kinds, geometry.is_empty.tolist(), strict=True)
    ]
    if not all(is_point):
        position = is_point.index(False)
        kind = kinds[position]
        found = f"a {kind}" if isinstance(kind, str) and kind != "Point" else "empty"
        raise InputError(
            f"the geometry of {name}[{labels[position]!r}] is {found}; it must be a "
            "point.",
            hint="Pass points: frame.set_geometry(frame.representative_point()), for "
            "example.",
        )
    crs = geometry.crs
    metric = None
    if crs is not None:
        metric = METRICS[0] if crs.is_geographic else METRICS[1]
    return Points(
        name,
        np.column_stack([geometry.x.to_numpy(), geometry.y.to_numpy()]),
        labels,
        metric,
        crs,
        read_frame(name, points) if hasattr(points, "columns") else None,
    )


def _row_labels(frame: Frame) -> Sequence[Hashable]:
    """The index of a frame; where frames have none, its only column of text."""
    if frame.index is not None:
        return distinct_labels(frame.name, frame.index)
    texts = frame.text_columns
    if len(texts) != 1:
        return range(frame.num_rows)
    return distinct_labels(frame.name, frame.values_of(texts[0]))


def _coordinate_columns(
    frame: Frame, metric: str | None
) -> tuple[tuple[Any, Any], str]:
    """The columns of the coordinates, and the metric that they are for."""
    lower = {str(column).lower(): column for column in frame.columns}

    def named(names: set[str]) -> Any:
        found = [column for key, column in lower.items() if key in names]
        return found[0] if len(found) == 1 else None

    pairs = {
        METRICS[0]: (named(_LONGITUDES), named(_LATITUDES)),
        METRICS[1]: (named({"x"}), named({"y"})),
    }
    complete = {key: pair for key, pair in pairs.items() if None not in pair}
    wanted = complete if metric is None else {metric: complete.get(metric)}
    if len(wanted) == 2:
        raise InputError(
            f"{frame.name} has columns for longitude and latitude and for x and y.",
            hint='Pass metric="haversine" or metric="euclidean".',
        )
    for key, pair in wanted.items():
        if pair is not None:
            return pair, key
    needed = {METRICS[0]: "longitude and latitude", METRICS[1]: "x and y"}
    rule = " or ".join(needed.values()) if metric is None else needed[metric]
    listed = ", ".join(map(str, frame.columns[:10]))
    raise InputError(
        f"{frame.name} has the columns {listed}; it must have one of each for {rule}.",
        hint="Rename the columns, or pass an array of shape (num_points, 2).",
    )


def locations_of(
    sites: Points,
    demand: Points,
    *,
    metric: str | None,
    items: Sequence[Hashable],
    radius: Any,
) -> Locations:
    """Locations of sites and demand points, if they have the same coordinates.

    One radius per site may be in order, or by the labels of the items.
    """
    crs = _common_crs(sites, demand)
    metric = _common_metric(sites, demand, metric, has_crs=crs is not None)
    for points in (sites, demand):
        require_coordinates(points.name, points.coordinates, metric, points.labels)
    return Locations(
        sites.coordinates,
        demand.coordinates,
        metric,
        None if crs is None else crs.to_string(),
        radii_of(sites.values("radius", radius), items),
    )


def _common_crs(sites: Points, demand: Points) -> Any:
    if sites.crs is not None and demand.crs is not None and sites.crs != demand.crs:
        raise InputError(
            f"sites has the crs {sites.crs.to_string():.60}, demand has "
            f"{demand.crs.to_string():.60}; they must be the same.",
            hint="Convert one of them: demand.to_crs(sites.crs).",
        )
    return demand.crs if sites.crs is None else sites.crs


def _common_metric(
    sites: Points, demand: Points, metric: str | None, *, has_crs: bool
) -> str:
    """The metric given, if nothing contradicts it, or the one that frames imply."""
    implied = {p.name: p.metric for p in (sites, demand) if p.metric is not None}
    found = {*implied.values()} | ({metric} if metric is not None else set())
    if len(found) == 1:
        return found.pop()
    if not found:
        raise InputError(
            "metric is missing; coordinates without names or a crs may be degrees, "
            "meters or anything else.",
            hint='Pass metric="haversine" for (longitude, latitude), or '
            'metric="euclidean" for (x, y).',
        )
    facts = " and ".join(f"{name} is for {kind}" for name, kind in implied.items())
    asked = "" if metric is None else f", metric is {metric!r}"
    raise InputError(
        f"{facts}{asked}; they must agree.",
        hint="Convert the frames with to_crs: to 4326 for haversine, to a projected "
        "system for euclidean."
        if has_crs
        else "Use the same kind of coordinates for both, or leave metric out.",
    )
