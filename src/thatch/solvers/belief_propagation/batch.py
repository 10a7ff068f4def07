"""Batches: priced problems grouped into disjoint unions, on threads or a GPU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf, nan
from typing import TYPE_CHECKING, Any, TypeVar

from thatch.arrays import Floats
from thatch.machine.devices import Device
from thatch.run.beliefs import Beliefs
from thatch.run.result import Status
from thatch.run.run import Run
from thatch.solvers.belief_propagation.messages import Messages
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.belief_propagation.rounding import BestRounding
from thatch.solvers.belief_propagation.schedule import TOLERANCE, Schedule

if TYPE_CHECKING:
    from thatch._kernels.gpu import Graph
    from thatch.solvers.belief_propagation.gpu_messages import GpuMessages
    from thatch.solvers.belief_propagation.gpu_rounding import GpuRounding

_T = TypeVar("_T")

# The most edges of a union: on a processor what fits into its near caches, on a GPU
# what occupies it several times over and still leaves memory.
_EDGES_PER_UNION = {Device.CPU: 30_000, Device.GPU: 250_000_000}


class Batch:
    """Messages of many priced problems, in unions that are distributed over threads.

    Only problems at extreme temperatures use a slower representation. Which problems
    share a union does not depend on the number of threads, so neither do the results.
    """

    def __init__(
        self,
        priced_problems: Sequence[PricedProblem],
        schedule: Schedule,
        run: Run,
        *,
        graph: Graph | None = None,
    ) -> None:
        """Distribute the problems; the graph of a single one may be on the GPU."""
        self._schedule = schedule
        self._run = run
        self._priced_problems = priced_problems
        self._graph = graph
        self._groups = _groups(priced_problems, schedule, run.device)
        self._unions: list[Messages | GpuMessages] = []

    def start(self) -> None:
        """Create all messages, to be iterated step by step."""
        self._unions = self._each(self._messages_of)

    def iterate(self, t: int) -> None:
        """Update every message for the t-th time, counted from 0."""
        self._each(lambda place: self._update(self._unions[place], t))

    def propagated(self) -> list[Beliefs]:
        """Iterate one union after the other to the end, which keeps each in cache."""

        def beliefs_of(place: int) -> list[Beliefs]:
            messages = self._messages_of(place)
            for t in range(self._schedule.max_iterations):
                self._update(messages, t)
            return messages.beliefs()

        return self._in_order(self._each(beliefs_of))

    def _messages_of(self, place: int) -> Messages | GpuMessages:
        representation, places = self._groups[place]
        priced_problems = [self._priced_problems[k] for k in places]
        if self._run.device is Device.GPU:
            from thatch.solvers.belief_propagation.gpu_messages import GpuMessages

            return GpuMessages(
                priced_problems, representation=representation, graph=self._graph
            )
        num_threads = self._run.num_threads if self._is_large(place) else 1
        return Messages(
            priced_problems, representation=representation, num_threads=num_threads
        )

    def _is_large(self, place: int) -> bool:
        """Whether a union uses all threads, rather than one thread."""
        _, places = self._groups[place]
        first = self._priced_problems[places[0]].problem
        is_above = first.num_edges > _EDGES_PER_UNION[self._run.device]
        return is_above or len(self._groups) == 1

    def _update(self, messages: Messages | GpuMessages, t: int) -> None:
        share = self._schedule.share_at(t)
        if t > 0:
            messages.adapt_prices(t)
        if share > 0:
            messages.reinforce(share)
        messages.iterate(self._schedule.damping)

    def _each(self, do: Callable[[int], _T]) -> list[_T]:
        """Call a function with the number of every union, on all threads."""
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
                # After an error or an interrupt, the others are not started.
                pool.shutdown(cancel_futures=True)
        return [done[place] for place in places]

    def _in_order(self, answers: list[list[Beliefs]]) -> list[Beliefs]:
        """Beliefs by union, in the order of the problems."""
        ordered: list[Any] = [None] * len(self._priced_problems)
        for (_, places), beliefs in zip(self._groups, answers, strict=True):
            for place, belief in zip(places, beliefs, strict=True):
                ordered[place] = belief
        return ordered

    @property
    def largest_change(self) -> float:
        """The largest change of a message in the last iteration."""
        changes = (m.largest_changes.max(initial=0.0) for m in self._unions)
        return float(max(changes, default=0.0))

    @property
    def status(self) -> Status:
        """The status of a run that no rule stopped: whether the messages converged."""
        changes = (m.largest_scaled_change for m in self._unions)
        has_converged = max(changes, default=inf) <= TOLERANCE
        return Status.CONVERGED if has_converged else Status.ITERATION_LIMIT

    @property
    def price(self) -> float:
        """The present price of a single problem; NaN if there are several."""
        if len(self._priced_problems) != 1:
            return nan
        return float(self._unions[0].prices[0])

    @property
    def item_fields(self) -> Floats:
        """Scaled fields of a single problem, at the start of the last iteration.

        They stay on the device.
        """
        (messages,) = self._unions
        fields: Floats = messages.item_fields()
        return fields

    @property
    def item_replies(self) -> Any:
        """Scaled sums of the messages to each item of a single problem, on a GPU."""
        (messages,) = self._unions
        return messages.item_replies()  # type: ignore[union-attr]

    def rounding(self) -> BestRounding | GpuRounding:
        """A rounding of a single problem, on the device of its messages."""
        (messages,) = self._unions
        if isinstance(messages, Messages):
            return BestRounding(self._priced_problems[0].problem)
        from thatch.solvers.belief_propagation.gpu_rounding import GpuRounding

        return GpuRounding(self._priced_problems[0].problem, messages.graph)

    def beliefs(self) -> list[Beliefs]:
        """Beliefs of the present messages, in the order of the problems."""
        return self._in_order([messages.beliefs() for messages in self._unions])


def _groups(
    priced_problems: Sequence[PricedProblem], schedule: Schedule, device: Device
) -> list[tuple[Any, list[int]]]:
    """Unions: their representation, and the numbers of the problems in each."""
    if device is Device.GPU:
        from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation

        representation_of: Callable[..., Any] = GpuRepresentation.suitable_for
    else:
        representation_of = Messages.suitable_representation
    precision = schedule.precision_on(device)
    most = _EDGES_PER_UNION[device]
    groups: list[tuple[Any, list[int]]] = []
    open_groups: dict[Any, tuple[list[int], int]] = {}
    for place, priced in enumerate(priced_problems):
        num_edges = priced.problem.num_edges
        representation = representation_of(priced, precision)
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
