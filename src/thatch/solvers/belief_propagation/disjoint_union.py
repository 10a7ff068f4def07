"""Parts side by side: where each begins, and what messages on all say of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.run.beliefs import Beliefs
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.belief_propagation.scaled_beliefs import ScaledBeliefs

#: Room for a sum over 10^8 edges below the largest double.
LARGEST_PRODUCT = 1e300


class DisjointUnion:
    """Some parts as one: a batch is one graph with no edges between its parts."""

    def __init__(self, priced_problems: Sequence[PricedProblem]) -> None:
        self.priced_problems = tuple(priced_problems)
        problems = [priced.problem for priced in self.priced_problems]
        #: float64, one a part: what its fields are multiplied by.
        self.scales: Floats = np.array(
            [priced.scale for priced in self.priced_problems]
        )
        self.budgets: Floats = np.array([problem.budget for problem in problems])
        #: Whether a part's price is adapted.
        self.is_free: Flags = np.array(
            [priced.price is None for priced in self.priced_problems]
        )
        self.first_prices: Floats = np.array(
            [priced.first_price for priced in self.priced_problems]
        )
        #: Where each part's items begin, and its elements, and where the last ones end.
        self.items = _offsets([problem.num_items for problem in problems])
        self.elements = _offsets([problem.num_elements for problem in problems])
        self.costs: Floats = np.concatenate([problem.costs for problem in problems])
        self.weights: Floats = np.concatenate([problem.weights for problem in problems])

    def of_items(self, values: Floats) -> Floats:
        """One value a part, repeated for each of its items."""
        return np.repeat(values, np.diff(self.items))

    def of_elements(self, values: Floats) -> Floats:
        """One value a part, repeated for each of its elements."""
        return np.repeat(values, np.diff(self.elements))

    def beliefs(
        self, reading: ScaledBeliefs, prices: Floats, moved: Floats
    ) -> list[Beliefs]:
        """Fields, marginals and thermodynamics, one a part.

        Parameters
        ----------
        reading
            What the messages say.
        prices
            The present prices, one a part.
        moved
            The most that a message moved, one a part.
        """
        # At extreme prices and temperatures these leave the range of a double.
        with np.errstate(over="ignore", invalid="ignore"):
            costs = sums(self.costs * reading.item_marginals, self.items)
            claimed = sums(self.weights * reading.element_marginals, self.elements)
            log_partition = sums(reading.log_of_items, self.items)
            log_partition = log_partition + sums(reading.log_of_elements, self.elements)
            free_energies = -log_partition / self.scales
            energies = prices * costs - claimed
            entropies = self.scales * (energies - free_energies)
        item_fields = quotient(reading.item_fields, self.of_items(self.scales))
        element_fields = quotient(reading.element_fields, self.of_elements(self.scales))
        answers = []
        for place, priced in enumerate(self.priced_problems):
            items = slice(self.items[place], self.items[place + 1])
            elements = slice(self.elements[place], self.elements[place + 1])
            is_cold = np.isinf(priced.used_inverse_temperature)
            answers.append(
                Beliefs(
                    inverse_temperature=priced.used_inverse_temperature,
                    price=float(prices[place]),
                    item_fields=item_fields[items],
                    element_fields=element_fields[elements],
                    item_marginals=reading.item_marginals[items],
                    element_marginals=reading.element_marginals[elements],
                    expected_cost=float(costs[place]),
                    free_energy=float(free_energies[place]),
                    entropy=np.nan if is_cold else float(entropies[place]),
                    largest_change=float(moved[place]),
                )
            )
        return answers


def _offsets(sizes: list[int]) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)


def product(x: Floats | float, y: Floats | float) -> Floats:
    """Products, cut off where sums of them would overflow."""
    with np.errstate(over="ignore", under="ignore"):
        return np.clip(np.multiply(x, y), -LARGEST_PRODUCT, LARGEST_PRODUCT)


def quotient(x: Floats, y: Floats | float) -> Floats:
    """Quotients, cut off where they would overflow."""
    most = np.finfo(np.float64).max
    with np.errstate(over="ignore"):
        return np.clip(x / y, -most, most)


def sums(values: Floats, offsets: Ints) -> Floats:
    """Sum over each part's own stretch; parts beside it do not change a bit."""
    # What is padded is a stretch of its own: one number more, and the last part's would
    # be added in another order.
    padded = np.append(values, 0.0)
    stretches = np.add.reduceat(padded, offsets)[:-1]
    return np.where(np.diff(offsets) > 0, stretches, 0.0)
