"""Confidence intervals of means, by the bootstrap."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thatch.arrays import number
from thatch.errors import InputError
from thatch.options import require_integer


@dataclass(frozen=True)
class Estimate:
    """A mean and its confidence interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Bootstrap:
    """Settings of a bootstrap; the same seed gives the same intervals everywhere.

    >>> Bootstrap(seed=1).estimates([[0.2], [0.4], [0.9]])[0].mean
    0.5
    """

    #: Number of resamples.
    num_resamples: int = 1000
    #: Share of the resampled means inside the interval.
    confidence: float = 0.95
    #: Seed of the resamples.
    seed: int = 0

    def __post_init__(self) -> None:
        hint = "1000 is common."
        require_integer("num_resamples", self.num_resamples, least=1, hint=hint)
        if self.num_resamples > 10**6:
            raise InputError(
                f"num_resamples is {self.num_resamples}; it must be at most 1000000.",
                hint=hint,
            )
        if not 0 < number("confidence", self.confidence) < 1:
            raise InputError(
                f"confidence is {self.confidence}; it must be between 0 and 1.",
                hint="0.95 is common.",
            )
        require_integer("seed", self.seed, hint="Pass 0, for example.")

    @property
    def name(self) -> str:
        """Name in the signature."""
        share = f"{100 * self.confidence:.4g}%"
        return f"{share},{self.num_resamples}resamples,seed{self.seed}"

    def estimates(self, rows: ArrayLike) -> list[Estimate]:
        """Mean and interval of each column; the values of a row are resampled together.

        Parameters
        ----------
        rows
            Numbers, shape (num_cases, num_columns).
        """
        values = np.array(rows, dtype=np.float64)
        means = np.sort(self._resampled_means(values), axis=0)
        # The original's ranks: 25 and 974 of 0..999 at 95 %.
        outside = self.num_resamples * (1 - self.confidence) / 2
        ranks = np.arange(self.num_resamples)
        ends = [outside, self.num_resamples - 1 - outside]
        intervals = [np.interp(ends, ranks, column) for column in means.T]
        return [
            Estimate(math.fsum(column) / len(values), float(low), float(high))
            for column, (low, high) in zip(values.T, intervals, strict=True)
        ]

    def _resampled_means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        num_cases = len(values)
        bits = np.random.PCG64(self.seed)
        means = np.empty((self.num_resamples, values.shape[1]))
        for t in range(self.num_resamples):
            # NumPy guarantees these bits, but not the numbers of its generators.
            uniform = (bits.random_raw(num_cases) >> np.uint64(11)) * 2.0**-53
            drawn = np.bincount((uniform * num_cases).astype(int), minlength=num_cases)
            means[t] = drawn @ values / num_cases
        return means
