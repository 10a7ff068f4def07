"""What is claimed about a problem, in units that are powers of two.

What must be rounded to them is rounded against the claim: weights up, costs down,
limits up. So all sums are sums of integers, and no selection is lost by rounding.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, fsum, inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch.verification.rows import (
    BITS,
    Flags,
    Ints,
    NotProvedError,
    Row,
    Table,
    floored,
    unit_of,
)


@dataclass(frozen=True, eq=False)
class Claim:
    """A problem in units, and the value that no selection reaches."""

    weights: NDArray[np.float64]
    item_start: Ints
    item_elements: Ints
    demands: Ints
    required: Ints
    forbidden: Ints
    #: The budget comes first.
    rows: tuple[Row, ...]
    costs: NDArray[np.float64]
    #: The group of each item, and how many of each may be chosen; None without groups.
    groups: tuple[Ints, Ints] | None
    #: Whether one item may replace another: no rows but the budget and group limits.
    is_plain: bool
    #: What the constraints are, for exact comparisons.
    problem: Any
    #: The claim as it is compared in the end: no selection that costs at most, or less
    #: than, the limit covers more than, or leaves at most, a weight.
    most_covered: float | None
    most_left: float | None
    least_cost: float | None
    #: When to give up, by the performance counter.
    last_second: float = inf
    #: How many of the rows, the last ones, are cases of splits.
    num_cases: int = 0

    def within(self, row: Row) -> Claim:
        """The claim about selections that keep one more row."""
        rows = (*self.rows, row)
        return replace(self, rows=rows, num_cases=self.num_cases + 1, is_plain=False)

    def require_time(self) -> None:
        """Give up once the time is over."""
        if time.perf_counter() > self.last_second:
            raise NotProvedError("checking it takes longer than allowed")

    @property
    def num_items(self) -> int:
        return self.item_start.size - 1

    @cached_property
    def table(self) -> Table:
        return Table.of(self.rows)

    @cached_property
    def reachable_weights(self) -> NDArray[np.float64]:
        """Weights of elements that items within the limit cover; 0 for others."""
        budget = self.rows[0].plain or self.rows[0]
        is_open = self.costs <= budget.highest
        is_open[self.forbidden] = False
        return np.where(self._counts(is_open) >= self.demands, self.weights, 0.0)

    @cached_property
    def unit(self) -> int:
        return unit_of(fsum(self.reachable_weights.tolist()))

    @cached_property
    def counted_weights(self) -> Ints:
        return -floored(-self.reachable_weights, self.unit)

    @cached_property
    def has_integers(self) -> bool:
        """Whether what selections cover are integers."""
        weights = self.reachable_weights
        is_integer = bool((weights == np.floor(weights)).all())
        return is_integer and self.unit > BITS - 53

    @cached_property
    def target(self) -> int:
        """A value in units that every selection against the claim reaches."""
        scale = Fraction(2) ** self.unit
        if self.most_covered is not None:
            most = Fraction(self.most_covered)
            if self.has_integers:
                return (floor(most) + 1) * int(scale)
            return floor(most * scale) + 1
        assert self.most_left is not None
        coverable = self.weights[self._is_coverable].tolist()
        total = fsum(coverable)
        error = Fraction(fsum([*coverable, -total]))
        least = Fraction(total) + error - Fraction(self.most_left)
        least -= abs(error) / 2**50
        return ceil(least) * int(scale) if self.has_integers else ceil(least * scale)

    @cached_property
    def _is_coverable(self) -> Flags:
        is_open = np.ones(self.num_items, dtype=bool)
        is_open[self.forbidden] = False
        return self._counts(is_open) >= self.demands

    def _counts(self, chosen: Flags) -> Ints:
        inside = self.item_elements[np.repeat(chosen, np.diff(self.item_start))]
        return np.bincount(inside, minlength=self.weights.size)

    def covered(self, items: Ints) -> Flags:
        """The elements that count if these items are chosen."""
        chosen = np.zeros(self.num_items, dtype=bool)
        chosen[items] = True
        return self._counts(chosen) >= self.demands

    def contradicts(self, items: Ints) -> bool:
        """Whether a selection keeps all constraints, and the claim denies it."""
        costs = fsum(self.costs[items].tolist())
        if self.least_cost is None:
            if costs > self.problem.budget:
                return False
        elif costs >= self.least_cost:
            return False
        if not keeps_constraints(self.problem, items):
            return False
        covered = self.covered(items)
        if self.most_covered is not None:
            return fsum([*self.weights[covered].tolist(), -self.most_covered]) > 0
        assert self.most_left is not None
        left = self.weights[self._is_coverable & ~covered].tolist()
        return fsum([*left, -self.most_left]) <= 0


def _rows(problem: Any, limit: float) -> tuple[Row, ...]:
    """The budget, further budgets, limits of groups, prerequisites, conflicts."""
    rows = [Row.of_costs(problem.costs, limit)]
    constraints = problem.constraints
    if constraints is None:
        return tuple(rows)
    for budget in constraints.budgets:
        rows.append(Row.of_costs(budget.costs, budget.limit))
    groups = constraints.groups
    if groups is not None:
        # The last group is that of all other items.
        for g in range(len(groups.at_most) - 1):
            items = np.flatnonzero(groups.group == g)
            ones = np.ones(items.size)
            rows.append(Row(items, ones, Fraction(int(groups.at_most[g]))))
            rows.append(Row(items, -ones, Fraction(-int(groups.at_least[g]))))
    for pairs, value, most in (
        (constraints.prerequisites, -1.0, 0),
        (constraints.conflicts, 1.0, 1),
    ):
        for pair in np.asarray(pairs).tolist():
            rows.append(Row(np.array(pair), np.array([1.0, value]), Fraction(most)))
    return tuple(rows)


def keeps_constraints(problem: Any, items: Ints) -> bool:
    """Whether a selection keeps everything but the budget."""
    constraints = problem.constraints
    if constraints is None:
        return True
    chosen = np.zeros(problem.costs.size, dtype=bool)
    chosen[items] = True
    if not chosen[constraints.required].all() or chosen[constraints.forbidden].any():
        return False
    for budget in constraints.budgets:
        if fsum(budget.costs[items].tolist()) > budget.limit:
            return False
    groups = constraints.groups
    if groups is not None:
        counts = np.bincount(groups.group[items], minlength=groups.at_most.size)
        if (counts > groups.at_most).any() or (counts < groups.at_least).any():
            return False
    needs, excludes = constraints.prerequisites, constraints.conflicts
    if (chosen[needs[:, 0]] & ~chosen[needs[:, 1]]).any():
        return False
    return not (chosen[excludes[:, 0]] & chosen[excludes[:, 1]]).any()


def claim_about(
    problem: Any,
    *,
    most_covered: float | None = None,
    most_left: float | None = None,
    least_cost: float | None = None,
    last_second: float = inf,
) -> Claim:
    """The claim that no selection covers more, or that no cheaper one suffices."""
    costs, weights = problem.costs, problem.weights
    if most_covered is not None and most_covered < 0:
        # That there is no selection at all does not depend on weights.
        weights = np.zeros(weights.size)
    limit = problem.budget
    if least_cost is not None:
        limit = nextafter(least_cost, -inf)
    constraints = problem.constraints
    none = np.zeros(0, dtype=np.int64)
    demands = np.ones(weights.size, dtype=np.int64)
    groups, is_plain = None, True
    if constraints is not None:
        if constraints.demands is not None:
            demands = constraints.demands.astype(np.int64)
        found = constraints.groups
        is_plain = bool((demands == 1).all()) and not (
            constraints.budgets
            or len(constraints.prerequisites)
            or len(constraints.conflicts)
        )
        if found is not None:
            is_plain &= not (found.at_least > 0).any()
            groups = (found.group, found.at_most)
    return Claim(
        weights=weights,
        item_start=np.asarray(problem.edges.item_start, dtype=np.int64),
        item_elements=np.asarray(problem.edges.item_elements, dtype=np.int64),
        demands=demands,
        required=none if constraints is None else constraints.required,
        forbidden=none if constraints is None else constraints.forbidden,
        rows=_rows(problem, limit),
        costs=costs,
        groups=groups,
        is_plain=is_plain,
        problem=problem,
        most_covered=most_covered,
        most_left=most_left,
        least_cost=least_cost,
        last_second=last_second,
    )
