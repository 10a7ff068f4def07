"""A map of the pictures guide: chosen stations, and the homes that they reach."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from thatch import CoverageProblem, solve
from thatch.arrays import Floats
from thatch.plot import plot_map, save

PICTURE = Path(__file__).parents[1] / "images" / "stations.png"
RADIUS = 1.2
# Centers and spreads of two towns.
TOWNS = (((3, 3), 1.2), ((7, 6), 1.5))


def main() -> None:
    """Draw into the file given, or into the documentation."""
    problem, sites, homes = stations()
    axes = plot_map(solve(problem), sites=sites, demand=homes, radius=RADIUS)
    axes.set_xlabel("kilometers")
    axes.set_ylabel("kilometers")
    save(axes, sys.argv[1] if len(sys.argv) > 1 else PICTURE)


def stations() -> tuple[CoverageProblem, Floats, Floats]:
    """Eight stations of sixty, for two towns of 200 homes each."""
    rng = np.random.default_rng(2)
    sites = 10 * rng.random((60, 2))
    towns = [rng.normal(center, spread, (200, 2)) for center, spread in TOWNS]
    homes = np.concatenate(towns)
    distances = np.linalg.norm(sites[:, None] - homes, axis=2)
    problem = CoverageProblem.from_matrix(
        distances <= RADIUS,
        weights=rng.integers(1, 20, len(homes)),
        budget=8,
        item_names=[f"station {i}" for i in range(len(sites))],
    )
    return problem, sites, homes


if __name__ == "__main__":
    main()
