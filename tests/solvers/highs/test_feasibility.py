"""Naming constraints that contradict each other, as far as the time allows."""

from math import inf

import numpy as np

from thatch import CoverageProblem
from thatch.problem.constraint_rows import RowTable, constraint_rows
from thatch.solvers.highs.feasibility import conflicting

PROBLEM = CoverageProblem.from_sets([{0}, {1}, {2}, {3}], budget=4).with_constraints(
    required=[0, 1], conflicts=[(0, 1), (2, 3)]
)
ROWS = constraint_rows(PROBLEM)


def is_feasible(rows):
    """Whether any selection keeps the rows: all are tried."""
    for chosen in np.ndindex(2, 2, 2, 2):
        taken = np.array(chosen)
        if all(taken[row.items] @ row.values <= row.most for row in rows):
            return True
    return False


def test_only_rows_that_contradict_each_other_are_named():
    named = [row.text for row in conflicting(ROWS, is_feasible)]
    assert named == ["required item 0", "required item 1", "the conflict of 0 and 1"]


def test_without_time_all_rows_are_named_and_none_is_tried():
    assert conflicting(ROWS, None, last_second=-inf) == ROWS


def test_scaling_leaves_rows_of_single_items_and_pairs_as_they_are():
    table = RowTable.of(ROWS)
    scaled = table.scaled()
    assert scaled.values.tolist() == table.values.tolist()
    assert scaled.most.tolist() == table.most.tolist()
