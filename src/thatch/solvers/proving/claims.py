"""What is to be proved: that no selection is better than the best known one.

All numbers are counted in units that are powers of two. Weights are rounded up, values
of rows down, and their limits up to the last unit below what rounded sums may reach, so
that integer arithmetic excludes no selection that might be better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, frexp, fsum, inf, isfinite, nextafter

import numpy as np

from thatch.arrays import Flags, Floats, Ints, exact_sum
from thatch.problem.constraint_rows import RowTable, priced_rows
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection

#: All weights, or values of a row, add up to less than 2 to this power in units, so
#: that a few such sums fit into 63 bits.
BITS = 57


@dataclass(frozen=True, eq=False)
class Rows:
    """The budget and all constraints: values of chosen items sum to at most a limit."""

    #: int64, shape (num_rows + 1,): where the entries of each row start.
    start: Ints
    items: Ints
    values: Floats
    #: float64, shape (num_rows,): the exact limits, rounded up.
    limits: Floats
    #: Values and limits in units, one unit per row.
    counted_values: Ints
    counted_limits: Ints

    @classmethod
    def of(cls, table: RowTable) -> Rows:
        """The rows of a problem, counted."""
        row_of, count = table.row_of, table.sizes.size
        start = np.append(0, np.cumsum(table.sizes))
        sums = np.bincount(row_of, np.abs(table.values), minlength=count)
        is_part = table.values != np.floor(table.values)
        limits = np.floor(table.most)
        is_exact = (sums < 2.0**53) & (np.abs(limits) < 2.0**53)
        is_exact &= np.bincount(row_of, is_part, minlength=count) == 0
        # Sums of small integers are not rounded, nor is what they are counted in.
        size = np.where(is_exact, sums + np.abs(limits), 0.0)
        units = np.where(size > 0, BITS - np.frexp(size)[1], 0)
        values = np.where(is_exact[row_of], table.values, 0.0)
        counted_values = np.ldexp(values, units[row_of]).astype(np.int64)
        counted_limits = np.ldexp(np.where(is_exact, limits, 0.0), units)
        counted_limits = counted_limits.astype(np.int64)
        for r in np.flatnonzero(~is_exact).tolist():
            part = slice(start[r], start[r + 1])
            limit = _exact_limit(table.values[part], float(table.most[r]))
            counted_values[part], counted_limits[r] = _counted(
                table.values[part], limit
            )
            limits[r] = _float_above(limit)
        return cls(
            start, table.items, table.values, limits, counted_values, counted_limits
        )

    @property
    def size(self) -> int:
        """How many rows there are."""
        return self.limits.size

    @property
    def row_of(self) -> Ints:
        """The row of each entry."""
        return np.repeat(np.arange(self.size), np.diff(self.start))


@dataclass(frozen=True, eq=False)
class Case:
    """One side of a split: at most a number of some items, or more."""

    items: Ints
    most: int
    is_more: bool

    @property
    def row(self) -> RowTable:
        """The case as a row."""
        sign = -1.0 if self.is_more else 1.0
        limit = sign * (self.most + self.is_more)
        size = self.items.size
        return RowTable(
            np.array([size]), self.items, np.full(size, sign), np.array([limit])
        )


@dataclass(frozen=True, eq=False)
class Claim:
    """No selection within the rows reaches a target."""

    problem: CoverageProblem
    #: float64, shape (num_elements,): all 0 where only the rows matter.
    weights: Floats
    #: int64: the weights in units, rounded up.
    counted_weights: Ints
    #: int64: how many items must cover an element.
    demands: Ints
    rows: Rows
    #: A unit of weight is 2 to the power of minus this.
    unit: int
    #: What a selection against the claim covers at least, in units.
    target: int
    #: Whether items may replace others: no constraint but limits per group.
    is_plain: bool
    #: No selection covers more than the first, or leaves at most the second at a cost
    #: below the third; both are None if there is no selection at all.
    most_covered: float | None = None
    #: The selection that covers as much, if one does.
    incumbent: Selection | None = None
    most_left: float | None = None
    least_cost: float = inf
    #: The cases that its selections are in; their rows come last.
    cases: tuple[Case, ...] = ()

    def within(self, cases: tuple[Case, ...]) -> Claim:
        """The claim about the selections in some cases."""
        if not cases:
            return self
        table = priced_rows(self.problem)
        table.most[0] = min(float(table.most[0]), nextafter(self.least_cost, -inf))
        rows = Rows.of(RowTable.joined([table, *(case.row for case in cases)]))
        return replace(self, rows=rows, cases=cases, is_plain=False)

    @classmethod
    def of_coverage(cls, problem: CoverageProblem, most_covered: float) -> Claim:
        """No selection covers more."""
        return _claim(problem, problem.weights).covering(most_covered)

    @classmethod
    def of_emptiness(cls, problem: CoverageProblem) -> Claim:
        """No selection keeps the constraints."""
        return _claim(problem, np.zeros(problem.num_elements))

    @classmethod
    def of_cover(
        cls, problem: CoverageProblem, most_left: float, least_cost: float
    ) -> Claim:
        """No selection that leaves at most a weight uncovered costs less."""
        claim = _claim(problem, problem.weights)
        weights = problem.weights[coverable(problem)]
        target = claim.reaching_all_but(weights, most_left)
        claim = replace(claim, most_left=most_left, target=target)
        return claim.costing(least_cost)

    def covering(self, most_covered: float) -> Claim:
        """The claim with another weight that no selection exceeds."""
        target = self._above(Fraction(most_covered))
        return replace(self, most_covered=most_covered, target=target)

    def exceeding(self, incumbent: Selection) -> Claim:
        """The claim that no selection covers more than this one, by exact sums."""
        value = incumbent.value
        weights = self.problem.weights[incumbent.covered].tolist()
        error = Fraction(fsum([*weights, -value]))
        target = self._above(Fraction(value) + error - abs(error) / 2**50)
        bound = least_bound(incumbent)
        return replace(self, most_covered=bound, incumbent=incumbent, target=target)

    def _above(self, weight: Fraction) -> int:
        """The least that a selection of more than a weight covers, in units."""
        if self._has_integers:
            return (floor(weight) + 1) << self.unit
        return floor(weight * Fraction(2) ** self.unit) + 1

    def costing(self, least_cost: float) -> Claim:
        """The claim with another cost that no cover is below."""
        table = priced_rows(self.problem)
        table.most[0] = nextafter(least_cost, -inf)
        return replace(self, least_cost=least_cost, rows=Rows.of(table))

    def as_weight(self, units: int) -> float:
        """The least double that is not less than a number of units."""
        if self._has_integers:
            return _float_above(Fraction(units >> self.unit))
        return _float_above(Fraction(units) / Fraction(2) ** self.unit)

    def keeps(self, selection: Selection) -> bool:
        """Whether a selection keeps all constraints, and has a cost that counts."""
        return selection.is_feasible and selection.cost < self.least_cost

    def is_contradicted_by(self, selection: Selection) -> bool:
        """Whether a selection shows that the claim is false."""
        if not self.keeps(selection):
            return False
        if self.incumbent is not None:
            return selection.is_better_than(self.incumbent)
        if self.most_covered is not None:
            covered = self.problem.weights[selection.covered]
            return fsum([*covered.tolist(), -self.most_covered]) > 0
        if self.most_left is not None:
            left = coverable(self.problem) & ~selection.covered
            lost = self.problem.weights[left].tolist()
            return fsum([*lost, -self.most_left]) <= 0
        return True

    @property
    def _has_integers(self) -> bool:
        whole = bool((self.weights == np.floor(self.weights)).all())
        return whole and self.unit > BITS - 53

    def reaching_all_but(self, weights: Floats, most_left: float) -> int:
        """What is covered where at most a weight is left, in units, rounded down."""
        total = exact_sum(weights)
        error = Fraction(fsum([*weights.tolist(), -total]))
        least = Fraction(total) + error - Fraction(most_left)
        least -= abs(error) / 2**50
        if self._has_integers:
            return ceil(least) << self.unit
        return floor(least * Fraction(2) ** self.unit)


def coverable(problem: CoverageProblem) -> Flags:
    """Elements that enough items may cover: bool, shape (num_elements,)."""
    constraints = problem.constraints
    is_open = np.ones(problem.num_items, dtype=bool)
    if constraints is not None:
        is_open[constraints.forbidden] = False
    counts = Selection(problem, np.flatnonzero(is_open)).cover_counts
    found: Flags = counts >= _demands(problem)
    return found


def least_bound(selection: Selection) -> float:
    """The least double that is not less than what a selection covers.

    >>> problem = CoverageProblem.from_sets([{0, 1}], weights=[1.0, 1e-20], budget=1)
    >>> least_bound(Selection.of(problem, [0]))
    1.0000000000000002
    """
    value = selection.value
    weights = selection.problem.weights[selection.covered].tolist()
    return nextafter(value, inf) if fsum([*weights, -value]) > 0 else value


def _claim(problem: CoverageProblem, weights: Floats) -> Claim:
    total = fsum(weights.tolist())
    unit = BITS - frexp(total)[1] if total > 0 else 0
    constraints = problem.constraints
    is_plain = True
    if constraints is not None:
        groups = constraints.groups
        is_plain = not (
            constraints.budgets
            or len(constraints.prerequisites)
            or len(constraints.conflicts)
            or (_demands(problem) != 1).any()
            or (groups is not None and groups.has_at_least)
        )
    return Claim(
        problem,
        weights,
        -np.floor(np.ldexp(-weights, unit)).astype(np.int64),
        _demands(problem),
        Rows.of(priced_rows(problem)),
        unit,
        0,
        is_plain,
    )


def _demands(problem: CoverageProblem) -> Ints:
    constraints = problem.constraints
    if constraints is None or constraints.demands is None:
        return np.ones(problem.num_elements, dtype=np.int64)
    return constraints.demands.astype(np.int64)


def _counted(values: Floats, limit: Fraction) -> tuple[Ints, int]:
    """Values and limit of a row in units."""
    size = float(np.abs(values).sum()) + abs(float(limit))
    unit = BITS - frexp(size)[1] if size > 0 else 0
    counted = np.floor(np.ldexp(values, unit)).astype(np.int64)
    return counted, floor(limit * Fraction(2) ** unit)


def _exact_limit(values: Floats, most: float) -> Fraction:
    """What the values of a selection whose rounded sum is within the limit add to."""
    is_whole = bool((values == np.floor(values)).all())
    if is_whole and float(np.abs(values).sum()) < 2.0**53:
        return Fraction(floor(most))
    above = nextafter(most, inf)
    if not isfinite(above):
        return Fraction(most)
    return (Fraction(most) + Fraction(above)) / 2


def _float_above(exact: Fraction) -> float:
    """The least double that is not less than a number."""
    found = float(exact)
    return found if Fraction(found) >= exact else nextafter(found, inf)
