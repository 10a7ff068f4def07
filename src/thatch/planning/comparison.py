"""`compare`: what two selections share, and what each has alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError, InputTypeError
from thatch.problem.selection import Selection
from thatch.run.result import Result
from thatch.solvers.covering.covering import CoverResult


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two selections of the same items side by side."""

    one: Selection
    other: Selection

    @property
    def shared(self) -> Ints:
        """Items in both, ascending."""
        return np.intersect1d(self.one.items, self.other.items)

    @property
    def only_one(self) -> Ints:
        """Items in the first selection alone, ascending."""
        return np.setdiff1d(self.one.items, self.other.items)

    @property
    def only_other(self) -> Ints:
        """Items in the second selection alone, ascending."""
        return np.setdiff1d(self.other.items, self.one.items)

    @property
    def difference(self) -> float:
        """Share of the items of the larger selection that the other one lacks."""
        largest = max(len(self.one), len(self.other))
        return (largest - self.shared.size) / largest if largest else 0.0

    @property
    def value_change(self) -> float:
        """What the second selection covers more than the first."""
        return self.other.value - self.one.value

    @property
    def cost_change(self) -> float:
        """What the second selection costs more than the first."""
        return self.other.cost - self.one.cost

    @property
    def elements_lost(self) -> Ints:
        """Elements that only the first selection covers, ascending."""
        return np.flatnonzero(self.one.covered & ~self.other.covered)

    @property
    def elements_gained(self) -> Ints:
        """Elements that only the second selection covers, ascending."""
        return np.flatnonzero(~self.one.covered & self.other.covered)

    def labels(self, items: Ints) -> list[str | int]:
        """Names of items, or their indices if they have no names."""
        return [self.one.problem.item_label(i) for i in items.tolist()]

    def __repr__(self) -> str:
        return (
            f"Comparison({self.shared.size} items shared, {self.only_one.size} and "
            f"{self.only_other.size} not, value {self.value_change:+g}, cost "
            f"{self.cost_change:+g})"
        )


def compare(
    one: Result | CoverResult | Selection, other: Result | CoverResult | Selection
) -> Comparison:
    """Compare two selections of the same items, whatever their budgets.

    Parameters
    ----------
    one, other
        Results or selections; changes are from the first to the second.

    >>> from thatch import CoverageProblem, solve
    >>> problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {3}], budget=1)
    >>> compare(solve(problem), solve(problem.with_budget(2)))
    Comparison(1 items shared, 0 and 1 not, value +1, cost +1)
    """
    selections = [_selection_of(each) for each in (one, other)]
    first, second = (each.problem for each in selections)
    sizes = [(each.num_items, each.num_elements) for each in (first, second)]
    if sizes[0] != sizes[1] or first.item_names != second.item_names:
        raise InputError(
            f"the selections belong to different problems, {first} and {second}.",
            hint="Compare selections of the same items.",
        )
    return Comparison(*selections)


def _selection_of(given: object) -> Selection:
    selection = getattr(given, "selection", given)
    if not isinstance(selection, Selection):
        raise InputTypeError(
            f"{given!r:.60} is neither a result nor a selection.",
            hint="Pass what solve or cover returned.",
        )
    return selection
