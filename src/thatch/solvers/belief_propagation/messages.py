"""Messages on the disjoint union of problems, temperatures and prices."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.problem.edges import Edges
from thatch.run.beliefs import Beliefs
from thatch.solvers.belief_propagation.disjoint_union import (
    LARGEST_PRODUCT,
    DisjointUnion,
    product,
    quotient,
    sums,
)
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.belief_propagation.representations import (
    LARGEST_IN_PRODUCTS,
    LARGEST_IN_SINGLES,
    Logarithms,
    MaxSum,
    Products,
    Representation,
    Singles,
    Work,
)
from thatch.solvers.belief_propagation.schedule import Precision, price_factor


class Messages:
    """All messages of a union of priced problems.

    One kernel serves a single problem, a sweep over prices, and a corpus.
    """

    def __init__(
        self,
        priced_problems: Sequence[PricedProblem],
        *,
        representation: type[Representation],
        num_threads: int = 1,
    ) -> None:
        self._union = DisjointUnion(priced_problems)
        graphs = [priced.problem.edges for priced in priced_problems]
        edges = graphs[0] if len(graphs) == 1 else Edges.union(graphs)
        self._work = Work(edges, self._union.elements, num_threads=num_threads)
        scaled_weights = product(
            self._union.weights, self._union.of_elements(self._union.scales)
        )
        self._representation: Representation = representation(
            self._work, scaled_weights
        )
        # The change of a damped update relative to an undamped one.
        self._undamped_share = inf
        self._set_prices(self._union.first_prices)

    @staticmethod
    def suitable_representation(
        priced: PricedProblem, precision: Precision = Precision.DOUBLE
    ) -> type[Representation]:
        """The fastest representation whose range suffices."""
        if np.isinf(priced.used_inverse_temperature):
            return MaxSum
        largest = priced.largest_scaled_weight
        is_single = precision is Precision.SINGLE and priced.fits_singles
        if is_single and largest <= LARGEST_IN_SINGLES:
            return Singles
        return Products if largest <= LARGEST_IN_PRODUCTS else Logarithms

    @property
    def largest_changes(self) -> Floats:
        """The largest change of a message in the last iteration, one per problem."""
        if self._undamped_share == inf:
            return np.full(len(self._union.priced_problems), inf)
        changes = self._undamped_share * self._work.largest_changes()
        return quotient(changes, self._union.scales)

    @property
    def largest_scaled_change(self) -> float:
        """The largest scaled change of any message."""
        return float((self.largest_changes * self._union.scales).max(initial=0))

    def adapt_prices(self, t: int) -> None:
        """Adapt prices that are not given toward those that spend the budget."""
        union = self._union
        if not union.is_free.any():
            return
        with np.errstate(over="ignore"):
            spent = self._expected_costs()
        factors = price_factor(spent, union.budgets, t)
        adapted = np.minimum(self.prices, LARGEST_PRODUCT) * factors
        self._set_prices(np.where(union.is_free, adapted, self.prices))

    def _set_prices(self, prices: Floats) -> None:
        #: The present prices, one per problem.
        self.prices = prices
        union = self._union
        dues = product(union.of_items(prices), union.costs)
        self._scaled_prices = product(dues, union.of_items(union.scales))
        self._representation.set_prices(self._scaled_prices)

    def reinforce(self, share: float) -> None:
        """Add that share of its last field to every item, for one iteration.

        This strengthens the decisions that messages lean toward, until they commit to
        a selection.
        """
        pull = product(share, self._representation.item_fields())
        self._representation.set_prices(self._scaled_prices - pull)

    def iterate(self, damping: float) -> None:
        """Update every message once: all h by (BP1), then all h_hat by (BP2)."""
        self._representation.gather()
        self._representation.reply(damping)
        self._undamped_share = 1.0 - damping

    def _expected_costs(self) -> Floats:
        """Cost times marginal, summed over the items of each problem.

        The marginals are those at the start of the last iteration.
        """
        return sums(
            self._union.costs * self._representation.item_marginals(), self._union.items
        )

    def item_fields(self) -> Floats:
        """Scaled fields of all items, at the start of the last iteration."""
        return self._representation.item_fields()

    def element_messages(self) -> Floats:
        """The message h_hat of every edge, eq. (BP2)."""
        # Subtracted from 0: the negative of 0 would print as -0.
        return quotient(0.0 - self._representation.log_replies(), self._edge_scales)

    def item_messages(self) -> Floats:
        """The message h of every edge: (BP1) of the present h_hat and prices."""
        scaled = self._representation.scaled_item_messages(self._scaled_prices)
        return quotient(scaled, self._edge_scales)

    def start_from(self, element_messages: Floats) -> None:
        """Replace the message h_hat of every edge."""
        scaled = product(element_messages, self._edge_scales)
        self._representation.start_from(-scaled)

    def start_at_random(self, rng: np.random.Generator) -> None:
        """Draw every h_hat uniformly between 0 and the largest value of (BP2)."""
        self._representation.start_from(self._representation.random_log_replies(rng))

    @property
    def _edge_scales(self) -> Floats:
        of_elements = self._union.of_elements(self._union.scales)
        return np.repeat(of_elements, self._work.edges.element_degrees)

    def beliefs(self) -> list[Beliefs]:
        """Fields, marginals and thermodynamics of the present messages."""
        scaled = self._representation.read(self._scaled_prices)
        return self._union.beliefs(scaled, self.prices, self.largest_changes)


class SequentialMessages(Messages):
    """Messages of one problem, to be updated one element after the other.

    They are logarithms: the fields of items follow every update by an addition.
    """

    _representation: Logarithms

    def __init__(self, priced: PricedProblem, *, num_threads: int = 1) -> None:
        is_cold = np.isinf(priced.used_inverse_temperature)
        super().__init__(
            [priced],
            representation=MaxSum if is_cold else Logarithms,
            num_threads=num_threads,
        )

    def sweep(self, order: Ints, damping: float) -> None:
        """Update one element after the other, each from the newest messages.

        The sums of the items are computed again at the start, so that rounding errors
        do not add up over sweeps.
        """
        self._representation.gather()
        self._representation.reply_in_order(order, damping)
        self._undamped_share = 1.0 - damping
