"""Choose sites for clinics: the most people within two kilometers, for a given budget.

Homes are densest around the center of a plane, where sites cost most.
"""

import numpy as np

from thatch import CoverageProblem, solve

REACH = 2.0  # kilometers
BUDGET = 30.0  # millions


def main() -> None:
    rng = np.random.default_rng(7)
    homes = rng.uniform(-4.0, 4.0, size=(3, 600, 2)).sum(axis=0)
    people = rng.integers(1, 6, size=600)
    sites = rng.uniform(-8.0, 8.0, size=(60, 2))
    costs = np.round(2.0 + 6.0 / (1.0 + np.hypot(*sites.T)), 1)

    distances = np.linalg.norm(sites[:, None] - homes[None, :], axis=2)
    problem = CoverageProblem.from_matrix(
        distances <= REACH, costs=costs, weights=people, budget=BUDGET
    )
    result = solve(problem)
    selection = result.selection
    print(f"{selection.value:.0f} of {people.sum()} people are within {REACH:g} km")
    print(f"{len(selection)} of {len(sites)} sites, {selection.cost:.1f} millions")
    print(f"status {result.status.label}, gap {result.gap:.1%}")
    nearest = distances[selection.items].min(axis=0)
    mean = np.average(nearest, weights=people)
    print(f"mean distance to the nearest clinic: {mean:.1f} km")
    for i, alone in zip(selection.items, selection.contributions, strict=True):
        x, y = sites[i]
        place = f"site {i:2} at ({x:+.1f}, {y:+.1f})"
        print(f"{place}, {alone:3.0f} people within its reach only")


if __name__ == "__main__":
    main()
