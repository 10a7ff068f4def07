"""Belief propagation on shards: the driver of `thatch.sharding.passing`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import inf

import numpy as np

from thatch.arrays import Floats
from thatch.sharding.all_shards import AllShards, exact_total, item_blocks
from thatch.sharding.passing import PassingStep
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.schedule import (
    Precision,
    Schedule,
    price_step,
)

__all__ = ["MessagesState", "ShardedMessages"]

# The kernel clips the totals at 2^-1000 and 2^1000.
_LARGEST_LOG = 1000.0 * float(np.log(2.0))


@dataclass
class MessagesState:
    """What a driver must remember of messages, beside what is in files."""

    #: The price of the last iteration, or the first one.
    price: float
    num_iterations: int = 0
    #: What items cost at the marginals at the start of the last iteration.
    expected_cost: float = 0.0
    #: The largest scaled change of a message in the last iteration.
    largest_change: float = inf


class ShardedMessages:
    """All messages of a sharded problem, as in `Messages`, updated shard by shard."""

    def __init__(
        self,
        problem: ShardedProblem,
        shards: AllShards,
        schedule: Schedule,
        *,
        precision: Precision,
        inverse_temperature: float,
        is_price_free: bool,
        state: MessagesState,
    ) -> None:
        """Go on from a state; its messages and sums are beside the shards."""
        self._problem = problem
        self._shards = shards
        self._schedule = schedule
        self._precision = precision
        self._inverse_temperature = inverse_temperature
        self._is_price_free = is_price_free
        self._state = state
        #: float64, shape (num_items,): minus the scaled sum of the messages h_hat.
        self.log_sums: Floats = np.zeros(problem.num_items)
        if state.num_iterations > 0:
            shards.add_again("sums", state.num_iterations, out=self.log_sums)

    def iterate(self, selection: int | None = None) -> float:
        """Update every message once.

        Return the weight that a published selection covers, of that number.
        """
        state = self._state
        if state.num_iterations > 0 and self._is_price_free:
            state.price = self._adapted_price()
        number = state.num_iterations + 1
        self._publish_totals(number)
        step_of = partial(
            PassingStep,
            number=number,
            inverse_temperature=self._inverse_temperature,
            damping=self._schedule.damping,
            precision=self._precision,
            selection=selection,
        )
        replies = self._shards.sums(step_of, "sums", number, out=self.log_sums)
        undamped = max((change for change, _ in replies), default=0.0)
        state.largest_change = (1.0 - self._schedule.damping) * undamped
        state.num_iterations = number
        return exact_total(parts for _, parts in replies)

    def forget_before_last(self) -> None:
        """Remove published totals that no resumed run would need."""
        self._shards.withdraw("totals", self._state.num_iterations - 1)

    def item_fields(self) -> Floats:
        """Scaled fields of all items, at the start of the last iteration."""
        fields: Floats = np.array(
            self._shards.published("totals", self._state.num_iterations)
        )
        np.log(fields, out=fields)
        return np.negative(fields, out=fields)

    def item_marginals(self) -> Floats:
        """Marginals of the present messages: float64, shape (num_items,)."""
        scaled_price = self._inverse_temperature * self._state.price
        totals = scaled_price * self._problem.costs + self.log_sums
        return 1.0 / (1.0 + np.exp(np.clip(totals, -_LARGEST_LOG, _LARGEST_LOG)))

    def _publish_totals(self, number: int) -> None:
        self._state.expected_cost = 0.0
        self._shards.publish("totals", number, np.float64, self._totals(number))

    def _totals(self, number: int) -> Iterator[Floats]:
        """T_i of the items, block by block; their expected cost is added up."""
        share = self._schedule.share_at(number - 1)
        before = self._shards.published("totals", number - 1) if share > 0 else None
        scaled_price = self._inverse_temperature * self._state.price
        for block in item_blocks(self._problem.num_items):
            costs = self._problem.costs[block]
            logs = scaled_price * costs + self.log_sums[block]
            if before is not None:
                logs += share * np.log(before[block])
            totals = np.exp(np.clip(logs, -_LARGEST_LOG, _LARGEST_LOG, out=logs))
            self._state.expected_cost += float(costs @ (1.0 / (1.0 + totals)))
            yield totals

    def _adapted_price(self) -> float:
        budget = self._problem.budget
        excess = (self._state.expected_cost - budget) / max(budget, 1e-300)
        step = price_step(self._state.num_iterations)
        return self._state.price * float(np.exp(step * np.clip(excess, -1.0, 1.0)))
