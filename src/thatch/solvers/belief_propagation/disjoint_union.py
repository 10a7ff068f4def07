"""The disjoint union of priced problems, and its beliefs split by problem."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.run.beliefs import Beliefs
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.belief_propagation.scaled_beliefs import ScaledBeliefs

#: Sums of 10^8 such products stay below the largest double.
LARGEST_PRODUCT = 1e300


class DisjointUnion:
    """Priced problems as one graph, with no edges between them."""

    def __init__(self, priced_problems: Sequence[PricedProblem]) -> None:
        self.priced_problems = tuple(priced_problems)
        problems = [priced.problem for priced in self.priced_problems]
        #: float64, shape (num_problems,): the factor of scaled fields.
        self.scales: Floats = np.array(
            [priced.scale for priced in self.priced_problems]
        )
        self.budgets: Floats = np.array([problem.budget for problem in problems])
        #: Whether the price of each problem is adapted.
        self.is_free: Flags = np.array(
            [priced.price is None for priced in self.priced_problems]
        )
        #: Where the items, and the elements, of each problem start and the last end.
        self.items = _offsets([problem.num_items for problem in problems])
        self.elements = _offsets([problem.num_elements for problem in problems])
        self.costs = _joined([problem.costs for problem in problems])
        self.weights = _joined([problem.weights for problem in problems])

    @property
    def first_prices(self) -> Floats:
        """The price of each problem in the first iteration."""
        return np.array([priced.first_price for priced in self.priced_problems])

    def of_items(self, values: Floats) -> Floats:
        """One value per problem, repeated for each of its items."""
        return np.repeat(values, np.diff(self.items))

    def of_elements(self, values: Floats) -> Floats:
        """One value per problem, repeated for each of its elements."""
        return np.repeat(values, np.diff(self.elements))

    def beliefs(
        self, scaled: ScaledBeliefs, prices: Floats, changes: Floats
    ) -> list[Beliefs]:
        """Fields, marginals and thermodynamics of each problem.

        Parameters
        ----------
        scaled
            The scaled beliefs of the union.
        prices
            The present prices, one per problem.
        changes
            The largest change of a message, one per problem.
        """
        # At extreme prices and temperatures these exceed the range of a double.
        with np.errstate(over="ignore", invalid="ignore"):
            costs = sums(self.costs * scaled.item_marginals, self.items)
            claimed = sums(self.weights * scaled.element_marginals, self.elements)
            log_partition = sums(scaled.log_of_items, self.items)
            log_partition = log_partition + sums(scaled.log_of_elements, self.elements)
            free_energies = -log_partition / self.scales
            energies = prices * costs - claimed
            entropies = self.scales * (energies - free_energies)
        scales = self.of_items(self.scales)
        item_fields = quotient(scaled.item_fields, scales)
        item_replies = quotient(scaled.item_replies, scales)
        element_fields = quotient(scaled.element_fields, self.of_elements(self.scales))
        beliefs = []
        for place, priced in enumerate(self.priced_problems):
            items = slice(self.items[place], self.items[place + 1])
            elements = slice(self.elements[place], self.elements[place + 1])
            is_cold = np.isinf(priced.used_inverse_temperature)
            beliefs.append(
                Beliefs(
                    inverse_temperature=priced.used_inverse_temperature,
                    price=float(prices[place]),
                    item_fields=item_fields[items],
                    item_replies=item_replies[items],
                    element_fields=element_fields[elements],
                    item_marginals=scaled.item_marginals[items],
                    element_marginals=scaled.element_marginals[elements],
                    expected_cost=float(costs[place]),
                    free_energy=float(free_energies[place]),
                    entropy=np.nan if is_cold else float(entropies[place]),
                    largest_change=float(changes[place]),
                )
            )
        return beliefs


def _offsets(sizes: list[int]) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)


def product(x: Floats | float, y: Floats | float) -> Floats:
    """Products, clipped so that sums of them do not overflow."""
    with np.errstate(over="ignore", under="ignore"):
        return np.clip(np.multiply(x, y), -LARGEST_PRODUCT, LARGEST_PRODUCT)


def quotient(x: Floats, y: Floats | float) -> Floats:
    """Quotients, clipped where they would overflow."""
    most = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        return np.clip(x / y, -most, most)


def sums(values: Floats, offsets: Ints) -> Floats:
    """Sum over the segment of each problem, to the same bits as alone."""
    # The padding is a segment by itself: appended to the last problem's, it would
    # change the order in which that is summed.
    padded = np.append(values, 0.0)
    segments = np.add.reduceat(padded, offsets)[:-1]
    return np.where(np.diff(offsets) > 0, segments, 0.0)


def _joined(arrays: list[Floats]) -> Floats:
    """All numbers in one array; that of a single problem is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
