"""What is open after some decisions, and what prices decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, inf, ldexp
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch.verification.claims import Claim
from thatch.verification.rows import (
    PRICED_BITS,
    Flags,
    Ints,
    NotProvedError,
    Row,
    floored,
    numbers,
    unit_of,
)

# The highest demand of elements whose edges have prices of their own.
_MOST_DEMANDED = 16


@dataclass(frozen=True, eq=False)
class State:
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
    #: Prices and reduced profits of the last step, and its bound.
    priced: Priced | None = None
    #: Whether no selection keeps the rows, by prices of rows alone.
    is_closed: bool = False

    @classmethod
    def of(cls, claim: Claim) -> State:
        is_open = np.ones(claim.num_items, dtype=bool)
        items = np.arange(claim.num_items)
        state = cls(
            claim,
            is_open,
            np.zeros(claim.num_items, dtype=bool),
            # Elements without weight need nothing.
            np.where(claim.weights > 0, claim.demands, 0),
            items,
            claim.item_start,
            claim.item_elements,
            np.arange(claim.item_elements.size),
        )
        return state.decided(claim.required, claim.forbidden)

    def decided(self, taken: Ints, left_out: Ints) -> State:
        """The state with some open items taken and others left out."""
        claim = self.claim
        is_open, is_taken = self.is_open.copy(), self.is_taken.copy()
        is_open[left_out] = False
        is_open[taken] = False
        is_taken[taken] = True
        left = self.left
        if len(taken):
            first, end = claim.item_start[taken], claim.item_start[taken + 1]
            ends = np.cumsum(end - first)
            place = np.arange(int(ends[-1])) + np.repeat(end - ends, end - first)
            counts = np.bincount(claim.item_elements[place], minlength=left.size)
            left = np.maximum(left - counts, 0)
        stays = np.repeat(is_open[self.items], np.diff(self.start))
        stays &= left[self.elements] > 0
        sizes = np.diff(np.append(0, np.cumsum(stays))[self.start])
        kept = is_open[self.items]
        start = np.append(0, np.cumsum(sizes[kept]))
        items, elements = self.items[kept], self.elements[stays]
        edges = self.edges[stays]
        return State(claim, is_open, is_taken, left, items, start, elements, edges)

    @cached_property
    def counts(self) -> Ints:
        """How many open items each element has."""
        return np.bincount(self.elements, minlength=self.left.size)

    @cached_property
    def can_count(self) -> Flags:
        """Whether elements have open items enough, if they do not count already."""
        return (self.left > 0) & (self.counts >= self.left)

    @cached_property
    def reachable(self) -> int:
        """What all open items together cover, in units."""
        counting = (self.left <= 0) | self.can_count
        return int(self.claim.counted_weights[counting].sum())

    @cached_property
    def must_count(self) -> Flags:
        """Whether the target is out of reach without an element that can count."""
        lacking = self.reachable - self.claim.counted_weights
        return self.can_count & (lacking < self.target)

    @cached_property
    def target(self) -> int:
        """A value in units that every open selection against the claim reaches.

        If all weights that are still open are multiples of a number of units, what
        selections cover beyond the rest is one too.
        """
        claim = self.claim
        if claim.has_integers:
            return claim.target
        weights = claim.counted_weights
        open_weights = weights[self.can_count]
        step = int(np.gcd.reduce(open_weights)) if open_weights.size else 0
        missing = claim.target - int(weights[self.left <= 0].sum())
        if step <= 1 or missing <= 0:
            return claim.target
        return claim.target + -missing % step

    @property
    def is_contradictory(self) -> bool:
        """Whether no selection has the items taken, and lacks those left out."""
        return self.is_closed or bool((self._room < 0).any())

    @cached_property
    def _room(self) -> Ints:
        """Per row: its limit, less the least that the values of a selection add to."""
        table = self.claim.table
        least = np.where(self.is_open[table.items], np.minimum(table.values, 0), 0)
        is_taken = self.is_taken[table.items]
        least[is_taken] = table.values[is_taken]
        room: Ints = table.limits - table.sums(least)
        return room

    def normalized(self) -> State:
        """The state without open items that no selection needs, or can have."""
        state = self
        while not state.is_contradictory:
            taken, left_out = state.decidable
            if taken.size + left_out.size == 0:
                break
            state = state.decided(taken, left_out)
        return state

    @property
    def decidable(self) -> tuple[Ints, Ints]:
        """Open items that are taken or left out, because of a row or for nothing."""
        table = self.claim.table
        is_beyond = np.abs(table.values) > self._room[table.rows]
        is_beyond &= self.is_open[table.items]
        is_out, is_taken = np.zeros((2, self.claim.num_items), dtype=bool)
        is_out[table.items[is_beyond & (table.values > 0)]] = True
        is_taken[table.items[is_beyond & (table.values < 0)]] = True
        if self.claim.is_plain:
            is_free = self.claim.costs[self.items] == 0
            is_free &= self._has_room(self.items)
            is_taken[self.items[is_free]] = True
            is_out[self.items[np.diff(self.start) == 0]] = True
            is_taken &= ~is_out
        return np.flatnonzero(is_taken), np.flatnonzero(is_out)

    @property
    def costs(self) -> tuple[Ints, int]:
        """The cost of each item in units, and the budget."""
        row = self.claim.rows[0]
        values, limit = row.counted
        costs = np.zeros(self.claim.num_items, dtype=np.int64)
        costs[row.items] = values
        return costs, limit

    def without_dominated(self, pairs: Ints) -> State:
        """The state without the first items of pairs, where the second are as good."""
        claim = self.claim
        if not claim.is_plain:
            raise NotProvedError("items may not replace others under its constraints")
        one, other = pairs[:, 0], pairs[:, 1]
        if np.isin(other, one).any():
            raise NotProvedError("an item that is left out replaces another one")
        kept = self.is_open[one] & self.is_open[other]
        one, other = one[kept], other[kept]
        place = np.full(claim.num_items, -1)
        place[self.items] = np.arange(self.items.size)
        sizes = np.diff(self.start)
        size = np.int64(claim.weights.size)
        keys = np.repeat(self.items, sizes) * size + self.elements
        keys.sort()
        at = place[one]
        degrees = sizes[at]
        offset = np.arange(int(degrees.sum())) - np.repeat(
            np.cumsum(degrees) - degrees, degrees
        )
        needed = (
            np.repeat(other, degrees) * size
            + self.elements[np.repeat(self.start[at], degrees) + offset]
        )
        found = np.searchsorted(keys, needed)
        is_there = keys[np.minimum(found, keys.size - 1)] == needed
        fits = claim.costs[other] <= claim.costs[one]
        if claim.groups is not None:
            group, _ = claim.groups
            fits &= (group[one] == group[other]) | self._has_room(other)
        if not (is_there.all() and fits.all()):
            raise NotProvedError("an item is left out that no other one replaces")
        return self.decided(one[:0], np.unique(one)).normalized()

    def within(self, items: Ints, *, most: int, is_more: bool) -> State:
        """The state of selections with at most that many of the items, or with more."""
        values, limit = np.ones(items.size), Fraction(most)
        if is_more:
            values, limit = -values, -limit - 1
        claim = self.claim.within(Row(items, values, limit))
        return replace(self, claim=claim, priced=None).normalized()

    def _has_room(self, items: Ints) -> Flags:
        """Whether no selection exceeds the limit of each item's group."""
        if self.claim.groups is None:
            return np.ones(items.size, dtype=bool)
        group, at_most = self.claim.groups
        available = group[self.is_open | self.is_taken]
        has_room = np.bincount(available, minlength=at_most.size) <= at_most
        found: Flags = has_room[group[items]]
        return found

    def at(self, prices: Prices) -> State:
        """The state after what some prices decide; nothing may be left."""
        if prices.elements.size == 0:
            return self._at_rows(prices)
        priced = Priced.of(self, prices)
        slack = priced.bound - self.target
        state = self if slack < 0 else self._fixed(priced.profits, slack)
        if state is not self:
            priced = Priced.of(state, prices)
        return replace(state, priced=priced)

    def _at_rows(self, prices: Prices) -> State:
        """The state after what the rows alone decide, whatever is covered."""
        charges, slack = prices.charges(self)
        profits = -charges
        slack += int(np.maximum(profits, 0).sum())
        if slack < 0:
            return replace(self, is_closed=True)
        return replace(self._fixed(profits, slack), priced=self.priced)

    def _fixed(self, profits: Ints, slack: int) -> State:
        """The state without decisions that lose more than the slack."""
        decided, is_good = np.abs(profits) > slack, profits > 0
        taken, out = self.items[decided & is_good], self.items[decided & ~is_good]
        if taken.size + out.size == 0:
            return self
        return self.decided(taken, out).normalized()


@dataclass(frozen=True, eq=False)
class Prices:
    """Prices of elements, and what rows at their prices charge and allow."""

    #: None at all if the prices are of rows alone.
    elements: NDArray[np.float64]
    #: What some edges pay on top; None if no one does.
    edges: NDArray[np.float64] | None
    rows: NDArray[np.float64]
    #: Per item, and in all, in units; None if whole limits would be too large for that.
    charged: tuple[Ints, int] | None

    @classmethod
    def of(cls, claim: Claim, point: Mapping[str, Any]) -> Prices:
        """The prices of a certificate."""
        elements, rows = numbers(point["elements"]), numbers(point["rows"])
        is_wrong = elements.size not in (0, claim.weights.size)
        edges = numbers(point["edges"]) if "edges" in point else None
        if edges is not None:
            is_wrong |= edges.size != claim.item_elements.size
            # So that what an element is paid in all is a moderate number.
            is_wrong |= bool((claim.demands > _MOST_DEMANDED).any())
        if is_wrong:
            raise NotProvedError("its prices are of another problem")
        is_alone = elements.size == 0
        return cls(elements, edges, rows, charges_of(claim, rows, is_alone=is_alone))

    def charges(self, state: State) -> tuple[Ints, int]:
        """What open items are charged, and what is allowed in all."""
        claim = state.claim
        if claim.num_cases and self.charged is not None:
            # The rows of cases charge as well.
            is_alone = self.elements.size == 0
            charged = charges_of(claim, self.rows, is_alone=is_alone)
            if charged is not None:
                charges, allowed = charged
                taken = int(charges[state.is_taken].sum())
                return charges[state.items], allowed - taken
        elif self.charged is not None:
            charges, allowed = self.charged
            return charges[state.items], allowed - int(charges[state.is_taken].sum())
        # What is left of the limits may be much less.
        is_alone = self.elements.size == 0
        found = charges_of(claim, self.rows, is_alone=is_alone, state=state)
        if found is None:
            # Without a price the rows charge nothing, and allow nothing.
            return np.zeros(state.items.size, dtype=np.int64), 0
        return found[0][state.items], found[1]


@dataclass(frozen=True, eq=False)
class Priced:
    """What prices say about a state, in units."""

    #: No open selection covers more.
    bound: int
    #: Per element that does not count yet: its price, and what is left of its weight.
    prices: Ints
    rest: Ints
    #: Per open item: the prices of its elements less that of its rows.
    profits: Ints
    #: Per open item, and in all, what rows charge and allow.
    charges: Ints
    allowed: int

    @classmethod
    def of(cls, state: State, prices: Prices, *, has_edges: bool = True) -> Priced:
        """The bound of a state, with the prices of single edges or without."""
        claim = state.claim
        weights, left = claim.counted_weights, state.left
        counts = np.bincount(state.elements, minlength=left.size)
        can_count = (left > 0) & (counts >= left)
        highest = np.where(can_count, weights // np.maximum(left, 1), 0)
        lowest = np.minimum(prices.elements, claim.reachable_weights)
        price = np.minimum(floored(np.maximum(lowest, 0.0), claim.unit), highest)
        rest = np.where(can_count, weights - left * price, 0)
        charges, allowed = prices.charges(state)
        paid = price[state.elements]
        if has_edges and prices.edges is not None:
            more = np.maximum(prices.edges[state.edges], 0.0)
            more = floored(
                np.minimum(more, claim.reachable_weights[state.elements]), claim.unit
            )
            paid = np.where(can_count[state.elements], paid + more, 0)
            paid = np.minimum(paid, weights[state.elements])
            rest = np.where(can_count, np.maximum(weights - _least(state, paid), 0), 0)
        sums = np.append(0, np.cumsum(paid))
        profits = sums[state.start[1:]] - sums[state.start[:-1]] - charges
        gains = int(np.maximum(profits, 0).sum())
        bound = int(weights[left <= 0].sum()) + int(rest.sum()) + allowed + gains
        return cls(bound, price, rest, profits, charges, allowed)


def _least(state: State, paid: Ints) -> Ints:
    """What as many items as an element needs pay at least, by edge."""
    order = np.lexsort((paid, state.elements))
    elements = state.elements[order]
    first = np.searchsorted(elements, elements)
    is_needed = np.arange(order.size) - first < state.left[elements]
    least = np.zeros(state.left.size, dtype=np.int64)
    np.add.at(least, elements[is_needed], paid[order][is_needed])
    return least


def charges_of(
    claim: Claim,
    prices: NDArray[np.float64],
    *,
    is_alone: bool = False,
    state: State | None = None,
) -> tuple[Ints, int] | None:
    """What rows at their prices charge per item, and what they allow.

    Limits are those of the claim, or what a state leaves of them. Without prices of
    elements, any unit will do. It is None if the numbers are too large.
    """
    priced = []
    # Cases of other splits have prices that mean nothing here.
    for k in np.flatnonzero(prices[: len(claim.rows)] > 0).tolist():
        row = claim.rows[k]
        if state is not None:
            row = row.left_by(state.is_taken)
        priced.append((row, float(prices[k]) / row.scale))
    size = 0.0
    for row, price in priced:
        largest = float(np.abs(row.capped).max(initial=0.0))
        size += price * (largest + abs(row.highest))
    unit = unit_of(size) if is_alone else claim.unit
    if not size < ldexp(1.0, PRICED_BITS - unit):
        return None
    charges, allowed = np.zeros(claim.num_items, dtype=np.int64), 0
    for row, price in priced:
        lowest = np.nextafter(price * row.capped, -inf)
        charges[row.items] += floored(lowest, unit)
        allowed += ceil(Fraction(price) * row.limit * Fraction(2) ** unit)
    return charges, allowed
