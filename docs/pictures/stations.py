"""A map of the pictures guide: chosen stations, and the homes that they reach."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from thatch import CoverageProblem, solve
from thatch.plot import plot_map
from thatch.plot.drawing import save_both_themes

PICTURE = Path(__file__).parents[1] / "images" / "stations.png"
# Centers and spreads of two towns.
TOWNS = (((3, 3), 1.2), ((7, 6), 1.5))


def main() -> None:
    """Draw into the file given, or into the documentation."""
    axes = plot_map(solve(stations()))
    axes.set_xlabel("kilometers")
    axes.set_ylabel("kilometers")
    save_both_themes(axes, sys.argv[1] if len(sys.argv) > 1 else PICTURE)


def stations() -> CoverageProblem:
    """Eight stations of sixty, for two towns of 200 homes each."""
    rng = np.random.default_rng(2)
    sites = 10 * rng.random((60, 2))
    towns = [rng.normal(center, spread, (200, 2)) for center, spread in TOWNS]
    return CoverageProblem.from_points(
        sites,
        np.concatenate(towns),
        radius=1.2,
        metric="euclidean",
        weights=rng.integers(1, 20, 400),
        budget=8,
        item_names=[f"station {i}" for i in range(60)],
    )


if __name__ == "__main__":
    main()
