"""Rows of splits in a linear program: how many of some items are taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Flags, Ints
from thatch.solvers.proving.claims import Case

if TYPE_CHECKING:
    import highspy


@dataclass(eq=False)
class _Row:
    items: Ints
    number: int
    #: How many of the items are taken, and have no columns.
    num_taken: int
    bounds: tuple[float, float] = (-inf, inf)


class SplitRows:
    """One row per split, which only binds in the cases of the split.

    Cases with the same array of items belong to one split.

    Parameters
    ----------
    highs
        The model.
    place
        The column of each item, or -1.
    is_taken
        Which items without columns are taken.
    """

    def __init__(self, highs: highspy.Highs, place: Ints, is_taken: Flags) -> None:
        self._highs = highs
        self._place = place
        self._is_taken = is_taken
        self._rows: dict[int, _Row] = {}

    def set_cases(self, cases: Sequence[Case]) -> None:
        """Bound the rows of these cases, and free all others."""
        bounds = {}
        for case in cases:
            row = self._row(case.items)
            most = case.most - row.num_taken
            bounds[row.number] = _bounds(most, is_more=case.is_more)
        for row in self._rows.values():
            new = bounds.get(row.number, (-inf, inf))
            if new != row.bounds:
                self._highs.changeRowBounds(row.number, *new)
                row.bounds = new

    def row_of(self, items: Ints) -> int:
        """The number of the row of a split."""
        return self._row(items).number

    def renumber(self, numbers: Ints) -> None:
        """Take the new number of each row of the model."""
        for row in self._rows.values():
            row.number = int(numbers[row.number])

    def falls(self, items: Ints, most: int, *, max_steps: int) -> tuple[float, float]:
        """How far the objective falls in both cases of a split, after some steps."""
        import highspy

        highs = self._highs
        before, number = highs.getInfo().objective_function_value, highs.getNumRow()
        basis = highs.getBasis()
        self._add(items)
        extended = highs.getBasis()
        most -= int(np.count_nonzero(self._is_taken[items]))
        highs.setOptionValue("simplex_iteration_limit", max_steps)
        found = []
        for is_more in (False, True):
            highs.changeRowBounds(number, *_bounds(most, is_more=is_more))
            highs.setBasis(extended)
            highs.run()
            is_out = highs.getModelStatus() == highspy.HighsModelStatus.kInfeasible
            after = -inf if is_out else highs.getInfo().objective_function_value
            found.append(max(0.0, before - after))
        highs.deleteRows(1, np.array([number], dtype=np.int32))
        highs.setBasis(basis)
        return found[0], found[1]

    def _row(self, items: Ints) -> _Row:
        found = self._rows.get(id(items))
        if found is None:
            number = self._highs.getNumRow()
            self._add(items)
            num_taken = int(np.count_nonzero(self._is_taken[items]))
            found = self._rows[id(items)] = _Row(items, number, num_taken)
        return found

    def _add(self, items: Ints) -> None:
        columns = self._place[items]
        columns = columns[columns >= 0].astype(np.int32)
        self._highs.addRow(-inf, inf, columns.size, columns, np.ones(columns.size))


def _bounds(most: int, *, is_more: bool) -> tuple[float, float]:
    return (most + 1.0, inf) if is_more else (-inf, float(most))
