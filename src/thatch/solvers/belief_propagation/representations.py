"""Three forms of the same messages: in products, in logarithms, at zero temperature.

Whatever the form, scaled numbers are numbers times the inverse temperature; at zero
temperature, where only comparisons matter, times any unit that suits the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from thatch._kernels import log_messages, max_sum, messages
from thatch.arrays import Floats, Ints
from thatch.problem.edges import Edges
from thatch.solvers.belief_propagation.scaled_beliefs import ScaledBeliefs

# Elements that one thread updates at a time.
_BLOCK_SIZE = 4096
# Below so many edges a thread, starting it costs more than it saves.
_EDGES_PER_THREAD = 20_000
# Beyond e^200 a price factor is split into a factor and a power of two.
_LARGEST_PLAIN_EXPONENT = 200.0

#: Largest scaled weight that the form in products can take.
LARGEST_IN_PRODUCTS: float = messages.LARGEST_EXPONENT
#: ... and those in single precision.
LARGEST_IN_SINGLES: float = messages.LARGEST_EXPONENT_OF_SINGLES


class Work:
    """A graph cut into blocks of elements, and how much room updating them takes."""

    def __init__(self, edges: Edges, offsets: Ints, *, num_threads: int) -> None:
        self.edges = edges
        most = int(edges.element_degrees.max(initial=0))
        self.num_threads = max(
            1, min(num_threads, edges.num_edges // _EDGES_PER_THREAD)
        )
        longest = max(most, min(edges.num_edges, messages.STRETCH))
        #: Of the room that every form needs for itself.
        self.scratch_shape = (self.num_threads, 3, longest)
        # A block never crosses into another part; a part without elements has one,
        # empty.
        starts = [
            np.arange(first, max(last, first + 1), _BLOCK_SIZE)
            for first, last in pairwise(offsets.tolist())
        ]
        sizes = [start.size for start in starts]
        self._first_block = np.cumsum([0, *sizes], dtype=np.int64)[:-1]
        self.blocks = np.concatenate([*starts, offsets[-1:]]).astype(np.int64)
        #: The most that a message of each block moved, scaled, before damping.
        self.changes = np.empty(self.blocks.size - 1)

    def largest_changes(self) -> Floats:
        """The most that a message of each part moved."""
        largest: Floats = np.maximum.reduceat(self.changes, self._first_block)
        return largest


class Logarithms:
    """Messages as -beta h_hat: for any inverse temperature."""

    kernel: ClassVar[ModuleType] = log_messages
    #: What the messages are held as; what items gather are always doubles.
    real: ClassVar[type[np.floating[Any]]] = np.float64
    #: The message that says nothing, with which all begin.
    silence: ClassVar[float] = 0.0

    def __init__(self, work: Work, scaled_weights: Floats) -> None:
        self._work = work
        self._scaled_weights = scaled_weights
        # ln(1 - q_a) = -ln(1 + e^(beta w_a))
        self._log_unclaimed = -self.softplus(scaled_weights)
        self._replies = np.full(work.edges.num_edges, self.silence, dtype=self.real)
        self._totals = np.empty(work.edges.num_items)
        self._scratch = np.empty(work.scratch_shape, dtype=self.real)
        self._scaled_prices = np.empty(work.edges.num_items)

    @staticmethod
    def softplus(x: Floats) -> Floats:
        """ln(1 + e^x)."""
        return np.logaddexp(0.0, x)

    @staticmethod
    def logistic(x: Floats) -> Floats:
        """1 / (1 + e^-x), without overflow."""
        # In place where it can be: reading is what takes the most memory.
        small = np.abs(x)
        np.exp(np.negative(small, out=small), out=small)
        logistic = np.where(x >= 0, 1.0, small)
        small += 1.0
        logistic /= small
        return logistic

    def set_prices(self, scaled_prices: Floats) -> None:
        """Let every item pay so much from the next gathering on."""
        self._scaled_prices = scaled_prices

    def gather(self) -> None:
        """Form the field of every item: (BP3), and so (BP1)."""
        self._add_up(self._replies, self._scaled_prices, self._totals)

    def reply(self, damping: float) -> None:
        """Update every message by (BP2), from the fields last gathered."""
        self._call(self.kernel.reply, self._totals, self._log_unclaimed, damping)

    def item_fields(self) -> Floats:
        """The scaled fields last gathered."""
        return -self._totals

    def item_marginals(self) -> Floats:
        """The marginals by the fields last gathered."""
        return self.logistic(-self._totals)

    def log_replies(self) -> Floats:
        """The messages as -beta h_hat."""
        return self._replies

    def read(self, scaled_prices: Floats) -> ScaledBeliefs:
        """Everything that the present messages say, at these prices."""
        graph = self._work.edges
        log_replies = self.log_replies()
        totals = np.empty(graph.num_items)
        self._add_up(log_replies, scaled_prices, totals)
        log_out, log_in, element_fields = np.empty((3, graph.num_elements))
        self.kernel.read_elements(
            log_replies,
            totals,
            self._log_unclaimed,
            graph.element_start,
            graph.element_items,
            log_out,
            log_in,
            element_fields,
        )
        del log_replies
        # Bethe: ln Z = sum_i (1 - degree_i) ln Z_i + sum_a ln Z_a, with
        # Z_i = 1 + e^(beta h_i) and Z_a = (1 + e^(beta w_a)) e^(-beta eta_a) / prod u.
        shares = (1 - graph.item_degrees).astype(np.float64)
        return ScaledBeliefs(
            item_fields=-totals,
            element_fields=element_fields,
            item_marginals=self.logistic(-totals),
            # P(y_a = 1) / P(y_a = 0) = e^(beta w_a) (1 - prod u)
            element_marginals=self.logistic(self._scaled_weights + log_in),
            log_of_items=shares * self.softplus(-totals),
            log_of_elements=-self._log_unclaimed - log_out - element_fields,
        )

    def _add_up(self, replies: Floats, scaled_prices: Floats, totals: Floats) -> None:
        graph = self._work.edges
        log_messages.add_up(
            replies,
            scaled_prices,
            graph.item_start,
            graph.item_edges,
            totals,
            self._work.num_threads,
        )

    def _call(
        self,
        kernel: Callable[..., None],
        totals: Floats,
        unclaimed: Floats,
        damping: float,
    ) -> None:
        work = self._work
        kernel(
            self._replies,
            totals,
            unclaimed,
            work.edges.element_start,
            work.edges.element_items,
            work.blocks,
            damping,
            work.changes,
            self._scratch,
            work.num_threads,
        )


class MaxSum(Logarithms):
    """Messages at zero temperature, where the larger of two terms is their sum."""

    kernel: ClassVar[ModuleType] = max_sum

    @staticmethod
    def softplus(x: Floats) -> Floats:
        """The limit of ln(1 + e^x), scaled."""
        return np.maximum(0.0, x)

    @staticmethod
    def logistic(x: Floats) -> Floats:
        """0 or 1 by the sign; one half where both are equally good."""
        return np.heaviside(x, 0.5)


class Products(Logarithms):
    """Messages as e^(-beta h_hat): ten times faster, while no weight is extreme."""

    silence: ClassVar[float] = 1.0

    def __init__(self, work: Work, scaled_weights: Floats) -> None:
        super().__init__(work, scaled_weights)
        self._unclaimed = np.exp(self._log_unclaimed).astype(self.real)
        is_double = self.real is np.float64
        self._held_totals = (
            self._totals if is_double else np.empty(self._totals.size, dtype=self.real)
        )

    def set_prices(self, scaled_prices: Floats) -> None:
        self._price_factors, self._price_exponents = _split(scaled_prices)

    def gather(self) -> None:
        graph = self._work.edges
        messages.multiply_up(
            self._replies,
            self._price_factors,
            self._price_exponents,
            graph.item_start,
            graph.item_edges,
            self._totals,
            self._held_totals,
            self._work.num_threads,
        )

    def reply(self, damping: float) -> None:
        self._call(messages.reply, self._held_totals, self._unclaimed, damping)

    def item_fields(self) -> Floats:
        return -np.log(self._totals)

    def item_marginals(self) -> Floats:
        return np.reciprocal(1.0 + self._totals)

    def log_replies(self) -> Floats:
        return np.log(self._replies, dtype=np.float64)


class Singles(Products):
    """The same in single precision: half the memory, seven digits."""

    real: ClassVar[type[np.floating[Any]]] = np.float32


def _split(exponents: Floats) -> tuple[Floats, Ints]:
    """Numbers f and k with f 2^k = e^exponents, f far from under- and overflow."""
    is_plain = np.abs(exponents) <= _LARGEST_PLAIN_EXPONENT
    if is_plain.all():
        return np.exp(exponents), np.zeros(exponents.size, dtype=np.int64)
    # Past 2^50 the kernel has long cut the product off.
    halvings = np.clip(np.floor(exponents / np.log(2.0)), -(2.0**50), 2.0**50)
    powers = np.where(is_plain, 0.0, halvings)
    rest = np.clip(
        exponents - powers * np.log(2.0),
        -_LARGEST_PLAIN_EXPONENT,
        _LARGEST_PLAIN_EXPONENT,
    )
    return np.exp(rest), powers.astype(np.int64)
