"""Dual descent on shards: the driver of `thatch.sharding.descending`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import fsum, inf

import numpy as np

from thatch._kernels.dual import momentum_at, next_pace
from thatch._kernels.dual_choice import Choice
from thatch.arrays import Floats
from thatch.bounds.dual_bounds import critical_price
from thatch.bounds.dual_descent import COOLINGS, least_curvature_of
from thatch.sharding.all_shards import AllShards, exact_total, item_blocks
from thatch.sharding.descending import (
    DescendingStep,
    DualSumsStep,
    FirstMultipliersStep,
)
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.schedule import Precision

__all__ = ["DescentState", "ShardedDescent", "bound_from_sums"]


@dataclass
class DescentState:
    """What a driver must remember of a descent, beside what is in files."""

    #: The number of the published selection from which it starts.
    selection: int
    #: What that selection covers.
    value: float
    num_steps: int = 0
    #: The price of the last step, relative to the budget and the largest weight.
    price: float = 0.0
    temperature: float = 0.0
    pace: float = 1.0


class ShardedDescent:
    """Multipliers of a sharded problem whose dual bound falls, as in `DualDescent`."""

    def __init__(
        self,
        problem: ShardedProblem,
        shards: AllShards,
        *,
        precision: Precision,
        state: DescentState,
        is_new: bool,
        num_threads: int,
    ) -> None:
        """Start from the selection, or go on from a state beside the shards."""
        self._problem = problem
        self._shards = shards
        self._precision = precision
        self._state = state
        self._unit = problem.largest_weight or 1.0
        budget = problem.budget or 1.0
        with np.errstate(over="ignore"):
            relative_costs = np.minimum(problem.costs, 2.0 * budget)
            relative_costs /= budget
        first_price = (state.value or problem.total_weight) / self._unit
        # Costs above the budget were cut at twice the budget.
        fair = relative_costs[problem.costs <= problem.budget]
        unit = first_price * float(fair.mean()) if fair.size else 0.0
        self._last_temperature = COOLINGS[0][2] * unit
        self._least_curvature = least_curvature_of(problem.budget / budget, fair)
        del fair
        if is_new:
            state.price, state.temperature = first_price, COOLINGS[0][0] * unit
        self._sums: Floats = np.zeros(problem.num_items)
        self._choice: Floats = np.zeros(problem.num_items)
        self._chooser = Choice(
            relative_costs,
            problem.budget / budget,
            state.price,
            self._sums,
            self._choice,
            num_threads,
            np.zeros(1, dtype=np.int64),
            np.zeros(0, dtype=np.int64),
            np.zeros(0),
        )
        if is_new:
            self._start()
        else:
            shards.add_again("sums", state.num_steps, out=self._sums)

    def _start(self) -> None:
        degrees = self._problem.item_degrees
        blocks = (degrees[each] for each in item_blocks(degrees.size))
        self._shards.publish("degrees", 0, np.int32, blocks)
        step_of = partial(
            FirstMultipliersStep,
            selection=self._state.selection,
            unit=self._unit,
            precision=self._precision,
        )
        self._shards.sums(step_of, "sums", 0, out=self._sums)

    @property
    def can_descend(self) -> bool:
        """Whether a step would change anything: not if no item fits the budget."""
        return self._state.temperature > 0.0

    def step(self) -> None:
        """Move all multipliers once."""
        state = self._state
        number = state.num_steps + 1
        self._chooser.choose(state.temperature)
        blocks = (self._choice[each] for each in item_blocks(self._choice.size))
        self._shards.publish("choice", number, np.float64, blocks)
        step_of = partial(
            DescendingStep,
            number=number,
            unit=self._unit,
            temperature=state.temperature,
            momentum=momentum_at(state.pace),
            least_curvature=self._least_curvature,
            precision=self._precision,
        )
        uphill = self._shards.sums(step_of, "sums", number, out=self._sums)
        state.num_steps = number
        state.price = self._chooser.price
        state.pace = 1.0 if sum(uphill) > 0.0 else next_pace(state.pace)
        cooled = COOLINGS[0][1] * state.temperature
        state.temperature = max(self._last_temperature, cooled)

    def forget_last(self) -> None:
        """Remove the published choice of the last step, which no step needs again."""
        self._shards.withdraw("choice", self._state.num_steps)

    def bound(self) -> float:
        """No selection within the budget is worth more than this."""
        number = self._state.num_steps
        step_of = partial(DualSumsStep, number=number, unit=self._unit)
        parts = self._shards.sums(step_of, "bound", number, out=self._sums)
        return bound_from_sums(self._problem, self._sums, free=exact_total(parts))


def bound_from_sums(problem: ShardedProblem, sums: Floats, *, free: float) -> float:
    """The dual bound at the best price, with what its sums may have lost by rounding.

    Parameters
    ----------
    problem
        The problem.
    sums
        The sum of the multipliers of each item.
    free
        The weight that no item must earn.
    """
    costs, budget = problem.costs, problem.budget
    affordable = costs <= budget
    if not affordable.all():
        sums, costs = sums[affordable], costs[affordable]
    price = critical_price(sums, costs, budget=budget)
    earned_by_block, touched_by_block = [], []
    with np.errstate(over="ignore", invalid="ignore"):
        for block in item_blocks(sums.size):
            gains = np.maximum(0.0, sums[block] - price * costs[block])
            earned_by_block.append(float(gains.sum()))
            touched_by_block.append(float(sums[block][gains > 0].sum()))
        earned, touched = _total(earned_by_block), _total(touched_by_block)
    bound = free + price * budget + earned
    if not np.isfinite(bound + touched):
        return problem.total_weight
    # The sum over an item's elements may be off by one rounding error per element. In a
    # block, NumPy adds in pairs, 16 numbers at most one after the other: at most 16 and
    # log2 of the block's size, 36, errors. The sum of all blocks is rounded once.
    errors = problem.largest_item_degree + 100
    bound += errors * float(np.finfo(float).eps) * (touched + bound)
    return problem.rounded_bound(bound)


def _total(of_blocks: list[float]) -> float:
    """Their sum, rounded once; infinite if it is too large."""
    try:
        return fsum(of_blocks)
    except OverflowError:
        return inf
