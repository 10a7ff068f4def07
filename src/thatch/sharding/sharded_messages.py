"""Belief propagation on shards: the driver of `thatch.sharding.passing`."""

from __future__ import annotations

from functools import partial

import numpy as np

from thatch.arrays import Floats
from thatch.sharding.all_shards import AllShards
from thatch.sharding.passing import PassingStep
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.schedule import Schedule, price_step

__all__ = ["ShardedMessages"]

# The kernel clips the totals at 2^-1000 and 2^1000.
_LARGEST_LOG = 1000.0 * float(np.log(2.0))


class ShardedMessages:
    """All messages of a sharded problem, as in `Messages`, updated shard by shard."""

    def __init__(
        self,
        problem: ShardedProblem,
        shards: AllShards,
        schedule: Schedule,
        *,
        inverse_temperature: float,
        price: float,
        is_free: bool,
        real: type[np.floating] = np.float64,
    ) -> None:
        self._problem = problem
        self._shards = shards
        self._schedule = schedule
        self._inverse_temperature = inverse_temperature
        self._is_free = is_free
        self._real = real
        #: The price of the last iteration.
        self.price = price
        #: float64, shape (num_items,): minus the scaled sum of the messages h_hat.
        self.log_sums: Floats = np.zeros(problem.num_items)
        #: float64, shape (num_items,): minus the scaled field of the last iteration.
        self.totals: Floats = np.zeros(problem.num_items)
        #: The largest scaled change of a message in the last iteration.
        self.largest_change = np.inf

    def iterate(self, t: int) -> None:
        """Update every message for the t-th time, counted from 0."""
        if t > 0 and self._is_free:
            self._adapt_price(t)
        share = self._schedule.share_at(t)
        scaled_price = self._inverse_temperature * self.price
        totals = scaled_price * self._problem.costs + self.log_sums
        if share > 0:
            totals += share * self.totals
        self.totals = np.clip(totals, -_LARGEST_LOG, _LARGEST_LOG)
        self._shards.publish("totals", t + 1, np.exp(self.totals).astype(self._real))
        step_of = partial(
            PassingStep,
            number=t + 1,
            inverse_temperature=self._inverse_temperature,
            damping=self._schedule.damping,
        )
        changes, self.log_sums = self._shards.sums(step_of, "sums", t + 1)
        undamped = max(changes, default=0.0)
        self.largest_change = (1.0 - self._schedule.damping) * undamped

    def item_marginals(self) -> Floats:
        """Marginals of the present messages."""
        scaled_price = self._inverse_temperature * self.price
        totals = scaled_price * self._problem.costs + self.log_sums
        return 1.0 / (1.0 + np.exp(np.clip(totals, -_LARGEST_LOG, _LARGEST_LOG)))

    def _adapt_price(self, t: int) -> None:
        budget = self._problem.budget
        marginals = 1.0 / (1.0 + np.exp(self.totals))
        excess = (float(self._problem.costs @ marginals) - budget) / max(budget, 1e-300)
        self.price *= float(np.exp(price_step(t) * np.clip(excess, -1.0, 1.0)))
