"""Constraints of a problem as rows and bounds of an integer program."""

from __future__ import annotations

import numpy as np

from thatch.arrays import Floats, Ints, frozen
from thatch.bounds.constraint_rows import Row as ConstraintRow
from thatch.bounds.constraint_rows import constraint_rows
from thatch.instances.column_names import column_names
from thatch.instances.program_rows import Row, Sense
from thatch.problem.coverage_problem import CoverageProblem

# Bounds of columns say this without a row.
_AS_BOUNDS = {"required", "forbidden"}


def item_bounds(problem: CoverageProblem) -> tuple[Floats, Floats]:
    """Bounds of the item columns: required items are 1, forbidden ones 0.

    >>> problem = CoverageProblem.from_sets([{0}, {1}, {2}], budget=2)
    >>> item_bounds(problem.with_constraints(required=[0], forbidden=[2]))
    (array([1., 0., 0.]), array([1., 1., 0.]))
    """
    lower, upper = np.zeros(problem.num_items), np.ones(problem.num_items)
    if problem.constraints is not None:
        lower[problem.constraints.required] = 1.0
        upper[problem.constraints.forbidden] = 0.0
    return frozen(lower), frozen(upper)


def demands_of(problem: CoverageProblem) -> Ints:
    """How many chosen items must cover each element before it counts."""
    constraints = problem.constraints
    if constraints is None or constraints.demands is None:
        return np.ones(problem.num_elements, dtype=np.int64)
    return constraints.demands.astype(np.int64)


def program_rows(problem: CoverageProblem) -> list[Row]:
    """One row per constraint, but for required and forbidden items and demands.

    >>> problem = CoverageProblem.from_sets({"a": [0], "b": [1]}, budget=2)
    >>> (row,) = program_rows(problem.with_constraints(conflicts=[("a", "b")]))
    >>> row.name, row.columns, row.right_side
    ('conflict_a_b', array([0, 1]), 1.0)
    """
    by_kind: dict[str, list[ConstraintRow]] = {}
    for row in constraint_rows(problem):
        if row.kind not in _AS_BOUNDS:
            by_kind.setdefault(row.kind, []).append(row)
    return [
        _named(name, row)
        for kind, rows in by_kind.items()
        for name, row in zip(
            column_names(kind, [row.label for row in rows]), rows, strict=True
        )
    ]


def _named(name: str, row: ConstraintRow) -> Row:
    if row.kind == "at_least":
        return Row(name, row.items, -row.values, Sense.AT_LEAST, -row.most)
    return Row(name, row.items, row.values, Sense.AT_MOST, row.most)
