"""What a dual point decides: which items are fixed, and a search among the others."""

from __future__ import annotations

from collections.abc import Callable
from math import floor, inf

import numpy as np

from thatch._kernels.enumeration import Branch
from thatch.problem import tolerances
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.run import Run
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.effort import Effort

# Selections whose values agree but for rounding are compared exactly up to this number,
# which takes about a second. Weights in decimals can make millions of them.
_MOST_TIES = 20_000


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
        self,
        problem: CoverageProblem,
        dual: DualPoint,
        effort: Effort,
        *,
        has_exact_costs: bool = True,
    ) -> None:
        """Start a search; costs may be rounded ones of the problem it came from."""
        self.dual = dual
        #: Maximum number of nodes at the present incumbent, and its value.
        self.max_nodes = 0
        self.incumbent_value = -inf
        #: Which items are decided first, and so on.
        self.order = np.argsort(-np.abs(dual.reduced_profits), kind="stable")
        self._problem = problem
        self._marks = np.zeros(problem.num_items, dtype=np.int8)
        # Above it, sums of integer weights may be off by one half.
        self._is_exact = problem.has_integer_weights and dual.bound < 1e12
        # Else a selection may turn out to exceed the budget: then others count as well.
        self._is_exact &= has_exact_costs
        self._num_ties = 0
        group, at_most = problem.group_limits
        self._search = Branch(
            problem.costs,
            problem.weights,
            problem.edges,
            (group, at_most.copy()),
            self._marks,
            dual=dual,
            order=self.order,
        )
        # A node of many elements takes longer: it counts as several.
        mean_degree = problem.num_edges / max(1, problem.num_items)
        self._node_size = max(1.0, mean_degree / effort.elements_per_node)

    @property
    def is_rounded(self) -> bool:
        """Whether there were too many near ties to compare them all exactly.

        A selection that was not compared exceeds the best by `tolerances.TIES` at most.
        """
        return self._num_ties > _MOST_TIES

    def grow(
        self, run: Run, num_nodes: int, offer: Callable[[Selection], float]
    ) -> bool:
        """Search on for some nodes; return whether every selection was tried.

        Parameters
        ----------
        run
            What may stop the search.
        num_nodes
            How many nodes to visit at most.
        offer
            Called with every selection that may be better; it returns the value of the
            best one, exactly compared.
        """
        problem, nodes = self._problem, int(num_nodes / self._node_size)
        rounding = 0.0 if problem.has_exact_costs else 1e-11 * problem.budget
        # The stopping rules are checked after some hundredths of a second.
        per_check = max(1, int(100_000 / self._node_size))
        while nodes > 0 and not run.must_stop:
            value = self.incumbent_value
            if self.is_rounded:
                value *= 1.0 + tolerances.TIES
            most = min(nodes, per_check)
            nodes_left, is_over, is_found = self._search.search(
                problem.budget + rounding,
                problem.budget - rounding,
                _slack(problem, self.dual, value),
                # Half of the least gain, so that rounding cannot hide it.
                0.5 if self._is_exact else 0.0,
                most,
            )
            if is_found:
                self._num_ties += 1
                found = Selection(problem, np.flatnonzero(self._marks))
                self.incumbent_value = max(self.incumbent_value, offer(found))
            if is_over:
                return True
            nodes -= most - nodes_left
        return False
