"""Solving a problem in shards on one GPU, through which they pass if they must."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

import cupy
import numpy as np

from thatch._kernels.gpu import uploaded
from thatch.arrays import exact_sum
from thatch.machine.devices import Device
from thatch.run.run import Run
from thatch.scale.running.checkpoints import Checkpoints
from thatch.scale.running.gpu_sharded_descent import GpuShardedDescent
from thatch.scale.running.gpu_sharded_messages import GpuShardedMessages
from thatch.scale.running.gpu_shards import GpuShards
from thatch.scale.running.resumable_solver import ResumableSolver
from thatch.scale.running.run_journal import Journal
from thatch.scale.running.shard_steps import RunFiles, exact_total
from thatch.scale.running.sharded_messages import inverse_temperature_of
from thatch.scale.running.sharded_rounding import ShardedRounding
from thatch.scale.running.sharded_stages import ShardedStages
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.algorithm import BeliefPropagation
from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation
from thatch.solvers.belief_propagation.gpu_rounding import chosen_by_rank
from thatch.solvers.belief_propagation.loop import DescentState, RoundingState
from thatch.solvers.belief_propagation.priced_problem import MAX_DEGREE_IN_SINGLES
from thatch.solvers.belief_propagation.schedule import Precision


@dataclass(frozen=True)
class GpuShardedSolver(ResumableSolver):
    """What `ShardedSolver` does on engines, on one GPU."""

    #: Bytes of shards that stay on the device; default: what is free there.
    max_bytes: int | None = None

    device: ClassVar[Device] = Device.GPU

    def _require_solvable(self, problem: ShardedProblem) -> None:
        inverse_temperature_of(problem, self.messages.inverse_temperature)

    def _session(self, problem: ShardedProblem) -> AbstractContextManager[None]:
        # There are no workers.
        return nullcontext()

    def _stages(
        self, problem: ShardedProblem, session: None, journal: Journal, run: Run
    ) -> GpuShardedStages:
        state = journal.state
        shards = GpuShards(
            problem,
            max_bytes=self.max_bytes,
            num_reordered=None if state is None else state.num_reordered,
        )
        checkpoints = Checkpoints(journal, RunFiles(problem, journal.published))
        return GpuShardedStages(problem, shards, self.messages, checkpoints)


class GpuShardedStages(ShardedStages):
    """Stages on one GPU, whose state is in its memory, and in a file now and then."""

    _messages: GpuShardedMessages
    _rounding: GpuShardedRounding
    _descent: GpuShardedDescent | None

    def __init__(
        self,
        problem: ShardedProblem,
        shards: GpuShards,
        settings: BeliefPropagation,
        checkpoints: Checkpoints,
    ) -> None:
        """Start, or go on from the last checkpoint."""
        inverse_temperature = inverse_temperature_of(
            problem, settings.inverse_temperature
        )
        super().__init__(
            problem,
            settings,
            state=checkpoints.state,
            inverse_temperature=inverse_temperature,
        )
        self._shards = shards
        self._checkpoints = checkpoints
        self._rounding = GpuShardedRounding(problem, shards, self.state.rounding)
        if checkpoints.state is None:
            self._start()
        else:
            self._restore_selections()
        # Checkpoints have this one: that at the end depends on when the run is stopped.
        self._first_bound = self.state.upper_bound
        self._representation = self._suitable_representation()
        if self.state.descent is not None:
            shards.restore("multipliers", checkpoints.of_shards())
            return
        self._messages = GpuShardedMessages(
            problem,
            shards,
            self._rules,
            self.state.messages,
            representation=self._representation,
        )
        if checkpoints.state is not None:
            shards.restore("messages", checkpoints.of_shards())
            self._messages.log_sums = uploaded(checkpoints.of_items("log_sums"))
            self._messages.totals = uploaded(checkpoints.of_items("totals"))

    def _start(self) -> None:
        """Take the first price, bound and selection from what items cover alone."""
        merits = _item_weights(self.problem, self._shards)
        self._start_from(merits.get())
        self._rounding.round(merits)
        self.state.num_reordered = self._shards.num_reordered

    def _restore_selections(self) -> None:
        rounding, descent = self.state.rounding, self.state.descent
        if rounding.best is not None:
            rounding.best = uploaded(self._checkpoints.of_items("best"))
        if rounding.pending is not None:
            rounding.pending = uploaded(self._checkpoints.of_items("pending"))
        if descent is not None:
            descent.selection = rounding.best

    def _suitable_representation(self) -> GpuRepresentation:
        is_enough = self.problem.largest_item_degree <= MAX_DEGREE_IN_SINGLES
        precision = self._rules.schedule.precision_on(Device.GPU)
        return GpuRepresentation.up_to(
            self._rules.inverse_temperature * self.problem.largest_weight,
            may_be_single=is_enough and precision is Precision.SINGLE,
        )

    def is_proved(self) -> bool:
        if super().is_proved():
            # The device may have added up a little too much.
            self._rounding.add_up()
        return super().is_proved()

    def finish_messages(self, run: Run) -> None:
        if not self._has_all_messages:
            # A resumed run goes on from here.
            self._write_checkpoint()
        super().finish_messages(run)
        self._rounding.add_up()

    def _descent_from(self, state: DescentState, *, is_new: bool) -> GpuShardedDescent:
        if is_new:
            # Their memory is used again.
            del self._messages
            self._shards.forget("messages")
        return GpuShardedDescent(
            self.problem, self._shards, state=state, real=self._representation.real
        )

    def save(self) -> None:
        # A descent after messages that were ended early starts again in a resumed run.
        is_kept = self._descent is None or self._has_all_messages
        if is_kept and self._checkpoints.is_due:
            self._write_checkpoint()

    def save_at_end(self) -> None:
        if self._has_all_messages:
            if self._descent is None:
                self.new_descent()
            self._write_checkpoint()

    def _write_checkpoint(self) -> None:
        rounding = self.state.rounding
        of_items = {"best": rounding.best, "pending": rounding.pending}
        if self._descent is None:
            of_shards = self._shards.states("messages")
            of_items["log_sums"] = self._messages.log_sums
            of_items["totals"] = self._messages.totals
        else:
            of_shards = self._shards.states("multipliers")
            self._descent.update_state()
        self._checkpoints.write(
            replace(self.state, upper_bound=self._first_bound),
            {name: each.get() for name, each in of_items.items() if each is not None},
            of_shards,
        )


class GpuShardedRounding(ShardedRounding):
    """Selections as flags on the device: int8, shape (num_items,)."""

    def __init__(
        self, problem: ShardedProblem, shards: GpuShards, state: RoundingState
    ) -> None:
        super().__init__(problem, state)
        self._costs = uploaded(problem.costs)
        self._shards = shards
        self._added_up: Any = None

    def round(self, merits: Any) -> None:
        """Round the merits to a selection whose cost the processor has checked."""
        budget = room = self._problem.budget
        while True:
            chosen = chosen_by_rank(merits, self._costs, room)
            cost = exact_sum(self._costs[cupy.flatnonzero(chosen)].get())
            if cost <= budget:
                break
            # A sum of the device was rounded down to the budget: leave some room.
            room = min(float(np.nextafter(room, -inf)), room - (cost - budget))
        self._state.pending = chosen

    def add_up(self) -> None:
        """Let the processor add up what the best selection covers, rounded once."""
        best = self._state.best
        if best is self._added_up:
            return
        parts = [shard.covered_parts(best) for shard in self._shards]
        self._state.value = exact_total(parts)
        self._added_up = best

    def _covered(self, selection: Any) -> float:
        return sum(shard.covered_weight(selection) for shard in self._shards)

    def _items_of(self, selection: Any) -> Any:
        return cupy.flatnonzero(selection).get()


def _item_weights(problem: ShardedProblem, shards: GpuShards) -> Any:
    """The weight that each item covers by itself, on the device."""
    sums = cupy.zeros(problem.num_items)
    for shard in shards:
        sums[shard.items] += shard.graph.sums_of_elements(shard.weights)
    return sums
