"""What some decisions leave open, and what prices say about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, ldexp

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.machine.caching import cached_property
from thatch.run.certificates import Prices
from thatch.solvers.proving.claims import BITS, Claim, Rows

# What prices make of all weights or rows is less than 2^4 times as much as the weights.
_PRICED_BITS = BITS + 4


@dataclass(frozen=True, eq=False)
class Point:
    """Prices, and what the rows charge and allow at them, in units."""

    prices: Prices
    #: Prices of elements in units, rounded down; none if the prices are of rows alone.
    elements: Ints
    charges: Ints
    allowed: int
    #: The rows with the limits that were charged for.
    rows: Rows
    #: What edges pay on top, in units.
    edges: Ints | None = None

    @classmethod
    def of(
        cls,
        claim: Claim,
        elements: Floats,
        row_prices: Floats,
        edges: Floats | None = None,
    ) -> Point | None:
        """A point of a claim; None if its prices are out of range."""
        rows = claim.rows
        if not (np.isfinite(elements).all() and np.isfinite(row_prices).all()):
            return None
        elements = np.minimum(np.maximum(elements, 0.0), claim.weights)
        # Rows without a price may be missing.
        given = np.maximum(row_prices, 0.0)
        row_prices = np.zeros(rows.counted_limits.size)
        row_prices[: given.size] = given
        prices = Prices(elements, row_prices, edges)
        return cls._at(claim, prices, claim.unit, rows.row_of)

    @classmethod
    def of_rows(cls, claim: Claim, row_prices: Floats) -> Point | None:
        """A point that shows that the rows contradict each other."""
        row_prices = np.maximum(row_prices, 0.0)
        highest = float(row_prices.max(initial=0.0))
        if not 0.0 < highest < inf:
            return None
        # Prices far below the highest are noise of the linear program.
        row_prices = np.where(row_prices < 1e-9 * highest, 0.0, row_prices / highest)
        none = np.zeros(0)
        row_of = claim.rows.row_of
        size = float(_sizes(claim, row_of) @ row_prices)
        unit = BITS - int(np.frexp(size)[1])
        return cls._at(claim, Prices(none, row_prices), unit, row_of)

    @classmethod
    def _at(cls, claim: Claim, prices: Prices, unit: int, row_of: Ints) -> Point | None:
        rows, price = claim.rows, prices.rows
        size = float(_sizes(claim, row_of) @ price)
        if not size < ldexp(0.5, _PRICED_BITS - unit):
            return None
        used = np.flatnonzero(price[row_of] > 0)
        values = _capped(claim, row_of)[used] * price[row_of[used]]
        lowest = np.floor(np.ldexp(np.nextafter(values, -inf), unit)).astype(np.int64)
        charges = np.zeros(claim.problem.num_items, dtype=np.int64)
        np.add.at(charges, rows.items[used], lowest)
        most = np.nextafter(rows.limits * price, inf)[price > 0]
        allowed = int(np.ceil(np.ldexp(most, unit)).astype(np.int64).sum())
        elements = np.floor(np.ldexp(prices.elements, claim.unit)).astype(np.int64)
        edges = None
        if prices.edges is not None:
            highest = claim.weights[claim.problem.edges.item_elements]
            lowest = np.minimum(np.maximum(prices.edges, 0.0), highest)
            edges = np.floor(np.ldexp(lowest, claim.unit)).astype(np.int64)
        return cls(prices, elements, charges, allowed, rows, edges)

    def at(self, claim: Claim) -> Point | None:
        """The same prices for another claim."""
        if claim.rows is self.rows:
            return self
        prices = self.prices
        if self.is_of_rows:
            return Point.of_rows(claim, prices.rows)
        return Point.of(claim, prices.elements, prices.rows, prices.edges)

    @property
    def is_of_rows(self) -> bool:
        """Whether the point has prices of rows alone."""
        return self.elements.size == 0


@dataclass(frozen=True, eq=False)
class Evaluated:
    """What prices say about what is open, in units."""

    #: No selection covers more.
    bound: int
    #: Per open item: what it adds to the bound if it is positive.
    profits: Ints


@dataclass(frozen=True, eq=False)
class OpenItems:
    """What is open after some decisions."""

    claim: Claim
    is_open: Flags
    is_taken: Flags
    #: How many more items must cover each element; 0 if it counts already.
    left: Ints
    #: The open items, and the edges between them and elements that do not count yet.
    items: Ints
    start: Ints
    elements: Ints
    #: Where these edges are among all of the problem.
    edges: Ints
    #: Whether nothing is left, as prices of rows say.
    is_closed: bool = False

    @classmethod
    def of(cls, claim: Claim) -> OpenItems:
        """What the rows and the required and forbidden items leave open."""
        problem = claim.problem
        none = np.zeros(0, dtype=np.int64)
        state = cls(
            claim,
            np.ones(problem.num_items, dtype=bool),
            np.zeros(problem.num_items, dtype=bool),
            np.where(claim.weights > 0, claim.demands, 0),
            np.arange(problem.num_items),
            np.asarray(problem.edges.item_start, dtype=np.int64),
            np.asarray(problem.edges.item_elements, dtype=np.int64),
            np.arange(problem.num_edges),
        )
        constraints = problem.constraints
        if constraints is None:
            return state.after(none, none)
        return state.after(constraints.required, constraints.forbidden)

    @property
    def taken(self) -> Ints:
        """The items taken, ascending."""
        return np.flatnonzero(self.is_taken)

    @property
    def left_out(self) -> Ints:
        """The items left out, ascending."""
        return np.flatnonzero(~(self.is_open | self.is_taken))

    def after(self, taken: Ints, left_out: Ints) -> OpenItems:
        """What is open after some decisions, and all that follows from the rows."""
        state = self.decided(taken, left_out)
        while not state.is_contradictory:
            taken, left_out = state.decidable()
            if taken.size + left_out.size == 0:
                break
            state = state.decided(taken, left_out)
        return state

    def decided(self, taken: Ints, left_out: Ints) -> OpenItems:
        """What is open after some decisions alone."""
        edges = self.claim.problem.edges
        is_open, is_taken = self.is_open.copy(), self.is_taken.copy()
        is_open[left_out] = False
        is_open[taken] = False
        is_taken[taken] = True
        left = self.left
        if taken.size:
            covered = edges.item_elements[edges.positions_of(taken)]
            left = np.maximum(left - np.bincount(covered, minlength=left.size), 0)
        kept = is_open[self.items]
        stays = np.repeat(kept, np.diff(self.start)) & (left[self.elements] > 0)
        ends = np.append(0, np.cumsum(stays))
        sizes = np.diff(ends[self.start])[kept]
        return OpenItems(
            self.claim,
            is_open,
            is_taken,
            left,
            self.items[kept],
            np.append(0, np.cumsum(sizes)),
            self.elements[stays],
            self.edges[stays],
        )

    @cached_property
    def room(self) -> Ints:
        """Per row: its limit, less the least that the values of a selection add to."""
        rows = self.claim.rows
        least = np.where(
            self.is_open[rows.items], np.minimum(rows.counted_values, 0), 0
        )
        inside = self.is_taken[rows.items]
        least[inside] = rows.counted_values[inside]
        # The sum over all rows may exceed 2^63, but its differences are right then too.
        sums = np.append(0, np.cumsum(least))
        room: Ints = rows.counted_limits - np.diff(sums[rows.start])
        return room

    @property
    def is_contradictory(self) -> bool:
        """Whether no selection keeps the rows, as far as that is known."""
        return self.is_closed or bool((self.room < 0).any())

    def decidable(self) -> tuple[Ints, Ints]:
        """Open items that the rows take or leave out, and others that do not matter."""
        claim, rows = self.claim, self.claim.rows
        is_out, is_taken = np.zeros((2, claim.problem.num_items), dtype=bool)
        values = rows.counted_values
        room = np.repeat(self.room, np.diff(rows.start))
        is_beyond = self.is_open[rows.items] & (np.abs(values) > room)
        is_out[rows.items[is_beyond & (values > 0)]] = True
        is_taken[rows.items[is_beyond & (values < 0)]] = True
        if claim.is_plain:
            is_free = claim.problem.costs[self.items] == 0
            constraints = claim.problem.constraints
            if constraints is not None and constraints.groups is not None:
                groups = constraints.groups
                has_no_limit = groups.at_most >= groups.sizes
                is_free &= has_no_limit[groups.group[self.items]]
            is_taken[self.items[is_free]] = True
            is_out[self.items[np.diff(self.start) == 0]] = True
            is_taken &= ~is_out
        return np.flatnonzero(is_taken), np.flatnonzero(is_out)

    @cached_property
    def can_count(self) -> Flags:
        """Elements that do not count yet, and that enough open items cover."""
        counts = np.bincount(self.elements, minlength=self.left.size)
        found: Flags = (self.left > 0) & (counts >= self.left)
        return found

    @cached_property
    def covered(self) -> int:
        """What the elements that count already weigh, in units."""
        return int(self.claim.counted_weights[self.left <= 0].sum())

    @property
    def most(self) -> int:
        """What all open items together reach, in units."""
        return self.covered + int(self.claim.counted_weights[self.can_count].sum())

    @property
    def is_beaten(self) -> bool:
        """Whether nothing that is open can be against the claim."""
        return self.is_contradictory or self.most < self.claim.target

    def needed(self, items: Ints) -> Ints:
        """Those of some items without which nothing against the claim is left."""
        items = np.unique(items[self.is_open[items]])
        counts = np.bincount(self.elements, minlength=self.left.size)
        is_tight = (counts == self.left)[self.elements]
        lost = np.where(is_tight, self.claim.counted_weights[self.elements], 0)
        sums = np.diff(np.append(0, np.cumsum(lost))[self.start])
        place = np.searchsorted(self.items, items)
        return items[self.most - sums[place] < self.claim.target]

    def evaluated(self, point: Point) -> Evaluated:
        """What the prices of a point say."""
        allowed = point.allowed - int(point.charges[self.is_taken].sum())
        charges = point.charges[self.items]
        if point.is_of_rows:
            gains = int(np.maximum(-charges, 0).sum())
            return Evaluated(allowed + gains, -charges)
        weights, left = self.claim.counted_weights, self.left
        highest = np.where(self.can_count, weights // np.maximum(left, 1), 0)
        price = np.minimum(point.elements, highest)
        rest = np.where(self.can_count, weights - left * price, 0)
        paid = price[self.elements]
        if point.edges is not None:
            can_count = self.can_count[self.elements]
            paid = np.where(can_count, paid + point.edges[self.edges], 0)
            paid = np.minimum(paid, weights[self.elements])
            least = self._least_paid(paid)
            rest = np.where(self.can_count, np.maximum(weights - least, 0), 0)
        sums = np.append(0, np.cumsum(paid))
        profits = np.diff(sums[self.start]) - charges
        bound = self.covered + int(rest.sum()) + allowed
        return Evaluated(bound + int(np.maximum(profits, 0).sum()), profits)

    def _least_paid(self, paid: Ints) -> Ints:
        """What as many items as an element needs pay at least, by edge."""
        order = np.lexsort((paid, self.elements))
        elements = self.elements[order]
        first = np.searchsorted(elements, elements)
        is_needed = np.arange(order.size) - first < self.left[elements]
        least = np.zeros(self.left.size, dtype=np.int64)
        np.add.at(least, elements[is_needed], paid[order][is_needed])
        return least

    def fixed_by(self, point: Point) -> OpenItems:
        """What is open after the decisions that would lose too much.

        A verification decides the same.
        """
        found = self.evaluated(point)
        target = 0 if point.is_of_rows else self.claim.target
        slack = found.bound - target
        if slack < 0:
            return replace(self, is_closed=True)
        decided, is_good = np.abs(found.profits) > slack, found.profits > 0
        taken, out = self.items[decided & is_good], self.items[decided & ~is_good]
        return self.after(taken, out) if taken.size + out.size else self


def _capped(claim: Claim, row_of: Ints) -> Floats:
    """Values of rows; what is above the limit by itself is left out anyway."""
    return np.minimum(claim.rows.values, np.maximum(claim.rows.limits, 1.0)[row_of])


def _sizes(claim: Claim, row_of: Ints) -> Floats:
    """How large the numbers of each row are."""
    sizes = np.abs(claim.rows.limits)
    largest = np.zeros_like(sizes)
    np.maximum.at(largest, row_of, np.abs(_capped(claim, row_of)))
    return sizes + largest
