"""Parts of any temperature, each in the form that suits it, on either device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf, nan
from typing import TYPE_CHECKING, Any, TypeVar

from thatch.arrays import Floats
from thatch.devices import Device
from thatch.run.beliefs import Beliefs
from thatch.run.result import Status
from thatch.run.run import Run
from thatch.solvers.belief_propagation.messages import Messages
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.belief_propagation.rounding import BestRounding
from thatch.solvers.belief_propagation.schedule import Schedule

if TYPE_CHECKING:
    from thatch.solvers.belief_propagation.gpu_messages import GpuMessages
    from thatch.solvers.belief_propagation.gpu_rounding import GpuRounding

_T = TypeVar("_T")

# Messages that move less than this, times the inverse temperature, have settled.
_SETTLED = 1e-6
# Parts share a union up to so many edges: on a processor what its nearer caches hold,
# on a GPU what fills it several times over and still leaves memory.
_EDGES_A_UNION = {Device.CPU: 30_000, Device.GPU: 250_000_000}


class Batch:
    """The messages of some parts, in unions that take turns or have a thread each.

    Parts at extreme temperatures take a slower form, and only they. Which parts share a
    union depends on nothing but the parts, so threads do not change a bit.
    """

    def __init__(
        self, priced_problems: Sequence[PricedProblem], schedule: Schedule, run: Run
    ) -> None:
        self._schedule = schedule
        self._run = run
        self._parts = priced_problems
        self._groups = _groups(priced_problems, schedule, run.device)
        self._unions: list[Messages | GpuMessages] = []

    def begin(self) -> None:
        """Make all messages, for those who iterate them step by step."""
        self._unions = self._each(self._messages_of)

    def iterate(self, t: int) -> None:
        """Update every message for the t-th time, counted from 0."""
        self._each(lambda place: self._update(self._unions[place], t))

    def settled(self) -> list[Beliefs]:
        """Iterate one union after the other to the end, which keeps each in cache."""

        def beliefs_of(place: int) -> list[Beliefs]:
            messages = self._messages_of(place)
            for t in range(self._schedule.max_iterations):
                self._update(messages, t)
            return messages.beliefs()

        return self._in_order(self._each(beliefs_of))

    def _messages_of(self, place: int) -> Messages | GpuMessages:
        representation, places = self._groups[place]
        priced_problems = [self._parts[k] for k in places]
        if self._run.device is Device.GPU:
            from thatch.solvers.belief_propagation.gpu_messages import GpuMessages

            return GpuMessages(priced_problems, representation=representation)
        num_threads = self._run.num_threads if self._is_large(place) else 1
        return Messages(
            priced_problems, representation=representation, num_threads=num_threads
        )

    def _is_large(self, place: int) -> bool:
        """Whether a union has threads within, rather than a thread to itself."""
        _, places = self._groups[place]
        first = self._parts[places[0]].problem
        is_above = first.num_edges > _EDGES_A_UNION[self._run.device]
        return is_above or len(self._groups) == 1

    def _update(self, messages: Messages | GpuMessages, t: int) -> None:
        share = self._schedule.share_at(t)
        if t > 0:
            messages.adapt_prices(t)
        if share > 0:
            messages.reinforce(share)
        messages.iterate(self._schedule.damping)

    def _each(self, do: Callable[[int], _T]) -> list[_T]:
        """Call for the number of every union, on as many threads as there are."""
        places = range(len(self._groups))
        if self._run.device is Device.GPU:
            return [do(place) for place in places]
        done = {place: do(place) for place in places if self._is_large(place)}
        small = [place for place in places if place not in done]
        if small:
            pool = ThreadPoolExecutor(self._run.num_threads)
            try:
                done.update(zip(small, pool.map(do, small), strict=True))
            finally:
                # If one fails, or the user has had enough, the others need not begin.
                pool.shutdown(cancel_futures=True)
        return [done[place] for place in places]

    def _in_order(self, answers: list[list[Beliefs]]) -> list[Beliefs]:
        """Beliefs by union, put in the order of the parts."""
        ordered: list[Any] = [None] * len(self._parts)
        for (_, places), beliefs in zip(self._groups, answers, strict=True):
            for place, belief in zip(places, beliefs, strict=True):
                ordered[place] = belief
        return ordered

    @property
    def largest_change(self) -> float:
        """The most that a message moved in the last iteration."""
        changes = (m.largest_changes.max(initial=0.0) for m in self._unions)
        return float(max(changes, default=0.0))

    @property
    def status(self) -> Status:
        """Whether the messages have settled: what to say if nobody stopped them."""
        changes = (m.largest_scaled_change for m in self._unions)
        has_settled = max(changes, default=inf) <= _SETTLED
        return Status.CONVERGED if has_settled else Status.ITERATION_LIMIT

    @property
    def price(self) -> float:
        """The present price, if there is one part; NaN otherwise."""
        if len(self._parts) != 1:
            return nan
        return float(self._unions[0].prices[0])

    @property
    def item_fields(self) -> Floats:
        """Scaled fields of the items of a single part, as the last iteration began.

        They stay on the device.
        """
        (messages,) = self._unions
        fields: Floats = messages.item_fields()
        return fields

    def ranker(self) -> BestRounding | GpuRounding:
        """Who keeps the best of the fields that a single part's items are ranked by."""
        (messages,) = self._unions
        if isinstance(messages, Messages):
            return BestRounding(self._parts[0].problem)
        from thatch.solvers.belief_propagation.gpu_rounding import GpuRounding

        return GpuRounding(self._parts[0].problem, messages.graph)

    def beliefs(self) -> list[Beliefs]:
        """Beliefs by the present messages, in the order of the parts."""
        return self._in_order([messages.beliefs() for messages in self._unions])


def _groups(
    priced_problems: Sequence[PricedProblem], schedule: Schedule, device: Device
) -> list[tuple[Any, list[int]]]:
    """Forms, and the numbers of the parts that share a union in each."""
    if device is Device.GPU:
        from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation

        representation_of: Callable[..., Any] = GpuRepresentation.suitable_for
    else:
        representation_of = Messages.suitable_representation
    precision = schedule.precision_on(device)
    most = _EDGES_A_UNION[device]
    groups: list[tuple[Any, list[int]]] = []
    open_groups: dict[Any, tuple[list[int], int]] = {}
    for place, priced in enumerate(priced_problems):
        representation, num_edges = (
            representation_of(priced, precision),
            priced.problem.num_edges,
        )
        if num_edges > most:
            groups.append((representation, [place]))
            continue
        places, taken = open_groups.get(representation, ([], most))
        if taken + num_edges > most or not places:
            places, taken = [], 0
            groups.append((representation, places))
        places.append(place)
        open_groups[representation] = places, taken + num_edges
    return groups
