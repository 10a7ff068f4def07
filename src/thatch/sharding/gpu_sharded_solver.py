"""Solving a problem in shards on one GPU, through which they pass if they must."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import uploaded
from thatch.arrays import exact_sum
from thatch.bounds.dual_bounds import critical_price
from thatch.devices import Device
from thatch.run.result import Result, Status
from thatch.run.run import Run
from thatch.sharding.all_shards import exact_total
from thatch.sharding.gpu_sharded_descent import GpuShardedDescent
from thatch.sharding.gpu_sharded_messages import GpuShardedMessages
from thatch.sharding.gpu_shards import GpuShards
from thatch.sharding.message_settings import (
    MESSAGES_TIME_SHARE,
    STEPS_PER_BOUND,
    inverse_temperature_of,
)
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.sharding.sharded_selection import ShardedSelection
from thatch.solvers.belief_propagation import BeliefPropagation
from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation
from thatch.solvers.belief_propagation.gpu_rounding import chosen_by_rank
from thatch.solvers.belief_propagation.priced_problem import MAX_DEGREE_IN_SINGLES
from thatch.solvers.belief_propagation.schedule import Precision

__all__ = ["GpuShardedSolver"]


@dataclass(frozen=True)
class GpuShardedSolver:
    """What `ShardedSolver` does on engines, on one GPU; a run cannot be resumed."""

    #: Settings of the messages; the last items are not replaced greedily.
    messages: BeliefPropagation
    #: Steps of the descent after the messages.
    descent_steps: int
    #: Bytes of shards that stay on the device; default: what is free there.
    max_bytes: int | None = None

    def solve(self, problem: ShardedProblem, run: Run) -> Result:
        """Pass messages, round and bound."""
        shards = GpuShards(problem, max_bytes=self.max_bytes)
        rounding = _Rounding(problem, shards)
        inverse_temperature = inverse_temperature_of(
            problem, self.messages.inverse_temperature
        )
        representation = self._representation(problem, inverse_temperature)
        has_all_messages = self._pass_messages(
            problem, shards, rounding, inverse_temperature, representation, run
        )
        shards.forget("messages")
        descent = GpuShardedDescent(
            problem,
            shards,
            chosen=rounding.chosen,
            value=rounding.value,
            real=representation.real,
        )
        status = run.check_stop() or self._descend(descent, rounding, run)
        selection = rounding.selection()
        bound = descent.bound()
        run.report(value=selection.value, upper_bound=bound, step="dual descent")
        status = status or (Status.FINISHED if has_all_messages else Status.TIME_LIMIT)
        return run.result(selection, status, upper_bound=bound).with_bound(bound)

    def _representation(
        self, problem: ShardedProblem, inverse_temperature: float
    ) -> GpuRepresentation:
        is_enough = problem.largest_item_degree <= MAX_DEGREE_IN_SINGLES
        precision = self.messages.schedule.precision_on(Device.GPU)
        is_single = precision is Precision.SINGLE
        return GpuRepresentation.up_to(
            inverse_temperature * problem.largest_weight,
            may_be_single=is_single and is_enough,
        )

    def _pass_messages(
        self,
        problem: ShardedProblem,
        shards: GpuShards,
        rounding: _Rounding,
        inverse_temperature: float,
        representation: GpuRepresentation,
        run: Run,
    ) -> bool:
        """Iterate and round; return whether no time limit has ended it early."""
        merits = _item_weights(problem, shards)
        rounding.round(merits)
        messages = GpuShardedMessages(
            problem,
            shards,
            self.messages.schedule,
            representation=representation,
            inverse_temperature=inverse_temperature,
            price=self._first_price(problem, merits),
            is_price_free=self.messages.price is None,
        )
        run = run.with_time_share(MESSAGES_TIME_SHARE)
        every = self.messages.iterations_per_rounding
        while messages.num_iterations < self.messages.max_iterations:
            rounding.learn(messages.iterate(rounding.pending))
            if every > 0 and messages.num_iterations % every == 0:
                rounding.round(-messages.totals)
            status = run.report(
                value=rounding.value,
                largest_change=messages.largest_change / inverse_temperature,
                price=messages.price,
                step="bp",
            )
            if status is not None:
                break
        rounding.evaluate()
        if messages.num_iterations > 0:
            rounding.round(-messages.log_sums)
            rounding.evaluate()
        return messages.num_iterations >= self.messages.max_iterations

    def _first_price(self, problem: ShardedProblem, merits: Any) -> float:
        if self.messages.price is not None:
            return self.messages.price
        return critical_price(merits.get(), problem.costs, budget=problem.budget)

    def _descend(
        self, descent: GpuShardedDescent, rounding: _Rounding, run: Run
    ) -> Status | None:
        """Lower the bound; return a status if the run was stopped."""
        status = None
        while descent.num_steps < self.descent_steps and descent.can_descend:
            began = run.seconds
            descent.step()
            status = run.report(value=rounding.value, step="dual descent")
            if run.seconds_left < STEPS_PER_BOUND * (run.seconds - began):
                status = status or Status.TIME_LIMIT
            if status is not None:
                break
        return status


class _Rounding:
    """The best selection so far; what the last one covers is learned later."""

    def __init__(self, problem: ShardedProblem, shards: GpuShards) -> None:
        self._problem = problem
        self._costs = uploaded(problem.costs)
        self._shards = shards
        #: The best one, on the device: int8, shape (num_items,).
        self.chosen: Any = cupy.zeros(problem.num_items, dtype=np.int8)
        #: What it covers, with the rounding errors of the device.
        self.value = 0.0
        #: The last one, until it is known what it covers.
        self.pending: Any = None

    def round(self, fields: Any) -> None:
        """Round the fields to a selection whose cost the processor has checked."""
        budget = room = self._problem.budget
        while True:
            chosen = chosen_by_rank(fields, self._costs, room)
            cost = exact_sum(self._costs[cupy.flatnonzero(chosen)].get())
            if cost <= budget:
                break
            # A sum of the device was rounded down to the budget: leave some room.
            room = min(float(np.nextafter(room, -inf)), room - (cost - budget))
        self.pending = chosen

    def learn(self, value: float) -> None:
        """Note what the last selection covers; keep it unless another covers more."""
        if self.pending is not None and value >= self.value:
            self.chosen, self.value = self.pending, value
        self.pending = None

    def evaluate(self) -> None:
        """Learn what the last selection covers, if that is not known."""
        if self.pending is not None:
            self.learn(sum(each.covered_weight(self.pending) for each in self._shards))

    def selection(self) -> ShardedSelection:
        """The best selection; the processor adds up what it covers."""
        parts = [shard.covered_parts(self.chosen) for shard in self._shards]
        items = cupy.flatnonzero(self.chosen).get()
        return ShardedSelection(self._problem, items, exact_total(parts))


def _item_weights(problem: ShardedProblem, shards: GpuShards) -> Any:
    """The weight that each item covers by itself, on the device."""
    sums = cupy.zeros(problem.num_items)
    for shard in shards:
        sums[shard.items] += shard.graph.sums_of_elements(shard.weights)
    return sums
