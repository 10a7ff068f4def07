"""All selections of a small problem, in exact arithmetic.

A double is exactly the rational number that it is. Costs and weights are integers here,
in units of a power of two that is small enough for all of them. A selection is a mask
of its items; every list below has one entry per mask.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter

from fuzz.attack.problems import Case

# Bits per element in a packed list of cover counts, and the one that says that there
# are enough: of at most 12 items, and a demand of at most 16.
_FIELD, _ENOUGH = 5, 16


class Amounts:
    """The exact sum of the numbers of every selection.

    >>> costs = Amounts([0.1] * 10)
    >>> costs.sums[-1] > costs.most_within(1.0), costs.rounded(costs.sums[-1])
    (False, 1.0)
    """

    def __init__(self, values: Sequence[float]) -> None:
        ratios = [float(value).as_integer_ratio() for value in values]
        self.unit = max((bottom for _, bottom in ratios), default=1)
        self.values = [top * (self.unit // bottom) for top, bottom in ratios]

    @cached_property
    def sums(self) -> list[int]:
        """The sum of each selection, in units."""
        return _sums(self.values)

    def rounded(self, amount: int) -> float:
        """The nearest double, as `math.fsum` has it."""
        return amount / self.unit

    def exact(self, amount: int) -> Fraction:
        """The number itself."""
        return Fraction(amount, self.unit)

    def most_within(self, limit: float) -> int:
        """The most units that are rounded to the limit or less."""
        middle = (Fraction(limit) + Fraction(nextafter(limit, inf))) / 2
        most = int(middle * self.unit)
        # The middle itself is rounded to the even one of its neighbors.
        return most if self.rounded(most) <= limit else most - 1


def _sums(values: Iterable[int]) -> list[int]:
    sums = [0]
    for value in values:
        sums += [value + other for other in sums]
    return sums


class Truth:
    """What the selections of a case cost and cover, and which keep its constraints."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.costs = Amounts(case.costs)
        self._weights = Amounts(case.weights)
        demands = case.constraints.get("demands") or [1] * len(case.weights)
        packed = (sum(1 << _FIELD * a for a in covered) for covered in case.sets)
        start = sum(
            (_ENOUGH - min(demand, _ENOUGH)) << _FIELD * a
            for a, demand in enumerate(demands)
        )
        enough = sum(_ENOUGH << _FIELD * a for a in range(len(case.weights)))
        covered = [(start + counts) & enough for counts in _sums(packed)]
        value_of = {mask: self._weight(mask) for mask in set(covered)}
        #: The weight that each selection covers, in units.
        self.values = [value_of[mask] for mask in covered]

    def _weight(self, covered: int) -> int:
        values = self._weights.values
        return sum(
            values[a] for a in range(len(values)) if covered >> _FIELD * a & _ENOUGH
        )

    def rounded_value(self, amount: int) -> float:
        """A weight in units as the nearest double."""
        return self._weights.rounded(amount)

    def exact_value(self, amount: int) -> Fraction:
        """A weight in units as a number."""
        return self._weights.exact(amount)

    @cached_property
    def allowed(self) -> list[int]:
        """Selections that keep all constraints besides the budget."""
        given = self.case.constraints
        required, forbidden = (
            _mask(given.get("required")),
            _mask(given.get("forbidden")),
        )
        found = [
            mask
            for mask in range(1 << len(self.case.sets))
            if mask & required == required and not mask & forbidden
        ]
        for one, other in given.get("conflicts", ()):
            both = 1 << one | 1 << other
            found = [mask for mask in found if mask & both != both]
        for one, other in given.get("prerequisites", ()):
            found = [mask for mask in found if not mask >> one & 1 or mask >> other & 1]
        for name, members in self._groups():
            most = given.get("at_most", {}).get(name, len(self.case.sets))
            least = given.get("at_least", {}).get(name, 0)
            found = [
                mask for mask in found if least <= (mask & members).bit_count() <= most
            ]
        for costs, limit in given.get("budgets", {}).values():
            amounts = Amounts(costs)
            most = amounts.most_within(limit)
            found = [mask for mask in found if amounts.sums[mask] <= most]
        return found

    def _groups(self) -> list[tuple[str, int]]:
        groups = self.case.constraints.get("groups", ())
        return [
            (name, _mask(i for i, group in enumerate(groups) if group == name))
            for name in {group for group in groups if group is not None}
        ]

    @cached_property
    def allowed_set(self) -> frozenset[int]:
        """The same, to look one up."""
        return frozenset(self.allowed)

    def is_within(self, mask: int, budget: float) -> bool:
        """Whether a selection is within a budget."""
        return self.costs.sums[mask] <= self.costs.most_within(budget)

    def optimum(self, budget: float) -> int | None:
        """The most weight within a budget, in units; None if nothing is feasible."""
        most = self.costs.most_within(budget)
        sums, values = self.costs.sums, self.values
        return max(
            (values[mask] for mask in self.allowed if sums[mask] <= most), default=None
        )

    @property
    def coverable(self) -> int:
        """What all items that are not forbidden cover, in units."""
        forbidden = _mask(self.case.constraints.get("forbidden"))
        return self.values[(1 << len(self.case.sets)) - 1 & ~forbidden]

    def least_cost(self, value: Fraction) -> int | None:
        """The least cost of covering that much; None if it is impossible."""
        least = value * self._weights.unit
        sums, values = self.costs.sums, self.values
        return min(
            (sums[mask] for mask in self.allowed if values[mask] >= least), default=None
        )


def _mask(items: Iterable[int] | None) -> int:
    return sum(1 << i for i in items or ())


def mask_of(items: Iterable[int]) -> int:
    """The mask of some items."""
    return _mask(items)
