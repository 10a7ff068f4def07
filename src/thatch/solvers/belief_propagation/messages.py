"""Message passing on the disjoint union of many problems, temperatures and prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from thatch._kernels import log_messages, messages
from thatch.arrays import Floats, Ints
from thatch.beliefs import Beliefs
from thatch.edges import Edges
from thatch.solvers.belief_propagation.part import Part

# Elements that one thread updates at a time.
_BLOCK_SIZE = 4096
# Below so many edges a thread, starting it costs more than it saves.
_EDGES_PER_THREAD = 20_000
# Room for a sum over 10^8 edges below the largest double.
_LARGEST_PRODUCT = 1e300
# Beyond e^200 a price factor is split into a factor and a power of two.
_LARGEST_PLAIN_EXPONENT = 200.0


@dataclass(frozen=True)
class _Reading:
    """What the messages say of all parts together, fields times inverse temperature."""

    item_fields: Floats
    element_fields: Floats
    item_marginals: Floats
    element_marginals: Floats
    #: One a part.
    log_partition: Floats


class Messages:
    """All messages of all parts, which settle as they are iterated.

    A batch is one graph with no edges between its parts: one kernel serves a single
    problem, a sweep over prices, and a corpus.
    """

    def __init__(
        self, parts: Sequence[Part], *, in_products: bool, num_threads: int = 1
    ) -> None:
        self.parts = tuple(parts)
        problems = [part.problem for part in self.parts]
        graphs = [problem.edges for problem in problems]
        self.edges = graphs[0] if len(graphs) == 1 else Edges.union(graphs)
        #: The most that a message moved in the last iteration, one a part.
        self.largest_changes = np.full(len(self.parts), np.inf)
        self._inverse_temperatures = np.array(
            [part.used_inverse_temperature for part in self.parts]
        )
        self._items = _offsets([graph.num_items for graph in graphs])
        self._elements = _offsets([graph.num_elements for graph in graphs])
        self._costs = np.concatenate([problem.costs for problem in problems])
        self._scaled_weights = _product(
            np.concatenate([problem.weights for problem in problems]),
            np.repeat(self._inverse_temperatures, np.diff(self._elements)),
        )
        self._blocks, self._first_block = _blocks(self._elements)
        self._block_change = np.empty(self._blocks.size - 1)
        most = int(self.edges.element_degrees.max(initial=0))
        wanted = self.edges.num_edges // _EDGES_PER_THREAD
        self._num_threads = max(1, min(num_threads, wanted))
        self._scratch = np.empty((self._num_threads, 2 * most))
        # ln(1 - q_a) = -ln(1 + e^(beta w_a))
        self._log_unclaimed = -np.logaddexp(0.0, self._scaled_weights)
        self._is_in_products = in_products
        self._unclaimed = np.exp(self._log_unclaimed) if in_products else None
        # e^(-beta h_hat) at h_hat = 0, or its logarithm.
        self._replies = np.full(self.edges.num_edges, 1.0 if in_products else 0.0)
        self._totals = np.empty(self.edges.num_items)
        self._set_prices(np.array([part.first_price for part in self.parts]))

    @staticmethod
    def suits_products(part: Part) -> bool:
        """Whether a part's messages stay within the range of the product form."""
        largest = _product(
            part.problem.weights.max(initial=0.0), part.used_inverse_temperature
        )
        return bool(largest <= messages.LARGEST_EXPONENT)

    @property
    def largest_scaled_change(self) -> float:
        """The most that a message moved, times its part's inverse temperature."""
        return float((self.largest_changes * self._inverse_temperatures).max(initial=0))

    def adapt_prices(self, t: int) -> None:
        """Move the prices that nobody gave closer to those that spend the budget.

        The steps shrink with the iterations t: at low temperature the expected cost
        jumps from item to item, and equal steps would swing around the budget for ever.
        """
        is_free = np.array([part.price is None for part in self.parts])
        if not is_free.any():
            return
        budgets = np.array([part.problem.budget for part in self.parts])
        with np.errstate(over="ignore"):
            excess = (self.expected_costs() - budgets) / np.maximum(budgets, 1e-300)
        step = 0.5 / (1.0 + t / 10.0)
        factors = np.exp(step * np.clip(excess, -1.0, 1.0))
        adapted = np.minimum(self.prices, _LARGEST_PRODUCT) * factors
        self._set_prices(np.where(is_free, adapted, self.prices))

    def _set_prices(self, prices: Floats) -> None:
        #: The present prices, one a part.
        self.prices = prices
        sizes = np.diff(self._items)
        dues = _product(np.repeat(prices, sizes), self._costs)
        self._scaled_prices = _product(
            dues, np.repeat(self._inverse_temperatures, sizes)
        )
        if self._is_in_products:
            self._price_factors, self._price_exponents = _split(self._scaled_prices)

    def iterate(self, damping: float) -> None:
        """Update every message once: all h by (BP1), then all h_hat by (BP2)."""
        self._gather()
        graph = self.edges
        form = messages if self._is_in_products else log_messages
        form.reply(
            self._replies,
            self._totals,
            self._unclaimed if self._is_in_products else self._log_unclaimed,
            graph.element_start,
            graph.element_items,
            self._blocks,
            damping,
            self._block_change,
            self._scratch,
            self._num_threads,
        )
        largest = np.maximum.reduceat(self._block_change, self._first_block)
        self.largest_changes = _quotient(
            (1.0 - damping) * largest, self._inverse_temperatures
        )

    def expected_costs(self) -> Floats:
        """Cost times marginal, summed over the items, one a part.

        The marginals are those that the last iteration began with.
        """
        if self._is_in_products:
            marginals = 1.0 / (1.0 + self._totals)
        else:
            marginals = _logistic(-self._totals)
        return _sums(self._costs * marginals, self._items)

    def beliefs(self) -> list[Beliefs]:
        """Fields, marginals and thermodynamics by the present messages, one a part."""
        reading = self._read()
        return [self._beliefs_of(place, reading) for place in range(len(self.parts))]

    def _read(self) -> _Reading:
        graph = self.edges
        log_replies = np.log(self._replies) if self._is_in_products else self._replies
        totals = np.empty(graph.num_items)
        log_messages.add_up(
            log_replies,
            self._scaled_prices,
            graph.item_start,
            graph.item_edges,
            totals,
            self._num_threads,
        )
        log_out, log_in, element_fields = np.empty((3, graph.num_elements))
        log_messages.read_elements(
            log_replies,
            totals,
            self._log_unclaimed,
            graph.element_start,
            graph.element_items,
            log_out,
            log_in,
            element_fields,
        )
        # Bethe: ln Z = sum_i (1 - degree_i) ln Z_i + sum_a ln Z_a, with
        # Z_i = 1 + e^(beta h_i) and Z_a = (1 + e^(beta w_a)) e^(-beta eta_a) / prod u.
        shares = (1 - graph.item_degrees).astype(np.float64)
        log_of_items = shares * np.logaddexp(0.0, -totals)
        log_of_elements = -self._log_unclaimed - log_out - element_fields
        return _Reading(
            item_fields=-totals,
            element_fields=element_fields,
            item_marginals=_logistic(-totals),
            # P(y_a = 1) / P(y_a = 0) = e^(beta w_a) (1 - prod u)
            element_marginals=_logistic(self._scaled_weights + log_in),
            log_partition=_sums(log_of_items, self._items)
            + _sums(log_of_elements, self._elements),
        )

    def _beliefs_of(self, place: int, reading: _Reading) -> Beliefs:
        problem = self.parts[place].problem
        inverse_temperature = float(self._inverse_temperatures[place])
        price = float(self.prices[place])
        items = slice(self._items[place], self._items[place + 1])
        elements = slice(self._elements[place], self._elements[place + 1])
        item_marginals = reading.item_marginals[items]
        element_marginals = reading.element_marginals[elements]
        expected_cost = float(problem.costs @ item_marginals)
        energy = price * expected_cost - float(problem.weights @ element_marginals)
        free_energy = -float(reading.log_partition[place]) / inverse_temperature
        return Beliefs(
            inverse_temperature=inverse_temperature,
            price=price,
            item_fields=_quotient(reading.item_fields[items], inverse_temperature),
            element_fields=_quotient(
                reading.element_fields[elements], inverse_temperature
            ),
            item_marginals=item_marginals,
            element_marginals=element_marginals,
            expected_cost=expected_cost,
            free_energy=free_energy,
            entropy=inverse_temperature * (energy - free_energy),
            largest_change=float(self.largest_changes[place]),
        )

    def _gather(self) -> None:
        """Form e^(-beta h_i), or its logarithm, for every item: (BP3), and so (BP1)."""
        graph = self.edges
        if self._is_in_products:
            messages.multiply_up(
                self._replies,
                self._price_factors,
                self._price_exponents,
                graph.item_start,
                graph.item_edges,
                self._totals,
                self._num_threads,
            )
        else:
            log_messages.add_up(
                self._replies,
                self._scaled_prices,
                graph.item_start,
                graph.item_edges,
                self._totals,
                self._num_threads,
            )


def _offsets(sizes: list[int]) -> Ints:
    return np.cumsum([0, *sizes], dtype=np.int64)


def _blocks(offsets: Ints) -> tuple[Ints, Ints]:
    """Where each block of elements starts, and which block is each part's first.

    A block never crosses into another part; a part without elements has one, empty.
    """
    starts = [
        np.arange(first, max(last, first + 1), _BLOCK_SIZE)
        for first, last in pairwise(offsets.tolist())
    ]
    first_block = _offsets([start.size for start in starts])[:-1]
    return np.concatenate([*starts, offsets[-1:]]).astype(np.int64), first_block


def _split(exponents: Floats) -> tuple[Floats, Ints]:
    """Numbers f and k with f 2^k = e^exponents, f far from under- and overflow."""
    is_plain = np.abs(exponents) <= _LARGEST_PLAIN_EXPONENT
    # Past 2^50 the kernel has long cut the product off.
    halvings = np.clip(np.floor(exponents / np.log(2.0)), -(2.0**50), 2.0**50)
    powers = np.where(is_plain, 0.0, halvings)
    rest = np.clip(
        exponents - powers * np.log(2.0),
        -_LARGEST_PLAIN_EXPONENT,
        _LARGEST_PLAIN_EXPONENT,
    )
    return np.exp(rest), powers.astype(np.int64)


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


def _logistic(x: Floats) -> Floats:
    """1 / (1 + e^-x) without overflow."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1.0, small) / (1.0 + small)
