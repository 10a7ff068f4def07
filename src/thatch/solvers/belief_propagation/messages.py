"""Message passing on the disjoint union of many problems, temperatures and prices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.beliefs import Beliefs
from thatch.edges import Edges
from thatch.solvers.belief_propagation.forms import (
    LARGEST_IN_PRODUCTS,
    Logarithms,
    MaxSum,
    Products,
    Reading,
    Work,
)
from thatch.solvers.belief_propagation.part import Part

# Room for a sum over 10^8 edges below the largest double.
_LARGEST_PRODUCT = 1e300


class Messages:
    """All messages of all parts, which settle as they are iterated.

    A batch is one graph with no edges between its parts: one kernel serves a single
    problem, a sweep over prices, and a corpus.
    """

    def __init__(
        self, parts: Sequence[Part], *, form: type[Logarithms], num_threads: int = 1
    ) -> None:
        self.parts = tuple(parts)
        problems = [part.problem for part in self.parts]
        graphs = [problem.edges for problem in problems]
        edges = graphs[0] if len(graphs) == 1 else Edges.union(graphs)
        #: The most that a message moved in the last iteration, one a part.
        self.largest_changes = np.full(len(self.parts), np.inf)
        self._scales = np.array([part.scale for part in self.parts])
        self._budgets = np.array([problem.budget for problem in problems])
        self._is_free = np.array([part.price is None for part in self.parts])
        self._items = _offsets([graph.num_items for graph in graphs])
        self._elements = _offsets([graph.num_elements for graph in graphs])
        self._costs = np.concatenate([problem.costs for problem in problems])
        self._work = Work(edges, self._elements, num_threads=num_threads)
        scaled_weights = _product(
            np.concatenate([problem.weights for problem in problems]),
            np.repeat(self._scales, np.diff(self._elements)),
        )
        self._form = form(self._work, scaled_weights)
        self._set_prices(np.array([part.first_price for part in self.parts]))

    @staticmethod
    def suitable_form(part: Part) -> type[Logarithms]:
        """The fastest form whose range a part's messages do not leave."""
        if np.isinf(part.used_inverse_temperature):
            return MaxSum
        largest = _product(part.problem.weights.max(initial=0.0), part.scale)
        return Products if largest <= LARGEST_IN_PRODUCTS else Logarithms

    @property
    def largest_scaled_change(self) -> float:
        """The most that a message moved, in units that suit its part."""
        return float((self.largest_changes * self._scales).max(initial=0))

    def adapt_prices(self, t: int) -> None:
        """Move the prices that nobody gave closer to those that spend the budget.

        The steps shrink with the iterations t: at low temperature the expected cost
        jumps from item to item, and equal steps would swing around the budget for ever.
        """
        if not self._is_free.any():
            return
        with np.errstate(over="ignore"):
            excess = self.expected_costs() - self._budgets
            excess = excess / np.maximum(self._budgets, 1e-300)
        step = 0.5 / (1.0 + t / 10.0)
        factors = np.exp(step * np.clip(excess, -1.0, 1.0))
        adapted = np.minimum(self.prices, _LARGEST_PRODUCT) * factors
        self._set_prices(np.where(self._is_free, adapted, self.prices))

    def _set_prices(self, prices: Floats) -> None:
        #: The present prices, one a part.
        self.prices = prices
        sizes = np.diff(self._items)
        dues = _product(np.repeat(prices, sizes), self._costs)
        self._scaled_prices = _product(dues, np.repeat(self._scales, sizes))
        self._form.set_prices(self._scaled_prices)

    def reinforce(self, share: float) -> None:
        """Add that share of its last field to every item's own, for one iteration.

        An item that leans to one side then leans further, and the others make up their
        minds in turn.
        """
        pull = _product(share, self._form.item_fields())
        self._form.set_prices(self._scaled_prices - pull)

    def iterate(self, damping: float) -> None:
        """Update every message once: all h by (BP1), then all h_hat by (BP2)."""
        self._form.gather()
        self._form.reply(damping)
        self.largest_changes = _quotient(
            (1.0 - damping) * self._work.largest_changes(), self._scales
        )

    def expected_costs(self) -> Floats:
        """Cost times marginal, summed over the items, one a part.

        The marginals are those that the last iteration began with.
        """
        return _sums(self._costs * self._form.item_marginals(), self._items)

    def item_fields(self) -> Floats:
        """Scaled fields of all items, those that the last iteration began with."""
        return self._form.item_fields()

    def beliefs(self) -> list[Beliefs]:
        """Fields, marginals and thermodynamics by the present messages, one a part."""
        reading = self._form.read(self._scaled_prices)
        log_partition = _sums(reading.log_of_items, self._items)
        log_partition = log_partition + _sums(reading.log_of_elements, self._elements)
        return [
            self._beliefs_of(place, reading, float(log_partition[place]))
            for place in range(len(self.parts))
        ]

    def _beliefs_of(
        self, place: int, reading: Reading, log_partition: float
    ) -> Beliefs:
        part, scale = self.parts[place], float(self._scales[place])
        problem, price = part.problem, float(self.prices[place])
        items = slice(self._items[place], self._items[place + 1])
        elements = slice(self._elements[place], self._elements[place + 1])
        item_marginals = reading.item_marginals[items]
        element_marginals = reading.element_marginals[elements]
        expected_cost = float(problem.costs @ item_marginals)
        energy = price * expected_cost - float(problem.weights @ element_marginals)
        free_energy = -log_partition / scale
        is_cold = np.isinf(part.used_inverse_temperature)
        return Beliefs(
            inverse_temperature=part.used_inverse_temperature,
            price=price,
            item_fields=_quotient(reading.item_fields[items], scale),
            element_fields=_quotient(reading.element_fields[elements], scale),
            item_marginals=item_marginals,
            element_marginals=element_marginals,
            expected_cost=expected_cost,
            free_energy=free_energy,
            entropy=np.nan if is_cold else scale * (energy - free_energy),
            largest_change=float(self.largest_changes[place]),
        )


def _offsets(sizes: list[int]) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _product(x: Floats | float, y: Floats | float) -> Floats:
    """Products, cut off where sums of them would overflow."""
    with np.errstate(over="ignore", under="ignore"):
        return np.clip(np.multiply(x, y), -_LARGEST_PRODUCT, _LARGEST_PRODUCT)


def _quotient(x: Floats, y: Floats | float) -> Floats:
    """Quotients, cut off where they would overflow."""
    with np.errstate(over="ignore"):
        return np.nan_to_num(x / y)


def _sums(values: Floats, offsets: Ints) -> Floats:
    """Sum over each part's own stretch."""
    padded = np.append(values, 0.0)
    return np.where(np.diff(offsets) > 0, np.add.reduceat(padded, offsets[:-1]), 0.0)
