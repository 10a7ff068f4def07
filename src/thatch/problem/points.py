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
        if self.frame is None or self.frame.is_series:
            raise _no_columns(name, values, self.name)
        return self.frame.numbers_of(values)


def read_points(
    name: str,
    points: Any,
    *,
    metric: str | None = None,
    names: Sequence[str] | str | None = None,
) -> Points:
    """Read points from an array, a data frame or a GeoPandas frame or series.

    Parameters
    ----------
    name
        ``sites`` or ``demand``, for errors.
    points
        The points.
    metric
        The metric that the caller asks for.
    names
        One per point, or the column that has them; default: the labels of the frame.
    """
    if metric is not None:
        require_choice("metric", metric, METRICS, default=METRICS[0])
    if _has_geometry(points):
        frame = read_frame(name, points)
        found, implied, crs = _geometry(name, points.geometry)
    else:
        frame, crs = read_frame(name, points), None
        if frame is None or frame.is_series:
            given = points if frame is None else list(points)
            found, implied = coordinates(name, given), None
        else:
            columns, implied = _coordinate_columns(frame, metric)
            found = frame.numbers(list(columns))
    labels = _labels(name, frame, names, len(found))
    return Points(name, found, labels, implied, crs, frame)


def _has_geometry(points: Any) -> bool:
    """Whether it is a series or frame of GeoPandas with an active geometry."""
    packages = {kind.__module__.partition(".")[0] for kind in type(points).__mro__}
    return "geopandas" in packages and hasattr(points, "geometry")


def _geometry(name: str, geometry: Any) -> tuple[Floats, str | None, Any]:
    """Coordinates of points, and the metric and reference system, if they have one."""
    kinds = geometry.geom_type.tolist()
    is_point = [
        kind == "Point" and not is_empty
        for kind, is_empty in zip(kinds, geometry.is_empty.tolist(), strict=True)
    ]
    if not all(is_point):
        position = is_point.index(False)
        kind, label = kinds[position], geometry.index.tolist()[position]
        found = f"a {kind}" if isinstance(kind, str) and kind != "Point" else "empty"
        raise InputError(
            f"the geometry of {name}[{label!r}] is {found}; it must be a point.",
            hint="Pass points: frame.set_geometry(frame.representative_point()), for "
            "example.",
        )
    points = np.column_stack([geometry.x.to_numpy(), geometry.y.to_numpy()])
    crs = geometry.crs
    if crs is None:
        return points, None, None
    return points, METRICS[0] if crs.is_geographic else METRICS[1], crs


def _labels(
    name: str, frame: Frame | None, names: Sequence[str] | str | None, count: int
) -> Sequence[Hashable]:
    """The names given, or the labels of a frame."""
    if names is None:
        return range(count) if frame is None else _row_labels(frame)
    if not isinstance(names, str):
        require_length("names", len(names), "point", count)
        return list(names)
    if frame is None or frame.is_series:
        raise _no_columns("the column of names", names, name)
    return list(map(str, frame.values_of(names)))


def _no_columns(what: str, column: str, name: str) -> InputError:
    return InputError(
        f"{what} is {column!r}, but {name} is not a data frame.",
        hint="Pass a list.",
    )


def _row_labels(frame: Frame) -> Sequence[Hashable]:
    """The index of a frame; where frames have none, its only column of text."""
    if frame.index is not None:
        return distinct_labels(frame.name, frame.index)
    if frame.is_series:
        return range(frame.num_rows)
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
    sites: Points, demand: Points, *, metric: str | None, radius: Any
) -> Locations:
    """Locations of sites and demand points, if they have the same coordinates.

    One radius per site may be in order, or by the labels of the sites.
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
        radii_of(sites.values("radius", radius), sites.labels),
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
