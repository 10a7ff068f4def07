"""Constraints as rows of a linear program over the items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.problem.constraints import Constraints, Groups
from thatch.problem.coverage_problem import CoverageProblem

# HiGHS has an absolute tolerance of 1e-6. Integers up to the first number are passed on
# as they are; others are scaled to about 2^16.
_LARGEST_UNSCALED = 1e6
_LARGEST_EXPONENT = 16
_NONE = np.zeros(0)


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
        *_further_budgets(constraints),
        *_group_rows(constraints.groups),
        *_pair_rows(problem, constraints),
    ]


@dataclass(frozen=True, eq=False)
class RowTable:
    """Many rows at once, without names: one entry per item of each row."""

    #: int64: the number of items of each row.
    sizes: Ints
    items: Ints
    values: Floats
    #: float64: the limits.
    most: Floats

    @classmethod
    def of(cls, rows: Sequence[Row]) -> RowTable:
        """The rows without their names."""
        return cls(
            np.array([row.items.size for row in rows], dtype=np.int64),
            np.concatenate([*(row.items for row in rows), _NONE.astype(np.int64)]),
            np.concatenate([*(row.values for row in rows), _NONE]),
            np.array([row.most for row in rows], dtype=np.float64),
        )

    @classmethod
    def joined(cls, tables: Sequence[RowTable]) -> RowTable:
        """The rows of some tables, one after the other."""
        columns = (each.name for each in fields(cls))
        return cls(
            *(
                np.concatenate([getattr(table, name) for table in tables])
                for name in columns
            )
        )

    @property
    def row_of(self) -> Ints:
        """The row of each entry."""
        return np.repeat(np.arange(self.sizes.size), self.sizes)

    def scaled(self) -> RowTable:
        """The rows scaled to the tolerances of HiGHS."""
        row_of, count = self.row_of, self.sizes.size
        # More than all values together is no limit, and would scale them to nothing.
        sums = np.bincount(row_of, np.maximum(self.values, 0.0), count)
        most = np.minimum(self.most, sums)
        is_within = self.values <= np.maximum(most, 0.0)[row_of]
        largest, are_whole = np.abs(most), most == np.floor(most)
        np.maximum.at(largest, row_of[is_within], np.abs(self.values[is_within]))
        are_whole[row_of[is_within & (self.values != np.floor(self.values))]] = False
        scales = highs_scales(largest, are_whole)
        # A value that exceeds the limit by itself must not become infinite.
        beyond = np.where(most > 0, 2.0 * most, 1.0)[row_of]
        values = np.where(is_within, self.values, beyond)
        return replace(self, values=values * scales[row_of], most=most * scales)


def priced_rows(problem: CoverageProblem) -> RowTable:
    """The rows that certificates have prices for, in their order.

    The budget comes first, then further budgets; for each group but the last, which has
    no limits, at most and at least; prerequisites; conflicts.
    """
    constraints = problem.constraints
    if constraints is None:
        return RowTable.of([budget_row(problem)])
    tables = [RowTable.of([budget_row(problem), *_further_budgets(constraints)])]
    if constraints.groups is not None:
        tables.append(_group_table(constraints.groups))
    tables += [
        _pair_table(constraints.prerequisites, second=-1.0, most=0.0),
        _pair_table(constraints.conflicts, second=1.0, most=1.0),
    ]
    return RowTable.joined(tables)


def all_rows(problem: CoverageProblem) -> RowTable:
    """The priced rows, and those of required and forbidden items."""
    priced, constraints = priced_rows(problem), problem.constraints
    if constraints is None:
        return priced
    required, forbidden = constraints.required, constraints.forbidden
    items = np.concatenate([required, forbidden]).astype(np.int64)
    values = np.repeat([-1.0, 1.0], [required.size, forbidden.size])
    decided = RowTable(np.ones_like(items), items, values, np.minimum(values, 0.0))
    return RowTable.joined([priced, decided])


def _group_table(groups: Groups) -> RowTable:
    """Two rows per group: at most this many of its items, and at least this many."""
    count = len(groups.names)
    order = np.argsort(groups.group, kind="stable")
    first = np.cumsum(groups.sizes) - groups.sizes
    sizes = np.repeat(groups.sizes[:count], 2)
    place = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    limits = np.column_stack([groups.at_most, -groups.at_least])[:count]
    return RowTable(
        sizes,
        order[np.repeat(np.repeat(first[:count], 2), sizes) + place],
        np.repeat(np.tile([1.0, -1.0], count), sizes),
        limits.astype(np.float64).ravel(),
    )


def _pair_table(pairs: Ints, *, second: float, most: float) -> RowTable:
    """One row per pair: the first item counts once, the second as given."""
    order = np.argsort(pairs, axis=1)
    return RowTable(
        np.full(len(pairs), 2),
        np.take_along_axis(pairs, order, axis=1).ravel().astype(np.int64),
        np.array([1.0, second])[order].ravel(),
        np.full(len(pairs), most),
    )


def _further_budgets(constraints: Constraints) -> Iterator[Row]:
    for each in constraints.budgets:
        text = f"the budget {each.name!r} of {each.limit:g}"
        yield _cost_row("budget", each.name, text, each.costs, each.limit)


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
    is_whole = np.array([(values == np.floor(values)).all()])
    return float(highs_scales(np.array([values.max(initial=0.0)]), is_whole)[0])


def highs_scales(largest: Floats, are_whole: Flags) -> Floats:
    """The same for many sets of values, of which only the largest is needed."""
    # Numbers below 2^-990 stay so small that HiGHS treats them as 0.
    exponent = np.minimum(1000, _LARGEST_EXPONENT - np.frexp(largest)[1])
    is_left = (largest == 0.0) | (are_whole & (largest <= _LARGEST_UNSCALED))
    return np.where(is_left, 1.0, np.ldexp(1.0, exponent))
