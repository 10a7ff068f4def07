"""What a selection is worth once an item of it is replaced."""

from __future__ import annotations

from math import inf, nextafter

import numpy as np

from thatch.problem.selection import Selection
from thatch.solvers.greedy import complete_by_gain


def value_without(selection: Selection, k: int) -> float:
    """Value without the k-th chosen item, once others fill its place greedily.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0, 1, 2}, {1, 2}, {3}], budget=2)
    >>> value_without(Selection.of(problem, [0, 2]), 0)
    3.0
    """
    problem = selection.problem
    costs = problem.costs.copy()
    costs[selection.items[k]] = nextafter(problem.budget, inf)  # it never fits
    kept = np.delete(selection.items, k)
    priced = problem.with_costs(costs)
    return complete_by_gain(priced, kept, divisors=costs).value
