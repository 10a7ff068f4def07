"""Message passing on one problem, with every message within reach."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import Floats, Indices, Ints, frozen, number, numbers
from thatch.errors import InputError, InputTypeError
from thatch.machine.devices import num_cores, require_threads
from thatch.options import require_choice, require_integer
from thatch.run.beliefs import Beliefs, Symbols
from thatch.solvers.belief_propagation.messages import Messages, SequentialMessages
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.belief_propagation.representations import (
    LARGEST_IN_PRODUCTS,
    Logarithms,
    MaxSum,
    Representation,
)
from thatch.solvers.belief_propagation.schedule import TOLERANCE, Schedule

_SCHEDULES = ("parallel", "random-sequential")
_STARTS = ("zero", "random")


class MessagePassing(Symbols):
    """Messages on one problem, iteration by iteration, on the processor.

    `propagate` and `BeliefPropagation` pass the same messages and return only what
    follows from them. Arrays with one entry per edge are in the order of
    ``problem.edges``: by element, and by item within an element. Edge `e` joins item
    ``edge_items[e]`` and element ``edge_elements[e]``.

    Parameters
    ----------
    priced
        The problem, its inverse temperature and its price. A price that is not given is
        adapted before every iteration but the first.
    schedule
        ``parallel`` updates all messages at once, as `propagate` does.
        ``random-sequential`` updates one element at a time, from the newest messages,
        in a new random order for every sweep; an iteration is a sweep.
    initial
        The element messages to start from: ``zero``, ``random``, or one number per
        edge. Random messages are independent and uniform between 0 and the largest
        value of (BP2), ln(1 + e^(beta w_a)) / beta, which is w_a at zero temperature.
    seed
        Seed of random messages and random orders. The two are independent of each
        other.
    damping
        Share of the old message that an update keeps.
    traced_edges
        Edges whose messages are kept after every iteration.
    num_threads
        Threads of parallel updates; default: all cores. It does not change a message.

    >>> from thatch.problem.instances import toy
    >>> priced = PricedProblem(toy.path(2).problem, beta=1.0, mu=1.0)
    >>> passing = MessagePassing(priced, schedule="random-sequential", initial="random")
    >>> beliefs = passing.run()
    >>> passing.has_converged
    True
    >>> passing.edge_elements, passing.edge_items
    (array([0, 1, 1, 2], dtype=int32), array([0, 0, 1, 1], dtype=int32))
    >>> passing.element_messages.round(3)
    array([1.313, 0.369, 0.369, 1.313])
    """

    def __init__(
        self,
        priced: PricedProblem,
        *,
        schedule: str = "parallel",
        initial: str | ArrayLike = "zero",
        seed: int = 0,
        damping: float = 0.5,
        traced_edges: ArrayLike = (),
        num_threads: int | None = None,
    ) -> None:
        _require_priced(priced)
        require_choice("schedule", schedule, _SCHEDULES, default=_SCHEDULES[0])
        require_integer("seed", seed, hint="Leave it out for 0.")
        num_threads = num_cores() if num_threads is None else num_threads
        require_threads(num_threads)
        self._damping = Schedule(damping=damping).damping
        self._priced = priced
        edges = priced.problem.edges
        #: int32, shape (num_edges,): the item of each edge.
        self.edge_items: Indices = edges.element_items
        #: int32, shape (num_edges,): the element of each edge.
        self.edge_elements: Indices = frozen(
            np.repeat(
                np.arange(edges.num_elements, dtype=np.int32), edges.element_degrees
            )
        )
        #: int64: the edges whose messages are traced.
        self.traced_edges: Ints = _checked_edges(traced_edges, edges.num_edges)
        #: How many iterations there have been.
        self.num_iterations = 0
        self._tolerance = TOLERANCE
        self._traces: tuple[list[Floats], list[Floats]] = ([], [])
        start_rng, self._order_rng = np.random.default_rng(seed).spawn(2)
        given = _given_messages(initial, edges.num_edges)
        self._messages = (
            SequentialMessages(priced, num_threads=num_threads)
            if schedule == "random-sequential"
            else Messages(
                [priced],
                representation=_representation(priced, given),
                num_threads=num_threads,
            )
        )
        if given is not None:
            self._messages.start_from(given)
        elif initial == "random":
            self._messages.start_at_random(start_rng)

    @property
    def inverse_temperature(self) -> float:
        """The given inverse temperature, or the default for the weights."""
        return self._priced.used_inverse_temperature

    @property
    def price(self) -> float:
        """The given price, or the adapted one of the last iteration."""
        return float(self._messages.prices[0])

    @property
    def element_messages(self) -> Floats:
        """float64, shape (num_edges,): h_hat_ai of eq. (BP2), in units of weight."""
        return self._messages.element_messages()

    @property
    def item_messages(self) -> Floats:
        """float64, shape (num_edges,): h_ia of eq. (BP1), in units of weight.

        They follow from the present `element_messages` and price.
        """
        return self._messages.item_messages()

    @property
    def beliefs(self) -> Beliefs:
        """Fields, marginals and thermodynamics of the present messages."""
        (beliefs,) = self._messages.beliefs()
        return beliefs

    @property
    def largest_change(self) -> float:
        """The largest change of an element message in the last iteration."""
        return float(self._messages.largest_changes[0])

    @property
    def has_converged(self) -> bool:
        """Whether the last iteration changed no message by more than the tolerance.

        The tolerance is that of the last `run`, or its default.
        """
        return self._messages.largest_scaled_change <= self._tolerance

    @property
    def element_trace(self) -> Floats:
        """float64, one row per iteration, one column per traced edge: h_hat."""
        return self._trace(0)

    @property
    def item_trace(self) -> Floats:
        """float64, one row per iteration, one column per traced edge: h."""
        return self._trace(1)

    def step(self) -> None:
        """Update every message once."""
        if self.num_iterations > 0:
            self._messages.adapt_prices(self.num_iterations)
        if isinstance(self._messages, SequentialMessages):
            num_elements = self._priced.problem.num_elements
            order = self._order_rng.permutation(num_elements).astype(np.int64)
            self._messages.sweep(order, self._damping)
        else:
            self._messages.iterate(self._damping)
        self.num_iterations += 1
        if self.traced_edges.size > 0:
            present = (self.element_messages, self.item_messages)
            for trace, messages in zip(self._traces, present, strict=True):
                trace.append(messages[self.traced_edges])

    def run(self, max_iterations: int = 150, *, tolerance: float = 1e-6) -> Beliefs:
        """Update messages until they converge, and return their beliefs.

        Parameters
        ----------
        max_iterations
            The most iterations, in addition to those before.
        tolerance
            Messages have converged when none changes by more than this, divided by the
            inverse temperature, or by its default at zero temperature. With 0, all
            iterations are done.
        """
        require_integer("max_iterations", max_iterations, hint="The paper uses 150.")
        if not 0 <= number("tolerance", tolerance) < inf:
            raise InputError(
                f"tolerance is {tolerance}; it must be finite and non-negative.",
                hint=f"Leave it out for {TOLERANCE}, or pass 0 for all iterations.",
            )
        self._tolerance = tolerance
        for _ in range(max_iterations):
            self.step()
            if tolerance > 0 and self.has_converged:
                break
        return self.beliefs

    def _trace(self, side: int) -> Floats:
        num_edges = self.traced_edges.size
        if num_edges == 0:
            return np.empty((self.num_iterations, 0))
        return np.array(self._traces[side]).reshape(-1, num_edges)


def _representation(
    priced: PricedProblem, given: Floats | None
) -> type[Representation]:
    representation = Messages.suitable_representation(priced)
    if given is not None and representation is not MaxSum:
        # Products are for messages that (BP2) can give.
        largest = LARGEST_IN_PRODUCTS / priced.scale
        if not ((given >= 0) & (given <= largest)).all():
            return Logarithms
    return representation


def _require_priced(priced: object) -> None:
    if not isinstance(priced, PricedProblem):
        raise InputTypeError(
            f"expected a PricedProblem, got {priced!r}.",
            hint="Write MessagePassing(PricedProblem(problem, price=5.0)).",
        )


def _given_messages(initial: str | ArrayLike, num_edges: int) -> Floats | None:
    """The initial messages if they are given as an array."""
    if isinstance(initial, str):
        require_choice("initial", initial, _STARTS, default=_STARTS[0])
        return None
    given = numbers("initial", initial)
    if given.size != num_edges:
        raise InputError(
            f"initial has {given.size} messages; the problem has {num_edges} edges.",
            hint="Pass one message per edge, in the order of edge_elements.",
        )
    is_bad = ~np.isfinite(given)
    if is_bad.any():
        e = int(np.argmax(is_bad))
        raise InputError(
            f"initial[{e}] is {float(given[e])}; messages must be finite.",
            hint="Messages lie between 0 and about the weight of their element.",
        )
    return given


def _checked_edges(traced_edges: ArrayLike, num_edges: int) -> Ints:
    try:
        edges = np.array(traced_edges)
    except ValueError:  # lists of different lengths
        edges = np.array(None)
    if edges.size == 0:
        return np.zeros(0, dtype=np.int64)
    if edges.ndim != 1 or edges.dtype.kind not in "iu":
        raise InputTypeError(
            f"traced_edges is {traced_edges!r}; it must be a flat list of integers.",
            hint="Pass the numbers of edges, such as [0, 3].",
        )
    is_outside = (edges < 0) | (edges >= num_edges)
    if is_outside.any():
        position = int(np.argmax(is_outside))
        raise InputError(
            f"traced_edges[{position}] is {int(edges[position])}; there are "
            f"{num_edges} edges.",
            hint="Edges are numbered from 0; see edge_items and edge_elements.",
        )
    return np.asarray(frozen(edges.astype(np.int64)))
