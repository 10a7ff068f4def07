"""Integer costs: decimal costs such as 0.1 or 2.50 counted in units of a last decimal.

0.1 has no exact binary representation, so a sum of decimal costs that meets the budget
can appear to exceed it. Counted in tenths or hundredths, the costs are exact.
"""

from __future__ import annotations

from math import floor

import numpy as np

from thatch.arrays import frozen
from thatch.problem.coverage_problem import CoverageProblem

_MAX_DECIMALS = 9
# Sums of up to this many units are off by less than a millionth of a unit.
_MAX_UNITS = 1e9
_TOLERANCE = 1e-6


def with_integer_costs(problem: CoverageProblem) -> CoverageProblem | None:
    """Return the problem with integer costs, or None if costs have many decimals.

    Every selection within the budget is within that of the result. The reverse may
    fail in the last bit of a sum: check the selection of the original problem.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0}, {1}], costs=[0.1, 2.5], budget=0.3)
    >>> scaled = with_integer_costs(problem)
    >>> scaled.costs, scaled.budget
    (array([ 1., 25.]), 3.0)
    """
    for decimals in range(_MAX_DECIMALS + 1):
        with np.errstate(over="ignore"):
            scaled = problem.costs * 10.0**decimals
            if not scaled.sum() <= _MAX_UNITS:
                return None
        integers = np.rint(scaled)
        if (integers / 10.0**decimals == problem.costs).all():
            budget = min(problem.budget * 10.0**decimals, float(integers.sum()))
            return CoverageProblem(
                frozen(integers),
                problem.weights,
                float(floor(budget + _TOLERANCE)),
                problem.edges,
                constraints=problem.constraints,
            )
    return None
