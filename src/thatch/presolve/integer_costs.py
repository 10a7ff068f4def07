"""Costs such as 0.1 or 2.50, counted in whole steps.

Doubles hold no tenth exactly, so sums of decimal costs that meet the budget look like
sums that just pass it. Counted in steps of a tenth, or a hundredth, they are exact.
"""

from __future__ import annotations

from math import floor

import numpy as np

from thatch.arrays import frozen
from thatch.problem.coverage_problem import CoverageProblem

_MOST_DECIMALS = 9
# Sums up to so many steps are off by less than a millionth of a step.
_MOST_STEPS = 1e9
_CLOSE = 1e-6


def with_integer_costs(problem: CoverageProblem) -> CoverageProblem | None:
    """The same problem with whole costs, if all costs have few decimals.

    Every selection within the budget is within the other's, too. The last bit of a sum
    may make the opposite wrong: ask the original selection.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0}, {1}], costs=[0.1, 2.5], budget=0.3)
    >>> with_integer_costs(problem).costs, with_integer_costs(problem).budget
    (array([ 1., 25.]), 3.0)
    """
    for decimals in range(_MOST_DECIMALS + 1):
        with np.errstate(over="ignore"):
            scaled = problem.costs * 10.0**decimals
            if not scaled.sum() <= _MOST_STEPS:
                return None
        whole = np.rint(scaled)
        if (whole / 10.0**decimals == problem.costs).all():
            budget = min(problem.budget * 10.0**decimals, float(whole.sum()))
            return CoverageProblem(
                frozen(whole),
                problem.weights,
                float(floor(budget + _CLOSE)),
                problem.edges,
            )
    return None
