"""Dual descent on shards: the driver of `thatch.sharding.descending`."""

from __future__ import annotations

from functools import partial
from math import fsum

import numpy as np

from thatch._kernels.dual import Choice, momentum_at, next_pace
from thatch.arrays import Flags
from thatch.bounds.dual_bounds import critical_price
from thatch.bounds.dual_descent import COOLINGS, least_curvature_of
from thatch.sharding.all_shards import AllShards
from thatch.sharding.descending import (
    DescendingStep,
    DualSumsStep,
    FirstMultipliersStep,
)
from thatch.sharding.sharded_problem import ShardedProblem

__all__ = ["ShardedDescent"]


class ShardedDescent:
    """Multipliers of a sharded problem whose dual bound falls, as in `DualDescent`."""

    def __init__(
        self,
        problem: ShardedProblem,
        shards: AllShards,
        *,
        chosen: Flags,
        value: float,
        num_threads: int,
    ) -> None:
        """Start from a selection and the weight that it covers."""
        self._problem = problem
        self._shards = shards
        self._unit = problem.largest_weight or 1.0
        budget = problem.budget or 1.0
        relative_costs = np.minimum(problem.costs, 2.0 * budget) / budget
        price = (value or problem.total_weight) / self._unit
        fair = relative_costs[np.asarray(problem.costs) <= problem.budget]
        temperature_unit = price * float(fair.mean()) if fair.size else 0.0
        self._temperature = COOLINGS[0][0] * temperature_unit
        self._last_temperature = COOLINGS[0][2] * temperature_unit
        self._least_curvature = least_curvature_of(problem.budget / budget, fair)
        self._pace = 1.0
        #: How many steps there have been.
        self.num_steps = 0
        shards.publish("degrees", 0, problem.item_degrees)
        shards.publish("start", 0, chosen.astype(np.int8))
        first = partial(FirstMultipliersStep, unit=self._unit)
        _, self._sums = shards.sums(first, "sums", 0)
        self._choice = np.zeros(problem.num_items)
        nothing = np.zeros(0, dtype=np.int64)
        self._chooser = Choice(
            relative_costs,
            problem.budget / budget,
            price,
            self._sums,
            self._choice,
            num_threads,
            np.zeros(1, dtype=np.int64),
            nothing,
            np.zeros(0),
        )

    def step(self) -> None:
        """Move all multipliers once."""
        self.num_steps += 1
        self._chooser.choose(self._temperature)
        self._shards.publish("choice", self.num_steps, self._choice)
        step_of = partial(
            DescendingStep,
            number=self.num_steps,
            unit=self._unit,
            temperature=self._temperature,
            momentum=momentum_at(self._pace),
            least_curvature=self._least_curvature,
        )
        uphill, sums = self._shards.sums(step_of, "sums", self.num_steps)
        # In place: the chooser reads them.
        self._sums[:] = sums
        self._pace = 1.0 if sum(uphill) > 0.0 else next_pace(self._pace)
        cooled = COOLINGS[0][1] * self._temperature
        self._temperature = max(self._last_temperature, cooled)

    def bound(self) -> float:
        """No selection within the budget is worth more than this."""
        step_of = partial(DualSumsStep, number=self.num_steps, unit=self._unit)
        parts, sums = self._shards.sums(step_of, "bound", self.num_steps)
        problem = self._problem
        costs, budget = problem.costs, problem.budget
        free = fsum(part for each in parts for part in each)
        affordable = np.asarray(costs) <= budget
        merits, costs = sums[affordable], costs[affordable]
        price = critical_price(merits, costs, budget=budget)
        gains = np.maximum(0.0, merits - price * costs)
        touched = float(merits[gains > 0].sum())
        bound = free + price * budget + float(gains.sum())
        errors = int(np.max(problem.item_degrees, initial=0)) + 100
        return bound + errors * float(np.finfo(float).eps) * (touched + bound)
