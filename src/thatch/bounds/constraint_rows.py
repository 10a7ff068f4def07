"""Constraints as rows of a linear program over the items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import frexp, ldexp

import numpy as np

from thatch.arrays import Floats, Ints, exact_sum
from thatch.problem.constraints import Constraints, Groups
from thatch.problem.coverage_problem import CoverageProblem

__all__ = ["Row", "budget_row", "constraint_rows", "highs_scale"]

# HiGHS has an absolute tolerance of 1e-6. Integers up to the first number are passed on
# as they are; others are scaled to about 2^16.
_LARGEST_UNSCALED = 1e6
_LARGEST_EXPONENT = 16


@dataclass(frozen=True, eq=False)
class Row:
    """The values of some items sum to at most a limit."""

    #: What it says, for messages and for names in files.
    text: str
    #: int64: the items, ascending.
    items: Ints
    values: Floats
    most: float


def budget_row(problem: CoverageProblem) -> Row:
    """The budget of the problem."""
    budget = min(problem.budget, exact_sum(problem.costs))
    return _cost_row(f"the budget of {problem.budget:g}", problem.costs, budget)


def constraint_rows(problem: CoverageProblem) -> list[Row]:
    """One row per constraint, without the budget and the demands.

    >>> problem = CoverageProblem.from_sets([{0}, {1}], budget=2)
    >>> (row,) = constraint_rows(problem.with_constraints(conflicts=[(0, 1)]))
    >>> row.text, row.items.tolist(), row.most
    ('the conflict of 0 and 1', [0, 1], 1.0)
    """
    constraints = problem.constraints
    if constraints is None:
        return []
    return [*_item_rows(problem, constraints), *_group_rows(constraints.groups)]


def _item_rows(problem: CoverageProblem, constraints: Constraints) -> Iterator[Row]:
    label = problem.item_label
    for i in constraints.required.tolist():
        yield _row(f"required item {label(i)!r}", {i: -1.0}, -1.0)
    for i in constraints.forbidden.tolist():
        yield _row(f"forbidden item {label(i)!r}", {i: 1.0}, 0.0)
    for budget in constraints.budgets:
        text = f"the budget {budget.name!r} of {budget.limit:g}"
        yield _cost_row(text, budget.costs, min(budget.limit, exact_sum(budget.costs)))
    for one, other in constraints.prerequisites.tolist():
        text = f"the prerequisite {label(other)!r} of {label(one)!r}"
        yield _row(text, {one: 1.0, other: -1.0}, 0.0)
    for one, other in constraints.conflicts.tolist():
        text = f"the conflict of {label(one)!r} and {label(other)!r}"
        yield _row(text, {one: 1.0, other: 1.0}, 1.0)


def _group_rows(groups: Groups | None) -> Iterator[Row]:
    if groups is None:
        return
    order = np.argsort(groups.group, kind="stable")
    ends = np.cumsum(groups.sizes)
    sizes = groups.sizes
    for g in range(len(groups.names)):
        items = order[ends[g] - sizes[g] : ends[g]]
        ones = np.ones(items.size)
        most, least = int(groups.at_most[g]), int(groups.at_least[g])
        if most < items.size:
            text = f"at most {most} of group {groups.names[g]!r}"
            yield Row(text, items, ones, float(most))
        if least > 0:
            text = f"at least {least} of group {groups.names[g]!r}"
            yield Row(text, items, -ones, -float(least))


def _row(text: str, values: dict[int, float], most: float) -> Row:
    items = sorted(values)
    return Row(text, np.array(items), np.array([values[i] for i in items]), most)


def _cost_row(text: str, costs: Floats, limit: float) -> Row:
    """A budget, scaled to the tolerances of HiGHS."""
    is_within = costs <= limit
    scale = highs_scale(np.append(costs[is_within], limit))
    # An item that exceeds the limit by itself would not, once it is scaled to infinity.
    values = np.where(is_within, costs, 2.0 * limit) * scale
    if limit == 0.0:
        values = np.where(is_within, 0.0, 1.0)
    return Row(text, np.arange(costs.size), values, limit * scale)


def highs_scale(values: Floats) -> float:
    """Power of two that brings the largest value close below 2^16.

    Moderate integers are not scaled.
    """
    largest = float(values.max(initial=0.0))
    is_integer = bool((values == np.floor(values)).all())
    if largest == 0.0 or (is_integer and largest <= _LARGEST_UNSCALED):
        return 1.0
    # Numbers below 2^-990 stay so small that HiGHS treats them as 0.
    return ldexp(1.0, min(1000, _LARGEST_EXPONENT - frexp(largest)[1]))
