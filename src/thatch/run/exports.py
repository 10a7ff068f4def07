"""Selections as data frames and GeoJSON."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError, MissingExtraError
from thatch.options import require_choice
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.locations import Locations
from thatch.problem.selection import Selection

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
            "shards keep no names or ids of elements, which a frame of them needs.",
            hint="Take the cover_counts of the selection: one per element, in the "
            "order of the shards.",
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
