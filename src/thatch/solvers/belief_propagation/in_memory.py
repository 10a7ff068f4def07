"""The loop's backend for a problem in memory, on the processor or on a GPU."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING

from thatch.machine.devices import Device
from thatch.problem.selection import Selection
from thatch.run.beliefs import Beliefs
from thatch.run.certificates import Certificate
from thatch.run.result import Status
from thatch.run.run import Run
from thatch.solvers.belief_propagation.batch import Batch
from thatch.solvers.belief_propagation.loop import (
    Backend,
    MessagesState,
    RoundingState,
    RunState,
)
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.belief_propagation.schedule import Schedule
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.certifying import certificate_of

if TYPE_CHECKING:
    from thatch._kernels.gpu import Graph


class InMemory(Backend):
    """Messages, roundings and multipliers of one problem in memory."""

    def __init__(
        self,
        priced: PricedProblem,
        schedule: Schedule,
        run: Run,
        *,
        has_greedy_completion: bool,
        graph: Graph | None = None,
    ) -> None:
        """Start from neutral messages, with the threads and the device of a run.

        If the graph is on the GPU already, there are no beliefs: reading those of large
        problems takes longer than passing the messages.
        """
        self.problem = priced.problem
        self.state = RunState(MessagesState(nan), inf, RoundingState(value=nan))
        # For beliefs and rounding.
        self.seconds_after_messages = 5e-7 * self.problem.num_edges
        #: Those of the last messages, after `finish_messages`.
        self.beliefs: Beliefs | None = None
        self._run = run
        self._has_greedy_completion = has_greedy_completion
        self._graph = graph
        self._batch = Batch([priced], schedule, run, graph=graph)
        self._batch.start()
        self._rounding = self._batch.rounding()
        self._best: Selection | None = None
        self._descent: DualDescent | None = None

    @property
    def status(self) -> Status:
        """Whether the messages converged, for a run that no rule stopped."""
        return self._batch.status

    def iterate(self) -> None:
        messages = self.state.messages
        self._batch.iterate(messages.num_iterations)
        messages.num_iterations += 1
        messages.price = self._batch.price
        messages.largest_change = self._batch.largest_change

    def round(self) -> None:
        self._rounding.round(self._batch.item_fields)
        if self._rounding.best is not None:
            self.state.rounding.value = self._rounding.best.value

    def finish_messages(self, run: Run) -> None:
        batch, rounding = self._batch, self._rounding
        if self._graph is None:
            (self.beliefs,) = batch.beliefs()
        if self.beliefs is None or self._run.device is Device.GPU:
            rounding.round(batch.item_replies)
        else:
            rounding.round(self.beliefs.item_replies)
        best = rounding.selection()
        # Above that many edges, it takes longer than passing the messages.
        if self._has_greedy_completion and self.problem.num_edges <= 2_000_000:
            best = rounding.on_processor().complete_greedily(run)
        self._best = best
        self.state.rounding.value = best.value

    def new_descent(self) -> DualDescent:
        # Their memory on the GPU is used again.
        del self._batch, self._rounding
        self._descent = DualDescent(
            self.problem,
            self.selection(),
            num_threads=self._run.num_threads,
            device=self._run.device,
            graph=self._graph,
        )
        return self._descent

    def certificate(self) -> Certificate | None:
        point = None if self._descent is None else self._descent.last_point
        return None if point is None else certificate_of(point)

    def selection(self) -> Selection:
        assert self._best is not None
        return self._best
