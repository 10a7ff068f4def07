"""Dual descent on shards: multipliers in files, and the bound that they give.

The driver publishes how far each item is chosen, sigma_i of `thatch._kernels.dual`. A
shard moves its multipliers, and leaves their sums over the elements of each item.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from math import fsum, inf
from typing import Any, ClassVar, NamedTuple

import numpy as np

from thatch._kernels.dual import Steps, momentum_at, next_pace
from thatch._kernels.dual_choice import Choice
from thatch.arrays import Floats
from thatch.scale.running.shard_steps import (
    TYPES,
    AllShards,
    ShardFiles,
    exact_total,
    item_blocks,
)
from thatch.scale.shards.array_files import write
from thatch.scale.shards.shard import exact_parts
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.loop import DescentState
from thatch.solvers.belief_propagation.schedule import Precision
from thatch.solvers.bounds.dual_bounds import critical_price
from thatch.solvers.bounds.dual_descent import COOLINGS, DescentScales

#: Beside each shard: the multipliers of the last bound, which verify it.
CERTIFICATE = "certificate.npy"


class ShardedDescent(ABC):
    """Multipliers of a sharded problem whose dual bound falls, as in `DualDescent`."""

    has_slow_steps: ClassVar[bool] = True

    def __init__(self, problem: ShardedProblem, state: DescentState) -> None:
        self._problem = problem
        self._state = state
        self._unit = problem.largest_weight or 1.0
        #: The last bound, and its price.
        self.shown: ShardedBound | None = None

    def _scaled(self, costs: Any, *, is_new: bool) -> DescentScales:
        """The scales of costs; a new descent takes its price and temperature there."""
        state = self._state
        price = (state.value or self._problem.total_weight) / self._unit
        scales = DescentScales.of(costs, self._problem.budget, price)
        first, _, last = COOLINGS[0]
        self._last_temperature = last * scales.temperature_unit
        if is_new:
            state.price = price
            state.temperature = first * scales.temperature_unit
        return scales

    @property
    def num_steps(self) -> int:
        """How many steps there have been."""
        return self._state.num_steps

    @property
    def can_descend(self) -> bool:
        """Whether a step would change anything: not if no item fits the budget."""
        return self._state.temperature > 0.0

    def step(self, most: int = 1) -> None:
        """Move all multipliers once."""
        state = self._state
        self._move(state.num_steps + 1, state.temperature)
        state.num_steps += 1
        cooled = COOLINGS[0][1] * state.temperature
        state.temperature = max(self._last_temperature, cooled)

    def bound(self) -> float:
        """No selection within the budget is worth more than this.

        What shows it is kept beside the shards.
        """
        sums, parts = self._sums_for_bound()
        self.shown = bound_from_sums(self._problem, sums, free=exact_total(parts))
        return self.shown.bound

    @abstractmethod
    def _move(self, number: int, temperature: float) -> None:
        """Take the step of that number."""

    @abstractmethod
    def _sums_for_bound(self) -> tuple[Floats, list[list[float]]]:
        """Sums of the multipliers per item, and weights that no item must earn."""


class EngineDescent(ShardedDescent):
    """Multipliers beside the shards, which the workers of an engine move."""

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
        super().__init__(problem, state)
        scales = self._scaled(problem.costs, is_new=is_new)
        self._least_curvature = scales.least_curvature
        self._shards = shards
        self._precision = precision
        self._sums: Floats = np.zeros(problem.num_items)
        self._choice: Floats = np.zeros(problem.num_items)
        self._chooser = Choice(
            scales.relative_costs,
            scales.relative_budget,
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

    def _move(self, number: int, temperature: float) -> None:
        state = self._state
        self._chooser.choose(temperature)
        blocks = (self._choice[each] for each in item_blocks(self._choice.size))
        self._shards.publish("choice", number, np.float64, blocks)
        step_of = partial(
            DescendingStep,
            number=number,
            unit=self._unit,
            temperature=temperature,
            momentum=momentum_at(state.pace),
            least_curvature=self._least_curvature,
            precision=self._precision,
        )
        uphill = self._shards.sums(step_of, "sums", number, out=self._sums)
        state.price = self._chooser.price
        state.pace = 1.0 if sum(uphill) > 0.0 else next_pace(state.pace)

    def forget_outdated(self) -> None:
        """Remove the published choice of the last step, which no step needs again."""
        self._shards.withdraw("choice", self.num_steps)

    def _sums_for_bound(self) -> tuple[Floats, list[list[float]]]:
        number = self.num_steps
        step_of = partial(DualSumsStep, number=number, unit=self._unit)
        parts = self._shards.sums(step_of, "bound", number, out=self._sums)
        return self._sums, parts


@dataclass(frozen=True)
class FirstMultipliersStep:
    """The multipliers from which a descent starts: step 0."""

    files: ShardFiles
    #: The number of the published selection to start from.
    selection: int
    #: The largest weight of the problem, by which weights are divided.
    unit: float
    precision: Precision

    def run(self) -> None:
        """Write them: an element that the selection covers twice has multiplier 0."""
        shard = self.files.shard
        chosen = self.files.of_items("selection", self.selection)
        counts = shard.cover_counts(chosen)
        shares = np.array([1.0, 0.5, 0.0])[np.minimum(counts, 2)]
        multipliers = shares * (shard.weights / self.unit)
        _keep(self.files, 0, multipliers, multipliers, self.precision)


@dataclass(frozen=True)
class DescendingStep:
    """A step of all multipliers of a shard."""

    files: ShardFiles
    #: Counted from 1.
    number: int
    unit: float
    temperature: float
    momentum: float
    least_curvature: float
    precision: Precision

    def run(self) -> float:
        """Move the multipliers; return a positive number if momentum was uphill."""
        shard = self.files.shard
        before = self.files.state("multipliers", self.number - 1)
        multipliers, ahead = before.astype(np.float64)
        steps = Steps(
            shard.weights / self.unit,
            shard.element_start,
            shard.element_items,
            shard.num_items,
            multipliers,
            ahead,
            1,
            self.least_curvature,
        )
        choice = self.files.of_items("choice", self.number)
        degrees = self.files.of_items("degrees", 0)
        uphill = steps.step(choice, degrees, self.temperature, self.momentum)
        _keep(self.files, self.number, multipliers, ahead, self.precision)
        return float(uphill)


@dataclass(frozen=True)
class DualSumsStep:
    """The sums of the multipliers after a step, for the bound."""

    files: ShardFiles
    number: int
    unit: float

    def run(self) -> list[float]:
        """Write the sums per item; return numbers whose sum no item must earn."""
        shard = self.files.shard
        multipliers, _ = self.files.state("multipliers", self.number)
        is_reachable = np.diff(shard.element_start) > 0
        clipped = np.clip(multipliers * self.unit, 0.0, shard.weights) * is_reachable
        self.files.keep("bound", self.number, shard.item_sums(clipped))
        write(self.files.folder.child(CERTIFICATE), clipped)
        return exact_parts((shard.weights - clipped)[is_reachable])


def _keep(
    files: ShardFiles,
    step: int,
    multipliers: Floats,
    ahead: Floats,
    precision: Precision,
) -> None:
    real = TYPES[precision]
    files.keep("multipliers", step, np.array([multipliers, ahead], dtype=real))
    files.keep("sums", step, files.shard.item_sums(ahead).astype(real))


class ShardedBound(NamedTuple):
    """A dual bound, and the price of the budget that shows it."""

    bound: float
    price: float


def bound_from_sums(
    problem: ShardedProblem, sums: Floats, *, free: float, price: float | None = None
) -> ShardedBound:
    """The dual bound at the best price, with what its sums may have lost by rounding.

    The sums of the multipliers are one per item. No item must earn the free weight.
    """
    costs, budget = problem.costs, problem.budget
    affordable = costs <= budget
    if not affordable.all():
        sums, costs, price = sums[affordable], costs[affordable], None
    if price is None:
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
        return ShardedBound(problem.rounded_bound(inf), 0.0)
    # The sum over an item's elements may be off by one rounding error per element. In a
    # block, NumPy adds in pairs, 16 numbers at most one after the other: at most 16 and
    # log2 of the block's size, 36, errors. The sum of all blocks is rounded once.
    errors = problem.largest_item_degree + 100
    bound += errors * float(np.finfo(float).eps) * (touched + bound)
    # Whoever checks it counts weights in units of which all weights have 2^56.
    bound += problem.num_elements * problem.total_weight * 2.0**-56
    return ShardedBound(problem.rounded_bound(bound), price)


def _total(of_blocks: list[float]) -> float:
    """Their sum, rounded once; infinite if it is too large."""
    try:
        return fsum(of_blocks)
    except OverflowError:
        return inf
