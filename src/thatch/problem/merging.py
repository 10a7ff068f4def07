"""Demand points that the same sites reach, merged into one element each.

The plane is cut into cells until few sites reach a part of a cell: all others reach
every point of it, or none. Only the former are compared point by point, so that the
pairs of a site and a point are never all looked at, let alone stored. Sets of sites
are compared themselves, not hashes of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from thatch._kernels import graph as kernel
from thatch.arrays import Flags, Floats, Indices, Ints, exact_sum, frozen, sums_by
from thatch.problem.edges import Edges
from thatch.problem.locations import Locations
from thatch.problem.reach import points_and_limits, require_few_pairs

# Points of smaller cells are compared: cutting them would take as long. Larger ones are
# cut into at most this many strips each way; a number of 16 bits, which is quickly
# sorted, tells the part.
_POINTS_PER_CELL, _MOST_STRIPS = 2_000, 16


@dataclass(frozen=True, eq=False)
class MergedPoints:
    """One element per set of sites that reach a demand point."""

    #: int32, shape (num_pairs, 2): site and element.
    ends: Indices
    #: Each element is where its first point is; `element_of` has one number per point.
    locations: Locations

    @property
    def num_elements(self) -> int:
        """How many sets of sites there are."""
        return len(self.locations.elements)

    def weights(self, weights: Floats) -> Floats:
        """The sum of the weights of the points of each element, correctly rounded."""
        element_of = self.locations.element_of
        assert element_of is not None
        sums = sums_by(element_of, weights, self.num_elements)
        if (weights == np.rint(weights)).all() and weights.sum() <= 2.0**53:
            return sums
        ends = np.cumsum(np.bincount(element_of, minlength=self.num_elements))
        ordered = weights[np.argsort(element_of, kind="stable")]
        return np.array([exact_sum(part) for part in np.split(ordered, ends[:-1])])


def merged_points(locations: Locations) -> MergedPoints:
    """Merge the demand points that the same sites reach.

    Elements are in the order of their first points. Points that no site reaches are one
    element, too.

    >>> sites, demand = np.array([[0.0, 0.0]]), np.array([[9.0, 0], [1, 0], [0, 2]])
    >>> found = merged_points(
    ...     Locations(sites, demand, "euclidean", radii=np.array([5.0]))
    ... )
    >>> found.locations.element_of, found.ends
    (array([0, 1, 1], dtype=int32), array([[0, 1]], dtype=int32))
    """
    num_items, num_points = len(locations.items), len(locations.elements)
    part_of = np.zeros(num_points, dtype=np.int32)
    # A cell adds parts: points that the same sites reach, of this cell.
    items, parts = [], []
    num_parts = num_pairs = 0
    for cell in _cells(locations):
        part_of[cell.points] = num_parts + cell.part_of
        items.append(cell.items)
        parts.append(num_parts + cell.parts)
        num_parts += cell.num_parts
        num_pairs += cell.items.size
        require_few_pairs(num_pairs)
    edges = Edges.between(
        np.concatenate([*items, np.zeros(0, dtype=np.int32)]),
        np.concatenate([*parts, np.zeros(0, dtype=np.int32)]),
        num_items=num_items,
        num_elements=num_parts,
    )
    group_of, first = _merged_parts(edges, part_of)
    number_of = np.full(num_parts, -1, dtype=np.int32)
    number_of[part_of[first]] = np.arange(first.size)
    elements = np.repeat(number_of, edges.element_degrees)
    is_first = elements >= 0
    ends = np.column_stack([edges.element_items[is_first], elements[is_first]])
    merged = replace(
        locations,
        elements=locations.elements[first],
        element_of=frozen(group_of[part_of]),
    )
    return MergedPoints(ends, merged)


def _merged_parts(edges: Edges, part_of: Indices) -> tuple[Indices, Ints]:
    """The element of each part, in the order of points, and its first point."""
    groups = np.empty(edges.num_elements, dtype=np.int32)
    num_groups = kernel.group_elements(
        np.arange(edges.num_items), edges.item_start, edges.item_elements, groups
    )
    groups[groups < 0] = num_groups
    first = np.full(num_groups + 1, -1)
    first[groups[part_of[::-1]]] = np.arange(part_of.size - 1, -1, -1)
    order = np.argsort(first, kind="stable")
    order = order[first[order] >= 0]
    rank = np.zeros(num_groups + 1, dtype=np.int32)
    rank[order] = np.arange(order.size)
    return rank[groups], first[order]


@dataclass(frozen=True, eq=False)
class _Cell:
    """Points near each other, merged into parts, and the sites that reach each part."""

    points: Indices
    part_of: Indices
    num_parts: int
    items: Indices
    parts: Indices


def _cells(locations: Locations) -> Iterator[_Cell]:
    """Cells of all demand points."""
    if not len(locations.elements):
        return
    sites, demand, limits = points_and_limits(locations)
    # By axis: sums and extremes of long rows are fast.
    axes = np.ascontiguousarray(demand.T)
    everything = np.arange(len(demand), dtype=np.int32)
    every_site = np.arange(len(sites), dtype=np.int32)
    waiting = [(everything, every_site, every_site[:0])]
    while waiting:
        points, unclear, reaching = waiting.pop()
        inside = axes[:, points]
        lowest, highest = inside.min(axis=1), inside.max(axis=1)
        # From each site to the nearest and to the farthest corner of the cell.
        below, above = lowest - sites[unclear], highest - sites[unclear]
        nearest = np.maximum(np.maximum(below, -above), 0.0)
        farthest = np.maximum(-below, above)
        within = limits[unclear] ** 2
        is_all = (farthest**2).sum(axis=1) <= within
        is_any = (nearest**2).sum(axis=1) <= within
        reaching = np.append(reaching, unclear[is_all])
        unclear = unclear[is_any & ~is_all]
        is_large = points.size > _POINTS_PER_CELL and (highest > lowest).any()
        if unclear.size and is_large:
            cut = _cut(points, inside, lowest, highest - lowest)
            waiting += [(part, unclear, reaching) for part in cut]
            continue
        is_reached = np.empty((points.size, unclear.size), dtype=bool)
        for k, i in enumerate(unclear.tolist()):
            squares = ((inside - sites[i][:, None]) ** 2).sum(axis=0)
            is_reached[:, k] = squares <= limits[i] ** 2
        yield _merged_cell(points, is_reached, unclear, reaching)


def _cut(
    points: Indices, inside: Floats, lowest: Floats, sizes: Floats
) -> Iterator[Indices]:
    """The points in smaller cells."""
    strips = min(_MOST_STRIPS, int(np.ceil(np.sqrt(points.size / _POINTS_PER_CELL))))
    code = np.zeros(points.size, dtype=np.uint16)
    # On the sphere, cells are cut along the two longest of three axes.
    for axis in np.argsort(-sizes)[:2].tolist():
        if sizes[axis] > 0.0:
            place = (inside[axis] - lowest[axis]) * (strips / sizes[axis])
            code *= strips
            code += np.minimum(place, strips - 1).astype(np.uint16)
    order = np.argsort(code, kind="stable")
    ends = np.cumsum(np.bincount(code))
    return (part for part in np.split(points[order], ends[:-1]) if part.size)


def _merged_cell(
    points: Indices, is_reached: Flags, unclear: Indices, reaching: Indices
) -> _Cell:
    """The points of a cell, merged by the unclear sites that reach them."""
    if unclear.size == 0:
        part_of, sets = np.zeros(points.size, dtype=np.int32), is_reached[:1]
    else:
        rows = np.packbits(is_reached, axis=1)
        words = rows.view(np.dtype((np.void, rows.shape[1]))).ravel()
        _, first, found = np.unique(words, return_index=True, return_inverse=True)
        part_of, sets = found.astype(np.int32), is_reached[first]
    num_parts = len(sets)
    parts, places = np.nonzero(sets)
    all_parts = np.repeat(np.arange(num_parts), reaching.size)
    return _Cell(
        points,
        part_of,
        num_parts,
        np.append(np.tile(reaching, num_parts), unclear[places]),
        np.append(all_parts, parts).astype(np.int32),
    )
