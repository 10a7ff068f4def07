"""How sure a mean is: confidence intervals by drawing the same cases again."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thatch.arrays import number
from thatch.errors import InputError

_MOST_RESAMPLES = 10**6


@dataclass(frozen=True)
class Estimate:
    """A mean, and the interval that holds it with the given confidence."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class Bootstrap:
    """Settings of a bootstrap: same seed, same intervals, on every machine.

    >>> Bootstrap(seed=1).estimates([[0.2], [0.4], [0.9]])[0].mean
    0.5
    """

    num_resamples: int = 1000
    #: Share of the resampled means that the interval holds.
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        resamples = number("num_resamples", self.num_resamples)
        if not 1 <= resamples <= _MOST_RESAMPLES or resamples % 1:
            raise InputError(
                "num_resamples must be a whole number from 1 to "
                f"{_MOST_RESAMPLES}, got {resamples:g}.",
                hint="1000 is usual.",
            )
        if not 0 < number("confidence", self.confidence) < 1:
            raise InputError(
                f"confidence must be between 0 and 1, got {self.confidence}.",
                hint="0.95 is usual.",
            )
        if number("seed", self.seed) < 0 or self.seed % 1:
            raise InputError(
                f"seed must be a whole number >= 0, got {self.seed}.", hint="Try 0."
            )

    @property
    def name(self) -> str:
        """What the signature calls it."""
        share = f"{100 * self.confidence:.4g}%"
        return f"{share},{self.num_resamples}resamples,seed{self.seed}"

    def estimates(self, rows: ArrayLike) -> list[Estimate]:
        """Mean and interval of every column; rows are drawn together.

        Parameters
        ----------
        rows
            One a case, all of one length.
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
            # NumPy promises these bits, not what its generators make of them.
            uniform = (bits.random_raw(num_cases) >> np.uint64(11)) * 2.0**-53
            drawn = np.bincount((uniform * num_cases).astype(int), minlength=num_cases)
            means[t] = drawn @ values / num_cases
        return means
