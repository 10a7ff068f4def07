"""Dual descent on a shard: a step of the multipliers of its elements.

The driver publishes how far each item is chosen, sigma_i of `thatch._kernels.dual`; a
shard moves its multipliers, and leaves their sums over the elements of each item.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch._kernels import dual as kernel
from thatch.arrays import Floats
from thatch.sharding.covering import exact_parts
from thatch.sharding.steps import TYPES, ShardFiles
from thatch.solvers.belief_propagation.schedule import Precision

__all__ = ["DescendingStep", "DualSumsStep", "FirstMultipliersStep"]


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
        steps = kernel.Steps(
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
