"""Variable fixing: items that no better selection decides otherwise.

A dual point gives every item a reduced profit: the multipliers of its elements less
price times cost. Deciding against the sign of the reduced profit lowers the bound by
its size. If the bound would fall to the value of the incumbent, the item is fixed:
taken if its reduced profit is positive, left out if it is negative.
"""

from __future__ import annotations

from math import floor

import numpy as np

from thatch.arrays import Flags
from thatch.bounds.dual_bounds import DualPoint
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction

# More than the relative rounding error of a bound and of what a selection loses.
_ROUNDING = 1e-10


def fix_variables(
    problem: CoverageProblem, point: DualPoint, incumbent_value: float
) -> Restriction:
    """Restrict a problem to the items that a better selection may still decide.

    Parameters
    ----------
    problem
        The problem to make smaller.
    point
        Multipliers and price; the lower their bound, the more items are fixed.
    incumbent_value
        The value of the best selection known.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0, 1, 2}, {2, 3}, {4}], budget=1)
    >>> fix_variables(problem, DualPoint.at(problem, problem.weights), 2.0).taken
    array([0])
    """
    is_taken, is_left_out = _fixed(problem, point, incumbent_value)
    free = np.flatnonzero(~is_taken & ~is_left_out)
    return Restriction.of(problem, free, np.flatnonzero(is_taken))


def free_share(
    problem: CoverageProblem, point: DualPoint, incumbent_value: float
) -> float:
    """Share of the items that `fix_variables` would leave free."""
    is_taken, is_left_out = _fixed(problem, point, incumbent_value)
    return 1.0 - float((is_taken | is_left_out).mean()) if problem.num_items else 0.0


def slack(problem: CoverageProblem, point: DualPoint, incumbent_value: float) -> float:
    """How far the value of a better selection can be below the bound."""
    # Integer weights have integer values, but the incumbent's value need not be one.
    least = (
        floor(incumbent_value) + 1.0 if problem.has_integer_weights else incumbent_value
    )
    return point.bound * (1.0 + _ROUNDING) - least


def _fixed(
    problem: CoverageProblem, point: DualPoint, incumbent_value: float
) -> tuple[Flags, Flags]:
    most_lost = slack(problem, point, incumbent_value)
    profits = point.reduced_profits
    is_left_out = (-profits > most_lost) | (problem.costs > problem.budget)
    return (profits > most_lost) & ~is_left_out, is_left_out
