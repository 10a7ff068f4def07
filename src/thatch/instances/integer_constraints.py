"""Constraints of a problem as rows and bounds of an integer program."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thatch.arrays import Floats, Ints, frozen
from thatch.instances.column_names import column_names
from thatch.instances.program_rows import Row, Sense
from thatch.problem.constraints import Constraints, Groups
from thatch.problem.coverage_problem import CoverageProblem


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


def constraint_rows(problem: CoverageProblem) -> list[Row]:
    """One row per constraint, but for required and forbidden items and demands.

    >>> problem = CoverageProblem.from_sets({"a": [0], "b": [1]}, budget=2)
    >>> (row,) = constraint_rows(problem.with_constraints(conflicts=[("a", "b")]))
    >>> row.name, row.columns, row.right_side
    ('conflict_a_b', array([0, 1]), 1.0)
    """
    constraints = problem.constraints
    if constraints is None:
        return []
    return [
        *_budget_rows(constraints),
        *_group_rows(constraints.groups),
        *_pair_rows("needs", problem, constraints.prerequisites, -1.0, 0.0),
        *_pair_rows("conflict", problem, constraints.conflicts, 1.0, 1.0),
    ]


def _budget_rows(constraints: Constraints) -> Iterator[Row]:
    budgets = constraints.budgets
    names = column_names("budget", [budget.name for budget in budgets])
    for name, budget in zip(names, budgets, strict=True):
        columns = np.flatnonzero(budget.costs)
        yield Row(name, columns, budget.costs[columns], Sense.AT_MOST, budget.limit)


def _group_rows(groups: Groups | None) -> Iterator[Row]:
    if groups is None:
        return
    items_of = [np.flatnonzero(groups.group == g) for g in range(len(groups.names))]
    for kind, sense, limits in (
        ("at_most", Sense.AT_MOST, groups.at_most.tolist()),
        ("at_least", Sense.AT_LEAST, groups.at_least.tolist()),
    ):
        names = column_names(kind, groups.names)
        for name, items, limit in zip(names, items_of, limits, strict=False):
            is_implied = limit >= items.size if sense is Sense.AT_MOST else limit <= 0
            if not is_implied:
                yield Row(name, items, np.ones(items.size), sense, float(limit))


def _pair_rows(
    kind: str, problem: CoverageProblem, pairs: Ints, other: float, most: float
) -> Iterator[Row]:
    """Rows that bound one item plus `other` times the second by `most`."""
    labels = [
        "_".join(str(problem.item_label(i)) for i in pair) for pair in pairs.tolist()
    ]
    coefficients = np.array([1.0, other])
    for name, pair in zip(column_names(kind, labels), pairs, strict=True):
        yield Row(name, pair, coefficients, Sense.AT_MOST, most)
