"""What is claimed about a problem, in units that are powers of two.

What must be rounded to them is rounded against the claim: weights up, costs down,
limits up. So all sums are sums of integers, and no selection is lost by rounding.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, frexp, fsum, inf, isfinite, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

# All weights, or values of a row, add up to less than 2 to this power in units; what
# prices make of them, to less than 2^4 times as much. NumPy's integers end at 2^63.
BITS, PRICED_BITS = 57, 61
# Of more different costs than these, the ratios to their integers are not computed:
# each takes microseconds, and only costs that are nearly all equal gain by it.
_MOST_RATIOS = 1000

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]


class NotProvedError(Exception):
    """A certificate does not show what is claimed."""


@dataclass(frozen=True, eq=False)
class Row:
    """The chosen items' values sum to at most a limit."""

    items: Ints
    values: NDArray[np.float64]
    limit: Fraction
    #: What one unit of the original values is: 1, or a power of 10.
    scale: float = 1.0
    #: The same without counting in integers, which may allow a little less.
    plain: Row | None = None

    @classmethod
    def of_costs(cls, costs: NDArray[np.float64], limit: float) -> Row:
        """The row of a budget, in integers if costs have few decimals.

        The rounded sum of the costs is within the limit: so the sum of the integers is
        at most the integer below it.
        """
        items = np.flatnonzero(costs)
        given = costs[items]
        for decimals in range(10):
            scale = 10.0**decimals
            integers = np.rint(given * scale)
            # Up to this sum, what decimals are rounded by is less than a millionth.
            if not integers.sum() <= 1e9:
                break
            if (integers / scale == given).all():
                # Above this limit everything is allowed.
                most = min(_most_sum(given, limit) * int(scale), Fraction(10**10))
                whole = floor(most / _least_ratio(given, integers, int(scale)))
                is_over = given > limit
                integers[is_over] = np.maximum(integers[is_over], whole + 1)
                plain = cls(items, given, _most_sum(given, limit))
                return cls(items, integers, Fraction(whole), scale, plain)
        return cls(items, given, _most_sum(given, limit))

    @cached_property
    def highest(self) -> float:
        """The limit, rounded up."""
        found = float(self.limit)
        return found if Fraction(found) >= self.limit else nextafter(found, inf)

    @cached_property
    def is_positive(self) -> bool:
        """Whether no item makes room for others."""
        return bool((self.values >= 0).all())

    @cached_property
    def capped(self) -> NDArray[np.float64]:
        """Values; above the limit, where items are left out, the limit will do."""
        return (
            np.minimum(self.values, self.highest) if self.is_positive else self.values
        )

    def left_by(self, is_taken: Flags) -> Row:
        """The row of the other items: what is left of the limit, rounded up."""
        inside = is_taken[self.items]
        spent = self.values[inside].tolist()
        total = fsum(spent)
        # The exact sum is the rounded one and what that lacks, itself rounded.
        lacking = fsum([*spent, -total])
        least = Fraction(total) + Fraction(lacking) - abs(Fraction(lacking)) / 2**50
        outside = ~inside
        return replace(
            self,
            items=self.items[outside],
            values=self.values[outside],
            limit=self.limit - least,
        )

    @cached_property
    def counted(self) -> tuple[Ints, int]:
        """Values and limit in units, rounded so that no selection is lost.

        A value that exceeds the limit by itself stays above it, whatever its size.
        """
        highest = self.highest
        is_over = (self.values > max(highest, 0.0)) & self.is_positive
        within = np.where(is_over, 0.0, self.values)
        unit = unit_of(float(np.abs(within).sum()) + abs(highest))
        limit = floor(self.limit * Fraction(2) ** unit)
        values = floored(within, unit)
        values[is_over] = max(limit, 0) + 1
        return values, limit


@dataclass(frozen=True, eq=False)
class Table:
    """All rows in units, one entry per item of each."""

    rows: Ints
    items: Ints
    values: Ints
    limits: Ints
    start: Ints

    @classmethod
    def of(cls, rows: tuple[Row, ...]) -> Table:
        plain = [row.plain for row in rows if row.plain is not None]
        kept = [row for row in (*rows, *plain) if row.items.size]
        counted = [row.counted for row in kept]
        sizes = np.array([row.items.size for row in kept], dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        return cls(
            np.repeat(np.arange(sizes.size), sizes),
            np.concatenate([none, *(row.items for row in kept)]),
            np.concatenate([none, *(values for values, _ in counted)]),
            np.array([limit for _, limit in counted], dtype=np.int64),
            np.cumsum(sizes) - sizes,
        )

    def sums(self, values: Ints) -> Ints:
        """The sum over each row of one value per entry."""
        return np.add.reduceat(values, self.start) if self.start.size else values


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


def floored(values: NDArray[np.float64], unit: int) -> Ints:
    """Numbers in units, rounded down."""
    return np.floor(np.ldexp(values, unit)).astype(np.int64)


def unit_of(total: float) -> int:
    """The power of two that turns a total into a large integer."""
    return BITS - frexp(total)[1] if total > 0 else 0


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


def _least_ratio(
    costs: NDArray[np.float64], integers: NDArray[np.float64], scale: int
) -> Fraction:
    """The least ratio of a cost in units to its integer, or a little less."""
    distinct, first = np.unique(costs, return_index=True)
    if distinct.size > _MOST_RATIOS:
        # Each cost is rounded by its share of 2^-53 at most.
        return 1 - Fraction(1, 2**53)
    pairs = zip(distinct.tolist(), integers[first].tolist(), strict=True)
    return min(
        (Fraction(one) * scale / int(other) for one, other in pairs),
        default=Fraction(1),
    )


def _most_sum(costs: NDArray[np.float64], limit: float) -> Fraction:
    """What the costs of a selection whose rounded sum is within a limit add up to."""
    if bool((costs == np.floor(costs)).all()) and float(costs.sum()) < 2.0**53:
        return Fraction(floor(limit))
    above = nextafter(limit, inf)
    return (
        (Fraction(limit) + Fraction(above)) / 2 if isfinite(above) else Fraction(limit)
    )


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
