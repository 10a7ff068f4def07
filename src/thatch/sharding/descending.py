"""Dual descent on a shard: a step of the multipliers of its elements.

The driver publishes how far each item is chosen, sigma_i of `thatch._kernels.dual`; a
shard moves its multipliers, and leaves their sums over the elements of each item.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch._kernels import dual as kernel
from thatch.arrays import Floats, exact_sum
from thatch.sharding.shard import Shard
from thatch.sharding.steps import ShardFiles

__all__ = ["DescendingStep", "DualSumsStep", "FirstMultipliersStep"]


@dataclass(frozen=True)
class FirstMultipliersStep:
    """The multipliers from which a descent starts: step 0."""

    files: ShardFiles
    #: The largest weight of the problem, by which weights are divided.
    unit: float

    def run(self) -> None:
        """Write them: an element that the selection covers twice has multiplier 0."""
        shard = self.files.shard
        chosen = self.files.of_items("start", 0).astype(np.int8)
        counts = _cover_counts(shard, chosen)
        shares = np.array([1.0, 0.5, 0.0])[np.minimum(counts, 2)]
        multipliers = shares * (shard.weights / self.unit)
        _keep(self.files, 0, multipliers, multipliers)


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

    def run(self) -> float:
        """Move the multipliers; return a positive number if momentum was uphill."""
        shard = self.files.shard
        weights = shard.weights / self.unit
        multipliers, ahead = np.array(self.files.state("multipliers", self.number - 1))
        steps = kernel.Steps(
            weights,
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
        _keep(self.files, self.number, multipliers, ahead)
        return float(uphill)


@dataclass(frozen=True)
class DualSumsStep:
    """The sums of the multipliers after a step, for the bound."""

    files: ShardFiles
    number: int
    unit: float

    def run(self) -> list[float]:
        """Write the sums per item; return the weight that no item must earn.

        It is returned as numbers whose exact sum it is, up to a rounding error of a
        rounding error.
        """
        shard = self.files.shard
        multipliers, _ = self.files.state("multipliers", self.number)
        clipped = np.clip(multipliers * self.unit, 0.0, shard.weights)
        is_reachable = np.diff(shard.element_start) > 0
        sums = np.empty(shard.num_items)
        clipped = clipped * is_reachable
        kernel.sum_along(clipped, shard.element_start, shard.element_items, sums)
        self.files.keep("bound", self.number, sums)
        return exact_parts((shard.weights - clipped)[is_reachable])


def exact_parts(values: Floats) -> list[float]:
    """Two numbers whose sum is that of the values, up to an error of the second order.

    >>> exact_parts(np.array([0.1] * 10))[0]
    1.0
    """
    total = exact_sum(values)
    return [total, exact_sum(np.append(values, -total))]


def _keep(files: ShardFiles, step: int, multipliers: Floats, ahead: Floats) -> None:
    shard = files.shard
    files.keep("multipliers", step, np.stack([multipliers, ahead]))
    sums = np.empty(shard.num_items)
    kernel.sum_along(ahead, shard.element_start, shard.element_items, sums)
    files.keep("sums", step, sums)


def _cover_counts(shard: Shard, chosen: np.ndarray) -> np.ndarray:
    starts = shard.element_start
    edges = chosen[shard.element_items].astype(np.int32)
    return np.diff(np.append(0, np.cumsum(edges))[starts])
