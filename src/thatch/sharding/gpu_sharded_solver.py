"""Solving a problem in shards on one GPU, through which they pass if they must."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum, inf
from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import uploaded
from thatch.arrays import Ints, exact_sum
from thatch.bounds.dual_bounds import critical_price
from thatch.sharding.gpu_sharded_descent import GpuShardedDescent
from thatch.sharding.gpu_sharded_messages import GpuShardedMessages
from thatch.sharding.gpu_shards import GpuShards
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.gpu_messages import GpuRepresentation
from thatch.solvers.belief_propagation.gpu_rounding import chosen_by_rank
from thatch.solvers.belief_propagation.schedule import Schedule

__all__ = ["GpuShardedSolver", "GpuSolution"]


@dataclass(frozen=True, eq=False)
class GpuSolution:
    """A selection of a sharded problem, what it covers, and a bound."""

    #: int64, ascending: the chosen items.
    items: Ints
    #: Total weight covered.
    value: float
    #: No selection within the budget is worth more than this.
    upper_bound: float


@dataclass(frozen=True)
class GpuShardedSolver:
    """Belief propagation and a dual bound on the shards of a problem, on one GPU."""

    schedule: Schedule
    representation: GpuRepresentation
    inverse_temperature: float
    #: Weight that one unit of cost must earn; default: adapted to the budget.
    price: float | None = None
    iterations_per_rounding: int = 5
    #: Steps of the descent after the messages.
    descent_steps: int = 200
    #: Bytes of shards that stay on the device; default: what is free there.
    max_bytes: int | None = None

    def solve(
        self, problem: ShardedProblem, report: Callable[..., object | None]
    ) -> GpuSolution:
        """Pass messages, round and bound.

        After every step, `report` is called with ``value``, ``upper_bound``,
        ``largest_change``, ``price`` and ``step``; anything but None ends these steps.
        """
        shards = GpuShards(problem, max_bytes=self.max_bytes)
        best = self._best_rounding(problem, shards, report)
        shards.forget("messages")
        descent = GpuShardedDescent(
            problem,
            shards,
            chosen=best.chosen,
            value=best.value,
            real=self.representation.real,
        )
        for _ in range(self.descent_steps if descent.can_descend else 0):
            descent.step()
            # They are only queued; a report should be on time.
            cupy.cuda.get_current_stream().synchronize()
            if report(value=best.value, step="dual descent") is not None:
                break
        parts = [each.covered_parts(best.chosen) for each in shards]
        value = fsum(part for each in parts for part in each)
        upper_bound = descent.bound()
        report(value=value, upper_bound=upper_bound, step="dual descent")
        return GpuSolution(cupy.flatnonzero(best.chosen).get(), value, upper_bound)

    def _best_rounding(
        self, problem: ShardedProblem, shards: GpuShards, report: Callable[..., Any]
    ) -> _BestRounding:
        """Iterate and round."""
        merits = _item_weights(problem, shards)
        best = _BestRounding(problem, shards)
        best.round(merits)
        messages = GpuShardedMessages(
            problem,
            shards,
            self.schedule,
            representation=self.representation,
            inverse_temperature=self.inverse_temperature,
            price=self._first_price(problem, merits),
            is_price_free=self.price is None,
        )
        every = self.iterations_per_rounding
        while messages.num_iterations < self.schedule.max_iterations:
            best.learn(messages.iterate(best.pending))
            if every > 0 and messages.num_iterations % every == 0:
                best.round(-messages.totals)
            stopped = report(
                value=best.value,
                largest_change=messages.largest_change / self.inverse_temperature,
                price=messages.price,
                step="bp",
            )
            if stopped is not None:
                break
        best.evaluate()
        best.round(-messages.log_sums)
        best.evaluate()
        return best

    def _first_price(self, problem: ShardedProblem, merits: Any) -> float:
        if self.price is not None:
            return self.price
        return critical_price(merits.get(), problem.costs, budget=problem.budget)


class _BestRounding:
    """The best selection so far; what the last one covers is learned later."""

    def __init__(self, problem: ShardedProblem, shards: GpuShards) -> None:
        self._costs = uploaded(problem.costs)
        self._budget = problem.budget
        self._shards = shards
        self.chosen: Any = cupy.zeros(problem.num_items, dtype=np.int8)
        self.value = 0.0
        self.pending: Any = None

    def round(self, fields: Any) -> None:
        """Round the fields to a selection whose cost the processor has checked."""
        room = self._budget
        while True:
            chosen = chosen_by_rank(fields, self._costs, room)
            cost = exact_sum(self._costs[cupy.flatnonzero(chosen)].get())
            if cost <= self._budget:
                break
            # Sums of the device were rounded down: leave a little room.
            room = min(np.nextafter(room, -inf), room - (cost - self._budget))
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


def _item_weights(problem: ShardedProblem, shards: GpuShards) -> Any:
    """The weight that each item covers by itself."""
    sums = cupy.zeros(problem.num_items)
    for shard in shards:
        sums[shard.items] += shard.graph.sums_of_elements(shard.weights)
    return sums
