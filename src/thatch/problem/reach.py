"""Which demand points are within reach of which sites, by a k-d tree.

On the earth, points are mapped to the unit sphere: great-circle distances grow with the
length of the chord, so that one tree answers for both metrics.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from thatch.arrays import (
    Floats,
    Indices,
    Ints,
    number,
    require_finite_and_not_negative,
)
from thatch.errors import InputError
from thatch.problem import tolerances
from thatch.problem.inputs import aligned
from thatch.problem.locations import Locations

#: Mean radius of the earth, in meters.
EARTH_RADIUS = 6_371_008.8
# Coordinates are rounded, too: this many units of their last place are added.
_ULPS = 4.0 * np.finfo(np.float64).eps
_SITES_PER_BLOCK = 16_384
# Squares of distances between larger ones are infinite.
_LARGEST_COORDINATE = 1e150
# A block of pairs takes 24 bytes per pair while it is filtered.
_PAIRS_PER_BLOCK = 4_000_000
_LARGEST = np.iinfo(np.int32).max


def radii_of(radius: Any, items: Sequence[Hashable]) -> Floats:
    """One radius per site: a number for all, or one each, in order or by label.

    >>> radii_of(2, ["north", "south"])
    array([2., 2.])
    >>> radii_of({"south": 1, "north": 2}, ["north", "south"])
    array([2., 1.])
    """
    if np.ndim(radius) or isinstance(radius, Mapping):
        radii = aligned("radius", radius, "item", items)
        if radii.size != len(items):
            raise InputError(
                f"expected one radius per site, got {radii.size} for {len(items)} "
                "sites.",
                hint="Pass one number for all sites, or one per site.",
            )
        require_finite_and_not_negative("radius", radii, "site")
        return radii
    found = number("radius", radius)
    if not (np.isfinite(found) and found >= 0):
        raise InputError(
            f"radius is {found}; it must be finite and non-negative.",
            hint="Pass a radius of 0 or more.",
        )
    return np.full(len(items), found)


def ends_within_reach(locations: Locations) -> Indices:
    """Pairs of a site and a demand point within its radius.

    int32, shape (num_pairs, 2): the numbers of the site and of the demand point.

    >>> sites, demand = np.array([[0.0, 0.0]]), np.array([[3.0, 4.0], [4.0, 4.0]])
    >>> radii = np.array([5.0])
    >>> ends_within_reach(Locations(sites, demand, "euclidean", radii=radii))
    array([[0, 0]], dtype=int32)
    """
    if locations.radii is None or not (
        len(locations.items) and len(locations.elements)
    ):
        return np.zeros((0, 2), dtype=np.int32)
    sites, demand, limits = points_and_limits(locations)
    blocks = list(_blocks_within_reach(sites, demand, limits))
    num_pairs = sum(items.size for items, _ in blocks)
    # Columns are contiguous, and the blocks are freed one by one.
    ends = np.empty((num_pairs, 2), dtype=np.int32, order="F")
    stop = num_pairs
    while blocks:
        items, elements = blocks.pop()
        ends[stop - items.size : stop, 0] = items
        ends[stop - items.size : stop, 1] = elements
        stop -= items.size
    return ends


def points_and_limits(locations: Locations) -> tuple[Floats, Floats, Floats]:
    """Sites and demand points in a space of straight lines, and how far sites reach.

    A site covers the points whose Euclidean distance is at most its limit, which has a
    tolerance added.
    """
    assert locations.radii is not None
    sites, demand = locations.items, locations.elements
    limits = locations.radii * (1.0 + tolerances.DISTANCE)
    if locations.is_geographic:
        sites, demand = _on_unit_sphere(sites), _on_unit_sphere(demand)
        limits = 2.0 * np.sin(np.minimum(limits / (2.0 * EARTH_RADIUS), np.pi / 2.0))
    largest = max(float(np.abs(each).max(initial=0.0)) for each in (sites, demand))
    if largest > _LARGEST_COORDINATE:
        raise InputError(
            f"a coordinate is {largest:g}; coordinates can be at most "
            f"{_LARGEST_COORDINATE:g}.",
            hint="Measure coordinates and radius in a larger unit.",
        )
    return sites, demand, limits + _ULPS * largest


def _on_unit_sphere(points: Floats) -> Floats:
    longitudes, latitudes = np.radians(points).T
    around = np.cos(latitudes)
    return np.column_stack(
        [
            around * np.cos(longitudes),
            around * np.sin(longitudes),
            np.sin(latitudes),
        ]
    )


def _blocks_within_reach(
    sites: Floats, demand: Floats, limits: Floats
) -> Iterator[tuple[Indices, Indices]]:
    """Sites and demand points of the pairs, in blocks that fit into memory."""
    from scipy.spatial import cKDTree

    tree = cKDTree(demand)
    waiting = list(_neighborhoods(sites, limits))
    require_few_pairs(
        sum(
            int(cKDTree(sites[block]).count_neighbors(tree, float(limits[block].min())))
            for block in waiting
        )
    )
    while waiting:
        block = waiting.pop()
        near = cKDTree(sites[block])
        most = float(limits[block].max())
        num_pairs = int(near.count_neighbors(tree, most))
        if num_pairs > _PAIRS_PER_BLOCK and block.size > 1:
            waiting += np.array_split(block, 2)
            continue
        pairs = near.sparse_distance_matrix(tree, most, output_type="ndarray")
        items, elements = block[pairs["i"]], pairs["j"]
        if limits[block].min() < most:
            is_within = pairs["v"] <= limits[items]
            items, elements = items[is_within], elements[is_within]
        yield items.astype(np.int32), elements.astype(np.int32)


def _neighborhoods(sites: Floats, limits: Floats) -> Iterator[Ints]:
    """Blocks of sites that are near each other and have similar radii.

    All pairs within the largest radius of a block are found first: similar means that
    the largest is below twice the smallest.
    """
    from scipy.spatial import cKDTree

    exponents = np.frexp(limits)[1]
    for exponent in sorted(set(exponents.tolist())):
        alike = np.flatnonzero(exponents == exponent)
        ordered = alike[cKDTree(sites[alike]).indices]
        yield from np.array_split(ordered, -(-ordered.size // _SITES_PER_BLOCK))


def require_few_pairs(num_pairs: int) -> None:
    """Require that pairs of sites and points can be numbered in 32 bits."""
    if num_pairs > _LARGEST:
        raise InputError(
            f"{num_pairs} pairs of a site and a demand point are within the radius; at "
            f"most {_LARGEST} are supported.",
            hint="Check the unit of the radius, or pass a smaller one.",
        )
