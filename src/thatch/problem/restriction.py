"""A problem restricted to some of its items, after others were taken."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.arrays import Ints, distinct, exact_sum, frozen
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.problem.selection import Selection

# Share of the budget that is added where costs cannot be summed exactly.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Restriction:
    """A smaller problem, and the way back to the original one.

    Made by `CoverageProblem.restricted_to`.
    """

    original: CoverageProblem
    #: The smaller problem, without names: the items that may be chosen, the elements
    #: that the taken items leave uncovered, and the rest of the budget.
    problem: CoverageProblem
    #: int64, shape (num_items,): index of each item in the original, ascending.
    items: Ints
    #: int64, original items that every selection takes, ascending.
    taken: Ints

    @classmethod
    def of(cls, original: CoverageProblem, items: Ints, taken: Ints) -> Restriction:
        """Restrict a problem; both lists of items must be sorted and disjoint."""
        is_covered = Selection(original, taken).covered
        edges = original.edges
        degrees = edges.item_degrees[items]
        elements = edges.item_elements[edges.positions_of(items)]
        is_kept = ~is_covered[elements]
        is_reached = np.zeros(original.num_elements, dtype=np.bool_)
        is_reached[elements[is_kept]] = True
        number_of = np.cumsum(is_reached) - 1
        smaller = CoverageProblem(
            frozen(original.costs[items]),
            frozen(original.weights[is_reached]),
            _budget_left(original, taken),
            Edges.between(
                np.repeat(np.arange(items.size), degrees)[is_kept],
                number_of[elements[is_kept]],
                num_items=items.size,
                num_elements=int(is_reached.sum()),
            ),
        )
        return cls(original, smaller, frozen(items), frozen(taken))

    def restored(self, selection: Selection) -> Selection:
        """Selection of the original problem: the taken items and these."""
        chosen = self.items[selection.items]
        return Selection(self.original, distinct(chosen, self.taken))

    def reduced(self, selection: Selection) -> Selection | None:
        """The restricted part of an original selection, or None if it does not fit."""
        inside = np.flatnonzero(np.isin(self.items, selection.items))
        found = Selection(self.problem, inside)
        return found if found.is_feasible else None

    @property
    def base_value(self) -> float:
        """Weight that the taken items cover."""
        return Selection(self.original, self.taken).value


def _budget_left(problem: CoverageProblem, taken: Ints) -> float:
    left = problem.budget - exact_sum(problem.costs[taken])
    if not problem.has_exact_costs:
        # Rather too much than too little: the restored selection is checked later.
        left += _ROUNDING * problem.budget
    return max(0.0, left)
