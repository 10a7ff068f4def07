"""The core of a problem: what a selection better than one known may still decide.

At given charges and price an item earns its charges less price times cost. Taking it,
or leaving it out, against the sign of that lowers the bound by as much. Where the bound
would fall to the value of a selection known, the item is settled: no better selection
decides otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np

from thatch.arrays import Flags, Ints, distinct, exact_sum, frozen
from thatch.bounds.dual_bounds import DualPoint
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.problem.selection import Selection

# More than all rounding in a bound and in what a selection loses, as a share of it;
# costs that are not exact take a tenth of that.
_ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Core:
    """The items that are not settled, as a problem of their own."""

    original: CoverageProblem
    #: What is left to decide, without names.
    problem: CoverageProblem
    #: int64, one an item of the core: its number in the original, ascending.
    items: Ints
    #: int64, original items that every better selection takes, ascending.
    taken: Ints

    @classmethod
    def of(cls, problem: CoverageProblem, items: Ints, taken: Ints) -> Core:
        """The problem of choosing among some items when others are taken.

        >>> from thatch import CoverageProblem
        >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
        >>> core = Core.of(problem, np.array([1, 2]), np.array([0]))
        >>> core.problem.weights, core.problem.budget
        (array([1., 1.]), 1.0)
        """
        smaller = _sub_problem(problem, items, taken)
        return cls(problem, smaller, frozen(items), frozen(taken))

    def restored(self, selection: Selection) -> Selection:
        """Selection of the original problem: those taken, and these."""
        chosen = self.items[selection.items]
        return Selection(self.original, distinct(chosen, self.taken))

    def reduced(self, selection: Selection) -> Selection | None:
        """What an original selection decides within the core, if that fits."""
        inside = np.flatnonzero(np.isin(self.items, selection.items))
        found = Selection(self.problem, inside)
        return found if found.is_feasible else None

    @property
    def base(self) -> float:
        """Weight that those taken cover."""
        return Selection(self.original, self.taken).value


def fix_variables(
    problem: CoverageProblem, point: DualPoint, incumbent_value: float
) -> Core:
    """What is left to decide for a selection worth more than a value.

    Parameters
    ----------
    problem
        The problem to settle as much of as possible.
    point
        Charges and price; the lower their bound, the more is settled.
    incumbent_value
        The value of the best selection known.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0, 1, 2}, {2, 3}, {4}], budget=1)
    >>> fix_variables(problem, DualPoint.at(problem, problem.weights), 2.0).taken
    array([0])
    """
    is_taken, is_left = _settled(problem, point, incumbent_value)
    open_items = np.flatnonzero(~is_taken & ~is_left)
    return Core.of(problem, open_items, np.flatnonzero(is_taken))


def open_share(
    problem: CoverageProblem, point: DualPoint, incumbent_value: float
) -> float:
    """Which share of the items the core would have."""
    is_taken, is_left = _settled(problem, point, incumbent_value)
    return 1.0 - float((is_taken | is_left).mean()) if problem.num_items else 0.0


def _settled(
    problem: CoverageProblem, point: DualPoint, incumbent_value: float
) -> tuple[Flags, Flags]:
    to_lose = slack_above(problem, point, incumbent_value)
    is_left = (-point.reduced_profits > to_lose) | (problem.costs > problem.budget)
    return (point.reduced_profits > to_lose) & ~is_left, is_left


def slack_above(
    problem: CoverageProblem, point: DualPoint, incumbent_value: float
) -> float:
    """How far below the bound a selection worth more than a value can lie."""
    # Where weights are whole so are values, but the value to beat need not be.
    least = (
        floor(incumbent_value) + 1.0 if problem.has_whole_weights else incumbent_value
    )
    return point.bound * (1.0 + _ROUNDING) - least


def _sub_problem(problem: CoverageProblem, items: Ints, taken: Ints) -> CoverageProblem:
    """The items alone, with what those taken leave of the weights and the budget."""
    covered = Selection(problem, taken).covered
    costs = problem.costs
    room = problem.budget - exact_sum(costs[taken])
    if not problem.has_exact_costs:
        # Too much rather than too little: what does not fit is found out later.
        room += 1e-12 * problem.budget
    number_of = np.full(problem.num_items, -1)
    number_of[items] = np.arange(items.size)
    edges = problem.edges
    elements = np.repeat(np.arange(problem.num_elements), edges.element_degrees)
    is_kept = (number_of[edges.element_items] >= 0) & ~covered[elements]
    reached, ends = np.unique(elements[is_kept], return_inverse=True)
    return CoverageProblem(
        frozen(costs[items]),
        frozen(problem.weights[reached]),
        max(0.0, room),
        Edges.between(
            number_of[edges.element_items[is_kept]],
            ends,
            num_items=items.size,
            num_elements=reached.size,
        ),
    )
