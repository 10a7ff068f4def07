"""Locations: where items and elements are, so that results can be mapped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import Floats, Indices, frozen
from thatch.errors import InputError, InputTypeError, MissingExtraError
from thatch.options import require_choice

#: What distances are measured by: on the earth, and in the plane.
METRICS = ("haversine", "euclidean")
_WGS84 = "EPSG:4326"


@dataclass(frozen=True, eq=False)
class Locations:
    """Coordinates of all items and elements of a problem.

    Coordinates are (longitude, latitude) in degrees if the metric is haversine, and
    (x, y) if it is euclidean; this is the order of GeoJSON, Shapely and GeoPandas.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_points(
    ...     [(8.54, 47.37)], [(8.55, 47.38)], radius=2000, metric="haversine", budget=1
    ... )
    >>> problem.locations.items, problem.locations.columns
    (array([[ 8.54, 47.37]]), ('longitude', 'latitude'))
    """

    #: float64, shape (num_items, 2).
    items: Floats
    #: float64, shape (num_elements, 2).
    elements: Floats
    #: ``haversine`` or ``euclidean``.
    metric: str
    #: Coordinate reference system, as pyproj reads it, if it is known.
    crs: str | None = None
    #: float64, shape (num_items,): how far each item reaches, if it is known, in meters
    #: or in the unit of the coordinates.
    radii: Floats | None = None
    #: int32, one per demand point: its element, if points were merged. Each element is
    #: where its first point is.
    element_of: Indices | None = None

    def __post_init__(self) -> None:
        require_choice("metric", self.metric, METRICS, default=METRICS[0])
        for name in ("items", "elements"):
            place = f"locations.{name}"
            found = coordinates(place, getattr(self, name))
            require_coordinates(place, found, self.metric)
            object.__setattr__(self, name, frozen(found))
        if self.radii is not None:
            radii = np.array(self.radii, dtype=np.float64)
            object.__setattr__(self, "radii", frozen(radii))

    @property
    def is_geographic(self) -> bool:
        """Whether coordinates are longitudes and latitudes."""
        return self.metric == "haversine"

    @property
    def columns(self) -> tuple[str, str]:
        """Names of the two coordinates."""
        return ("longitude", "latitude") if self.is_geographic else ("x", "y")

    def require_counts(self, num_items: int, num_elements: int) -> None:
        """Require one location per item and per element."""
        for owner, found, count in (
            ("item", len(self.items), num_items),
            ("element", len(self.elements), num_elements),
            ("item", num_items if self.radii is None else self.radii.size, num_items),
        ):
            if found != count:
                raise InputError(
                    f"expected one location per {owner}, got {found} for {count} "
                    f"{owner}s.",
                    hint="Pass the locations of this problem.",
                )

    def in_degrees(self) -> Locations:
        """Return the same locations as longitudes and latitudes of WGS 84.

        Raises
        ------
        InputError
            If they are (x, y) without a coordinate reference system.
        MissingExtraError
            If they must be converted and pyproj is not installed.
        """
        if self.crs is None and not self.is_geographic:
            raise InputError(
                "the locations are (x, y) without a coordinate reference system; "
                "longitudes and latitudes cannot be computed.",
                hint="Build the problem from GeoPandas frames with a crs, or from "
                "longitudes and latitudes.",
            )
        if self.crs in {None, _WGS84, "OGC:CRS84"}:
            return replace(self, crs=_WGS84)
        try:
            from pyproj import Transformer
        except ImportError as error:
            raise MissingExtraError(
                "Converting coordinates", package="pyproj", extra="maps"
            ) from error
        transformer = Transformer.from_crs(self.crs, _WGS84, always_xy=True)
        items, elements = (
            np.column_stack(transformer.transform(*each.T)).reshape(-1, 2)
            for each in (self.items, self.elements)
        )
        # The unit of the radii is not known to be meters.
        return Locations(
            items, elements, "haversine", _WGS84, element_of=self.element_of
        )


def coordinates(name: str, points: ArrayLike) -> Floats:
    """Read points in an array or a list: float64, shape (num_points, 2)."""
    try:
        array = np.array(points)
    except ValueError:
        array = np.zeros(1)
    if array.size == 0 and array.shape in {(0,), (0, 2), (1, 0)}:
        return np.zeros((0, 2))
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(
            f"{name} is {points!r:.60}; it must have two coordinates per point.",
            hint="Pass an array of shape (num_points, 2).",
        )
    if array.dtype.kind not in "iuf":
        raise InputTypeError(
            f"{name} has coordinates of type {array.dtype}; they must be numbers.",
            hint="Pass an array of shape (num_points, 2).",
        )
    return array.astype(np.float64)


def require_coordinates(
    name: str, points: Floats, metric: str, labels: Sequence[object] | None = None
) -> None:
    """Require finite coordinates; longitudes and latitudes must be in range."""
    is_geographic = metric == "haversine"
    for k, axis, least, most in (
        (0, "longitude" if is_geographic else "x", -180.0, 360.0),
        (1, "latitude" if is_geographic else "y", -90.0, 90.0),
    ):
        values = points[:, k]
        is_bad = ~np.isfinite(values)
        rule, hint = "finite", "Drop the points without coordinates."
        if is_geographic and not is_bad.any():
            is_bad = (values < least) | (values > most)
            rule = f"between {least:g} and {most:g}"
            hint = (
                "Arrays are (longitude, latitude), in degrees; for coordinates in a "
                'plane pass metric="euclidean".'
            )
        if is_bad.any():
            position = int(np.argmax(is_bad))
            label = position if labels is None else labels[position]
            raise InputError(
                f"the {axis} of {name}[{label!r}] is {float(values[position])}; it "
                f"must be {rule}.",
                hint=hint,
            )
