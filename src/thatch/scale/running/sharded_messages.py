"""Belief propagation on shards: messages in files, and the prices that they need.

The driver publishes the totals T_i of `thatch._kernels.messages`. A shard replies, and
leaves the logarithm of the product of the messages to each of its items.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import inf, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch._kernels import messages as kernel
from thatch.arrays import Floats
from thatch.errors import InputError
from thatch.scale.running.shard_steps import (
    TYPES,
    AllShards,
    ShardFiles,
    exact_total,
    item_blocks,
)
from thatch.scale.running.sharded_rounding import covered_parts
from thatch.scale.shards.shard import Shard
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.loop import MessagesState
from thatch.solvers.belief_propagation.priced_problem import default_inverse_temperature
from thatch.solvers.belief_propagation.schedule import Precision, Schedule, price_factor

#: Totals are clipped at 2^-1000 and 2^1000, as in the kernel.
LARGEST_LOG = 1000.0 * float(np.log(2.0))


def inverse_temperature_of(
    problem: ShardedProblem, given: float | None, *, largest_scaled: float = inf
) -> float:
    """The given inverse temperature, or the default for the weights.

    Times the largest weight, it is at most `largest_scaled`.
    """
    largest = problem.largest_weight
    if given is None:
        return default_inverse_temperature(problem.mean_weight, largest)
    if isinf(given):
        raise InputError(
            f"inverse_temperature is {given:g}; on shards it must be finite.",
            hint="Leave it out for the default.",
        )
    if given * largest > largest_scaled:
        raise InputError(
            f"inverse_temperature is {given:g}; on shards with a largest weight of "
            f"{largest:g}, it must be at most {largest_scaled / largest:g}.",
            hint="Leave it out for the default.",
        )
    return given


@dataclass(frozen=True)
class MessageRules:
    """How messages of shards are updated."""

    schedule: Schedule
    inverse_temperature: float
    #: Whether the price is adapted.
    is_price_free: bool


class ShardedMessages(ABC):
    """All messages of a sharded problem, as in `Messages`, updated shard by shard."""

    #: float64, shape (num_items,): minus the scaled sum of the messages h_hat.
    log_sums: Any

    def __init__(
        self, problem: ShardedProblem, rules: MessageRules, state: MessagesState
    ) -> None:
        """Go on from a state, which is kept up to date."""
        self._problem = problem
        self._rules = rules
        self._schedule = rules.schedule
        self._inverse_temperature = rules.inverse_temperature
        self._state = state

    def iterate(self, selection: Any = None) -> float:
        """Update every message once; return the weight that a selection covers.

        The selection is as in `RoundingState`; without one, the weight means nothing.
        """
        state = self._state
        t = state.num_iterations
        if t > 0 and self._rules.is_price_free:
            factor = price_factor(self._expected_cost(), self._problem.budget, t)
            state.price *= float(factor)
        undamped, covered = self._update(t + 1, selection)
        scaled_change = (1.0 - self._schedule.damping) * undamped
        state.largest_change = scaled_change / self._inverse_temperature
        state.num_iterations = t + 1
        return covered

    @abstractmethod
    def item_fields(self) -> Any:
        """Scaled fields of all items, at the start of the last iteration."""

    @abstractmethod
    def _expected_cost(self) -> float:
        """What items cost at the marginals at the start of the last iteration."""

    @abstractmethod
    def _update(self, number: int, selection: Any) -> tuple[float, float]:
        """Update all shards, for the time of that number.

        Return the largest scaled change, before damping, and the covered weight.
        """

    @property
    def _scaled_price(self) -> float:
        return self._inverse_temperature * self._state.price


class EngineMessages(ShardedMessages):
    """Messages beside the shards, which the workers of an engine update."""

    def __init__(
        self,
        problem: ShardedProblem,
        shards: AllShards,
        rules: MessageRules,
        state: MessagesState,
        *,
        precision: Precision,
    ) -> None:
        super().__init__(problem, rules, state)
        self._shards = shards
        self._precision = precision
        self.log_sums: Floats = np.zeros(problem.num_items)
        if state.num_iterations > 0:
            shards.add_again("sums", state.num_iterations, out=self.log_sums)

    def forget_outdated(self) -> None:
        """Remove published totals that no resumed run would need."""
        self._shards.withdraw("totals", self._state.num_iterations - 1)

    def item_fields(self) -> Floats:
        fields: Floats = np.array(
            self._shards.published("totals", self._state.num_iterations)
        )
        np.log(fields, out=fields)
        return np.negative(fields, out=fields)

    def _expected_cost(self) -> float:
        return self._state.expected_cost

    def _update(self, number: int, selection: int | None) -> tuple[float, float]:
        self._state.expected_cost = 0.0
        self._shards.publish("totals", number, np.float64, self._totals(number))
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
        return undamped, exact_total(parts for _, parts in replies)

    def _totals(self, number: int) -> Iterator[Floats]:
        """T_i of the items, block by block; their expected cost is added up."""
        share = self._schedule.share_at(number - 1)
        before = self._shards.published("totals", number - 1) if share > 0 else None
        scaled_price = self._scaled_price
        for block in item_blocks(self._problem.num_items):
            costs = self._problem.costs[block]
            logs = scaled_price * costs + self.log_sums[block]
            if before is not None:
                logs += share * np.log(before[block])
            totals = np.exp(np.clip(logs, -LARGEST_LOG, LARGEST_LOG, out=logs))
            self._state.expected_cost += float(costs @ (1.0 / (1.0 + totals)))
            yield totals


@dataclass(frozen=True)
class PassingStep:
    """An update of all messages of a shard, by eqs. (BP1) and (BP2)."""

    files: ShardFiles
    #: Counted from 1.
    number: int
    inverse_temperature: float
    damping: float
    precision: Precision
    #: The number of the published selection whose covered weight is asked for, if any.
    selection: int | None = None

    def run(self) -> tuple[float, list[float]]:
        """Update the messages.

        Return the largest scaled change, before damping, and numbers whose sum is the
        weight that the selection covers.
        """
        shard = self.files.shard
        replies = self._replies(shard)
        largest_change = self._update(shard, replies)
        self.files.keep("messages", self.number, replies)
        sums = np.empty(shard.num_items)
        exponents = np.empty(shard.num_items, dtype=np.int32)
        kernel.log_products(replies, shard.element_items, sums, exponents)
        self.files.keep("sums", self.number, sums.astype(replies.dtype))
        if self.selection is None:
            return largest_change, []
        return largest_change, covered_parts(self.files, self.selection)

    def _replies(self, shard: Shard) -> NDArray[Any]:
        if self.number == 1:
            return np.ones(shard.num_edges, dtype=TYPES[self.precision])
        return np.array(self.files.state("messages", self.number - 1))

    def _totals(self) -> NDArray[Any]:
        totals: Floats = self.files.of_items("totals", self.number)
        if self.precision is Precision.DOUBLE:
            return totals
        # As the kernel clips them.
        most = 2.0**125
        return totals.clip(1.0 / most, most).astype(np.float32)

    def _update(self, shard: Shard, replies: NDArray[Any]) -> float:
        # It does not overflow: products have no larger exponents.
        unclaimed = 1.0 / (1.0 + np.exp(self.inverse_temperature * shard.weights))
        # Elements per value of the largest change.
        blocks = np.arange(0, shard.num_elements, 4096)
        blocks = np.append(blocks, shard.num_elements).astype(np.int64)
        changes = np.zeros(blocks.size - 1)
        longest = max(shard.largest_element_degree, kernel.STRETCH)
        kernel.reply(
            replies,
            self._totals(),
            unclaimed.astype(replies.dtype),
            shard.element_start,
            shard.element_items,
            blocks,
            self.damping,
            changes,
            np.empty((1, 3, longest), dtype=replies.dtype),
            1,
        )
        return float(changes.max(initial=0.0))
