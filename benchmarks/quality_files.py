"""Instance files for `quality.py` in formats that thatch itself does not read."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from thatch import CoverageProblem, read_instance

EARTH_RADIUS_METERS = np.float32(6_378_100)


def read_any(
    path: Path, *, budget: float | None, radius: float | None, unit_costs: bool = False
) -> CoverageProblem:
    """Read a city file, a rail file, or any file of thatch."""
    text = path.read_bytes()
    if b"NODE_COORD_SECTION" in text:
        if budget is None or radius is None:
            raise SystemExit(f"error: {path} needs a budget and --radius")
        return city(text.decode(), budget=budget, radius=radius)
    columns = rail_columns(text)
    if columns is None:
        return read_instance(path, budget=budget, unit_costs=unit_costs)
    if budget is None:
        raise SystemExit(f"error: {path} needs a budget, as in {path.name}:174")
    problem = CoverageProblem.from_edges(
        columns[0], costs=columns[1], weights=np.ones(columns[2]), budget=budget
    )
    return problem.with_costs(np.ones(problem.num_items)) if unit_costs else problem


def city(text: str, *, budget: float, radius: float) -> CoverageProblem:
    """Read a file of AILS-MCLP: coordinates in degrees, then one demand per place.

    Every place is a site that covers the places within the radius, in meters. The
    published values follow from distances in single precision.
    """
    lines = [line.strip() for line in text.splitlines()]
    first, middle = (
        lines.index("NODE_COORD_SECTION") + 1,
        lines.index("DEMAND_SECTION"),
    )
    places = np.array([line.split() for line in lines[first:middle]], dtype=float)
    demands = np.array(lines[middle + 1 : middle + 1 + len(places)], dtype=float)
    latitudes, longitudes = np.radians(places).T
    pairs = []
    for i in range(len(places)):
        cosines = np.sin(latitudes[i]) * np.sin(latitudes)
        cosines += (
            np.cos(latitudes[i])
            * np.cos(latitudes)
            * np.cos(longitudes - longitudes[i])
        )
        angles = np.arccos(np.clip(cosines, -1, 1)).astype(np.float32)
        distances = angles * EARTH_RADIUS_METERS
        distances[i] = 0
        near = np.flatnonzero(distances <= radius)
        pairs.append(np.column_stack([np.full(near.size, i), near]))
    return CoverageProblem.from_edges(
        np.concatenate(pairs),
        costs=np.ones(len(places)),
        weights=demands,
        budget=budget,
    )


def rail_columns(text: bytes) -> tuple[np.ndarray, np.ndarray, int] | None:
    """Edges, costs and number of elements of a rail file; None if it is not one.

    After the numbers of rows and columns it has, for each column, its cost, the number
    of its rows, and these rows, from 1.
    """
    if not re.match(rb"\s*\d+ +\d+\s*\n", text):
        return None
    numbers = np.array(text.split(), dtype=float)
    num_rows, num_columns = numbers[:2].astype(int)
    edges, costs, position = [], np.zeros(num_columns), 2
    for i in range(num_columns):
        if position + 1 >= numbers.size:
            return None
        costs[i], size = numbers[position], int(numbers[position + 1])
        rows = numbers[position + 2 : position + 2 + size].astype(int) - 1
        if rows.size < size or not ((rows >= 0) & (rows < num_rows)).all():
            return None
        edges.append(np.column_stack([np.full(size, i), rows]))
        position += 2 + size
    return (
        (np.concatenate(edges), costs, num_rows) if position == numbers.size else None
    )
