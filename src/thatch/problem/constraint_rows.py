"""Constraints as rows of a linear program over the items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import frexp, ldexp

import numpy as np

from thatch.arrays import Floats, Ints, exact_sum
from thatch.problem.constraints import Constraints, Groups
from thatch.problem.coverage_problem import CoverageProblem

# HiGHS has an absolute tolerance of 1e-6. Integers up to the first number are passed on
# as they are; others are scaled to about 2^16.
_LARGEST_UNSCALED = 1e6
_LARGEST_EXPONENT = 16


@dataclass(frozen=True, eq=False)
class Row:
    """The values of some items sum to at most a limit."""

    #: Which constraint it is: "required", "at_least" and so on.
    kind: str
    #: Whose it is: the name of a group or budget, or the labels of the items.
    label: str
    #: What it says, for messages.
    text: str
    #: int64: the items, ascending.
    items: Ints
    values: Floats
    most: float

    def scaled(self) -> Row:
        """The row scaled to the tolerances of HiGHS."""
        # More than all values together is no limit, and would scale them to nothing.
        most = min(self.most, exact_sum(np.maximum(self.values, 0.0)))
        is_within = self.values <= max(most, 0.0)
        scale = highs_scale(np.append(np.abs(self.values[is_within]), abs(most)))
        # A value that exceeds the limit by itself must not become infinite.
        values = np.where(is_within, self.values, 2.0 * most if most > 0 else 1.0)
        return replace(self, values=values * scale, most=most * scale)


def budget_row(problem: CoverageProblem) -> Row:
    """The budget of the problem."""
    text = f"the budget of {problem.budget:g}"
    return _cost_row("budget", "", text, problem.costs, problem.budget)


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
    return [
        *_decided_rows(problem, constraints),
        *(
            _cost_row(
                "budget",
                each.name,
                f"the budget {each.name!r} of {each.limit:g}",
                each.costs,
                each.limit,
            )
            for each in constraints.budgets
        ),
        *_group_rows(constraints.groups),
        *_pair_rows(problem, constraints),
    ]


def excluding_row(problem: CoverageProblem, items: Ints) -> Row:
    """A row that excludes a selection which HiGHS takes for a feasible one.

    If it exceeds a budget, by less than the tolerance of HiGHS, the row excludes every
    selection that contains as many items that cost no less. Otherwise it excludes these
    items and no others.
    """
    budgets = [budget_row(problem)]
    budgets += [row for row in constraint_rows(problem) if row.kind == "budget"]
    for row in budgets:
        costs = np.zeros(problem.num_items)
        costs[row.items] = row.values
        if exact_sum(costs[items]) > row.most:
            dearest_first = items[np.argsort(-costs[items], kind="stable")]
            size = 1
            while exact_sum(costs[dearest_first[:size]]) <= row.most:
                size += 1
            is_inside = costs >= costs[dearest_first[0]]
            is_inside[dearest_first[:size]] = True
            inside = np.flatnonzero(is_inside)
            return replace(
                row, items=inside, values=np.ones(inside.size), most=size - 1.0
            )
    values = -np.ones(problem.num_items)
    values[items] = 1.0
    everything = np.arange(problem.num_items)
    return Row("excluded", "", "rounding errors", everything, values, items.size - 1.0)


def _decided_rows(problem: CoverageProblem, constraints: Constraints) -> Iterator[Row]:
    for kind, items, value in (
        ("required", constraints.required, -1.0),
        ("forbidden", constraints.forbidden, 1.0),
    ):
        for i in items.tolist():
            label = problem.item_label(i)
            text = f"{kind} item {label!r}"
            yield _row(kind, str(label), text, {i: value}, min(value, 0.0))


def _pair_rows(problem: CoverageProblem, constraints: Constraints) -> Iterator[Row]:
    label = problem.item_label
    for one, other in constraints.prerequisites.tolist():
        names = f"{label(one)}_{label(other)}"
        text = f"the prerequisite {label(other)!r} of {label(one)!r}"
        yield _row("needs", names, text, {one: 1.0, other: -1.0}, 0.0)
    for one, other in constraints.conflicts.tolist():
        names = f"{label(one)}_{label(other)}"
        text = f"the conflict of {label(one)!r} and {label(other)!r}"
        yield _row("conflict", names, text, {one: 1.0, other: 1.0}, 1.0)


def _group_rows(groups: Groups | None) -> Iterator[Row]:
    if groups is None:
        return
    order = np.argsort(groups.group, kind="stable")
    ends, sizes = np.cumsum(groups.sizes), groups.sizes
    for g, name in enumerate(groups.names):
        items = order[ends[g] - sizes[g] : ends[g]]
        ones = np.ones(items.size)
        most, least = int(groups.at_most[g]), int(groups.at_least[g])
        if most < items.size:
            text = f"at most {most} of group {name!r}"
            yield Row("at_most", name, text, items, ones, float(most))
        if least > 0:
            text = f"at least {least} of group {name!r}"
            yield Row("at_least", name, text, items, -ones, -float(least))


def _row(
    kind: str, label: str, text: str, values: dict[int, float], most: float
) -> Row:
    items = sorted(values)
    coefficients = np.array([values[i] for i in items])
    return Row(kind, label, text, np.array(items), coefficients, most)


def _cost_row(kind: str, label: str, text: str, costs: Floats, limit: float) -> Row:
    items = np.flatnonzero(costs)
    return Row(kind, label, text, items, costs[items], limit)


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
