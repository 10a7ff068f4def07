"""What a dual point decides: which items are fixed, and a search among the others."""

from __future__ import annotations

from math import floor, inf

import numpy as np

from thatch._kernels.enumeration import Branch
from thatch.problem import tolerances
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.run import Run
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.effort import Effort


def fix_variables(
    problem: CoverageProblem,
    point: DualPoint,
    incumbent_value: float,
    *,
    max_free_share: float = 1.0,
) -> Restriction | None:
    """Restrict a problem to the items that a better selection may still decide.

    Parameters
    ----------
    problem
        The problem to make smaller.
    point
        Multipliers and price; the lower their bound, the more items are fixed.
    incumbent_value
        The value of the best selection known.
    max_free_share
        If a larger share of the items stays free, the result is None.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0, 1, 2}, {2, 3}, {4}], budget=1)
    >>> fix_variables(problem, DualPoint.at(problem, problem.weights), 2.0).taken
    array([0])
    """
    most_lost = _slack(problem, point, incumbent_value)
    profits = point.reduced_profits
    is_left_out = (-profits > most_lost) | (problem.costs > problem.budget)
    is_taken = (profits > most_lost) & ~is_left_out
    is_fixed = is_taken | is_left_out
    if problem.num_items and 1.0 - float(is_fixed.mean()) > max_free_share:
        return None
    return Restriction.of(problem, np.flatnonzero(~is_fixed), np.flatnonzero(is_taken))


def _slack(problem: CoverageProblem, point: DualPoint, incumbent_value: float) -> float:
    """How far the value of a better selection can be below the bound."""
    # Integer weights have integer values, but the incumbent's value need not be one.
    least = (
        floor(incumbent_value) + 1.0 if problem.has_integer_weights else incumbent_value
    )
    return point.bound * (1.0 + tolerances.FIXING) - least


class SearchTree:
    """Branch and bound at one dual point; it can be continued."""

    def __init__(
        self, problem: CoverageProblem, dual: DualPoint, effort: Effort
    ) -> None:
        self.dual = dual
        #: Maximum number of nodes at the present incumbent, and its value.
        self.max_nodes = 0
        self.incumbent_value = -inf
        self._problem = problem
        self._marks = np.zeros(problem.num_items, dtype=np.int8)
        self._is_found = False
        group, at_most = problem.group_limits
        self._search = Branch(
            problem.costs,
            problem.weights,
            problem.edges,
            (group, at_most.copy()),
            self._marks,
            dual=dual,
            order=np.argsort(-np.abs(dual.reduced_profits), kind="stable"),
        )
        # A node of many elements takes longer: it counts as several.
        mean_degree = problem.num_edges / max(1, problem.num_items)
        self._node_size = max(1.0, mean_degree / effort.elements_per_node)

    def grow(
        self, run: Run, num_nodes: int, *, tolerance: float
    ) -> tuple[Selection | None, bool]:
        """Search on for some nodes; return the best selection if it is better.

        The second is whether every selection was tried. A selection that is better by
        less than the tolerance counts for nothing.
        """
        is_complete = self._search_on(run, int(num_nodes / self._node_size), tolerance)
        if not self._is_found:
            return None, is_complete
        return Selection(self._problem, np.flatnonzero(self._marks)), is_complete

    def _search_on(self, run: Run, nodes: int, tolerance: float) -> bool:
        problem = self._problem
        rounding = 0.0 if problem.has_exact_costs else 1e-11 * problem.budget
        # The stopping rules are checked after some hundredths of a second.
        per_check = max(1, int(100_000 / self._node_size))
        while nodes > 0 and not run.must_stop:
            nodes_left, is_complete, self._is_found = self._search.search(
                problem.budget + rounding,
                problem.budget - rounding,
                _slack(problem, self.dual, self.incumbent_value),
                # Half of the least gain, so that rounding cannot hide it.
                0.5 if problem.has_integer_weights else 0.1 * tolerance,
                min(nodes, per_check),
            )
            if nodes_left > 0:
                return is_complete
            nodes -= per_check
        return False
