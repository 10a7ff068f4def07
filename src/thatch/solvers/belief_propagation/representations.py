"""Representations of messages: as products, as logarithms, and at zero temperature.

In all of them, scaled numbers are numbers times the inverse temperature; at zero
temperature, where only comparisons matter, times a factor that normalizes the weights.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from thatch._kernels import log_messages, messages
from thatch.arrays import Flags, Floats, Ints
from thatch.problem.edges import Edges
from thatch.solvers.belief_propagation.scaled_beliefs import ScaledBeliefs

#: Largest scaled weight that products can represent.
LARGEST_IN_PRODUCTS: float = messages.LARGEST_EXPONENT
#: The same in single precision.
LARGEST_IN_SINGLES: float = messages.LARGEST_EXPONENT_OF_SINGLES


class Work:
    """A graph divided into blocks of elements, and the scratch space of an update."""

    def __init__(self, edges: Edges, offsets: Ints, *, num_threads: int) -> None:
        self.edges = edges
        most = int(edges.element_degrees.max(initial=0))
        # With fewer edges per thread, starting a thread takes longer than it saves.
        self.num_threads = max(1, min(num_threads, edges.num_edges // 20_000))
        longest = max(most, min(edges.num_edges, messages.STRETCH))
        #: Shape of the scratch array that every representation allocates.
        self.scratch_shape = (self.num_threads, 3, longest)
        # One thread updates a block at a time. A block never crosses from one problem
        # into the next; a problem without elements has one empty block.
        starts = [
            np.arange(first, max(last, first + 1), 4096)
            for first, last in pairwise(offsets.tolist())
        ]
        sizes = [start.size for start in starts]
        self._first_block = np.cumsum([0, *sizes], dtype=np.int64)[:-1]
        self.blocks = np.concatenate([*starts, offsets[-1:]]).astype(np.int64)
        #: The largest scaled change of a message in each block, before damping.
        self.changes = np.empty(self.blocks.size - 1)

    def largest_changes(self) -> Floats:
        """The largest scaled change of a message of each problem."""
        largest: Floats = np.maximum.reduceat(self.changes, self._first_block)
        return largest


class Representation(ABC):
    """Messages h_hat of a graph in some form, and the updates of all of them."""

    #: Type of the messages; the sums of items are always doubles.
    real: ClassVar[type[np.floating[Any]]] = np.float64
    #: The neutral message, with which all start.
    neutral: ClassVar[float]
    _read_kernel: ClassVar[Callable[..., None]] = staticmethod(
        log_messages.read_elements
    )

    def __init__(self, work: Work, scaled_weights: Floats) -> None:
        self._work = work
        self._scaled_weights = scaled_weights
        # ln(1 - q_a) = -ln(1 + e^(beta w_a))
        self._log_unclaimed = -self.softplus(scaled_weights)
        self._replies = np.full(work.edges.num_edges, self.neutral, dtype=self.real)
        self._totals = np.empty(work.edges.num_items)
        self._scratch = np.empty(work.scratch_shape, dtype=self.real)

    @staticmethod
    def softplus(x: Floats) -> Floats:
        """ln(1 + e^x)."""
        return np.logaddexp(0.0, x)

    @staticmethod
    def logistic(x: Floats) -> Floats:
        """1 / (1 + e^-x), without overflow."""
        # In place where possible: computing beliefs takes the most memory.
        small = np.abs(x)
        np.exp(np.negative(small, out=small), out=small)
        logistic = np.where(x >= 0, 1.0, small)
        small += 1.0
        logistic /= small
        return logistic

    @abstractmethod
    def start_from(self, log_replies: Floats) -> None:
        """Replace every message, given as -beta h_hat."""

    @abstractmethod
    def set_prices(self, scaled_prices: Floats) -> None:
        """Set the scaled price times cost of every item, for the next `gather`."""

    @abstractmethod
    def gather(self) -> None:
        """Compute the field of every item: (BP3), and so (BP1)."""

    @abstractmethod
    def reply(self, damping: float) -> None:
        """Update every message by (BP2), from the fields of the last `gather`."""

    @abstractmethod
    def item_fields(self) -> Floats:
        """The scaled fields of the last `gather`."""

    @abstractmethod
    def item_marginals(self) -> Floats:
        """The marginals of the last `gather`."""

    @abstractmethod
    def log_replies(self) -> Floats:
        """The messages as -beta h_hat."""

    def random_log_replies(self, rng: np.random.Generator) -> Floats:
        """Messages that are uniform in the range of (BP2), as -beta h_hat."""
        graph = self._work.edges
        lowest = np.repeat(self._log_unclaimed, graph.element_degrees)
        return lowest * rng.random(graph.num_edges)

    def carried_to(self, work: Work, scaled_weights: Floats) -> Self:
        """The same messages on another graph with as many edges."""
        other = type(self)(work, scaled_weights)
        other._replies = self._replies  # noqa: SLF001
        return other

    def fresh_replies(self) -> Floats:
        """The messages after an undamped update, which is not kept: as -beta h_hat."""
        before = self._replies.copy()
        self.reply(0.0)
        fresh = self.log_replies().copy()
        self._replies[:] = before
        return fresh

    def reply_on(self, is_updated: Flags) -> None:
        """Update the messages of some edges only, and those without damping."""
        before = self._replies.copy()
        self.reply(0.0)
        np.copyto(self._replies, before, where=~is_updated)

    def scaled_item_messages(self, scaled_prices: Floats) -> Floats:
        """The messages beta h that follow from the present ones by (BP1)."""
        log_replies = self.log_replies()
        totals = np.empty(self._work.edges.num_items)
        self._add_up(log_replies, scaled_prices, totals)
        return log_replies - totals[self._work.edges.element_items]

    def read(self, scaled_prices: Floats) -> ScaledBeliefs:
        """The scaled beliefs of the present messages, at these prices."""
        graph = self._work.edges
        log_replies = self.log_replies()
        log_sums = np.empty(graph.num_items)
        self._add_up(log_replies, np.zeros(graph.num_items), log_sums)
        totals = scaled_prices + log_sums
        log_out, log_in, element_fields = np.empty((3, graph.num_elements))
        self._read_kernel(
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
            item_replies=0.0 - log_sums,
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


class Logarithms(Representation):
    """Messages as -beta h_hat: for any inverse temperature."""

    neutral = 0.0
    _is_max_sum: ClassVar[bool] = False
    _reply_kernel: ClassVar[Callable[..., None]] = staticmethod(log_messages.reply)

    def __init__(self, work: Work, scaled_weights: Floats) -> None:
        super().__init__(work, scaled_weights)
        self._scaled_prices = np.empty(work.edges.num_items)

    def start_from(self, log_replies: Floats) -> None:
        self._replies[:] = log_replies

    def set_prices(self, scaled_prices: Floats) -> None:
        self._scaled_prices = scaled_prices

    def gather(self) -> None:
        self._add_up(self._replies, self._scaled_prices, self._totals)

    def reply(self, damping: float) -> None:
        self._call(self._reply_kernel, self._totals, self._log_unclaimed, damping)

    def reply_in_order(self, order: Ints, damping: float) -> None:
        """Update the messages of one element after the other by (BP2).

        The fields of its items follow at once; they start from the last `gather`.
        """
        work = self._work
        work.changes[:] = log_messages.reply_in_order(
            self._replies,
            self._totals,
            self._log_unclaimed,
            work.edges.element_start,
            work.edges.element_items,
            order,
            damping,
            self._is_max_sum,
            self._scratch[0],
        )

    def item_fields(self) -> Floats:
        return -self._totals

    def item_marginals(self) -> Floats:
        return self.logistic(-self._totals)

    def log_replies(self) -> Floats:
        return self._replies


class MaxSum(Logarithms):
    """Messages at zero temperature, where a maximum replaces the sum."""

    _is_max_sum = True
    _reply_kernel = staticmethod(log_messages.reply_by_max_sum)
    _read_kernel = staticmethod(log_messages.read_elements_by_max_sum)

    @staticmethod
    def softplus(x: Floats) -> Floats:
        """The limit of ln(1 + e^x), scaled."""
        return np.maximum(0.0, x)

    @staticmethod
    def logistic(x: Floats) -> Floats:
        """0 or 1 by the sign; one half for 0."""
        return np.heaviside(x, 0.5)


class Products(Representation):
    """Messages as e^(-beta h_hat): ten times as fast, if no weight is extreme."""

    neutral = 1.0

    def __init__(self, work: Work, scaled_weights: Floats) -> None:
        super().__init__(work, scaled_weights)
        self._unclaimed = np.exp(self._log_unclaimed).astype(self.real)
        is_double = self.real is np.float64
        self._stored_totals = (
            self._totals if is_double else np.empty(self._totals.size, dtype=self.real)
        )

    def start_from(self, log_replies: Floats) -> None:
        self._replies[:] = np.exp(log_replies)

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
            self._stored_totals,
            self._work.num_threads,
        )

    def reply(self, damping: float) -> None:
        self._call(messages.reply, self._stored_totals, self._unclaimed, damping)

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
    most = 200.0
    is_plain = np.abs(exponents) <= most
    if is_plain.all():
        return np.exp(exponents), np.zeros(exponents.size, dtype=np.int64)
    # Beyond 2^50 the kernel clips the product anyway.
    halvings = np.clip(np.floor(exponents / np.log(2.0)), -(2.0**50), 2.0**50)
    powers = np.where(is_plain, 0.0, halvings)
    rest = np.clip(exponents - powers * np.log(2.0), -most, most)
    return np.exp(rest), powers.astype(np.int64)
