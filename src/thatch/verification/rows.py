"""Rows of a claim: sums that selections must keep, in exact numbers and in units."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor, frexp, fsum, inf, isfinite, nextafter
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


def floored(values: NDArray[np.float64], unit: int) -> Ints:
    """Numbers in units, rounded down."""
    return np.floor(np.ldexp(values, unit)).astype(np.int64)


def unit_of(total: float) -> int:
    """The power of two that turns a total into a large integer."""
    return BITS - frexp(total)[1] if total > 0 else 0


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


def numbers(values: Any) -> NDArray[np.float64]:
    """A list of finite numbers."""
    found = np.asarray(values, dtype=np.float64)
    if found.ndim != 1 or not np.isfinite(found).all():
        raise NotProvedError("its prices are not numbers")
    return found
