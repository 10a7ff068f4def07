"""A problem restricted to some of its items, with the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.arrays import Ints, distinct, frozen
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection


@dataclass(frozen=True, eq=False)
class Restriction:
    """The problem of choosing among some items when others are taken.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=2)
    >>> restriction = Restriction.of(problem, np.array([1, 2]), np.array([0]))
    >>> restriction.restored(Selection.of(restriction.problem, [1])).items
    array([0, 2])
    """

    original: CoverageProblem
    #: The smaller problem; see `CoverageProblem.restricted_to`.
    problem: CoverageProblem
    #: int64, shape (num_items,): index of each item in the original, ascending.
    items: Ints
    #: int64, original items that every selection takes, ascending.
    taken: Ints

    @classmethod
    def of(cls, original: CoverageProblem, items: Ints, taken: Ints) -> Restriction:
        """Restrict a problem; both lists of items must be sorted and disjoint."""
        smaller = original.restricted_to(items, taken)
        return cls(original, smaller, frozen(items.copy()), frozen(taken.copy()))

    def restored(self, selection: Selection) -> Selection:
        """Selection of the original problem: the taken items and these."""
        chosen = self.items[selection.items]
        return Selection(self.original, distinct(chosen, self.taken))

    def reduced(self, selection: Selection) -> Selection | None:
        """The free items of an original selection, or None if they do not fit."""
        inside = np.flatnonzero(np.isin(self.items, selection.items))
        found = Selection(self.problem, inside)
        return found if found.is_feasible else None

    @property
    def base_value(self) -> float:
        """Weight that the taken items cover."""
        return Selection(self.original, self.taken).value
