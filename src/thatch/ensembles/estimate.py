"""Means of correlated values, with their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

# Snapshots of successive sweeps are correlated; means of this many blocks are not.
_NUM_BLOCKS = 10


@dataclass(frozen=True)
class Estimate:
    """A mean and its standard error.

    >>> print(Estimate(1.25, 0.004))
    1.2500 ± 0.0040
    """

    mean: float
    error: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate:
        """The mean of correlated values in the order in which they were found."""
        blocks = np.array_split(np.asarray(values), min(_NUM_BLOCKS, len(values)))
        means = np.array([block.mean() for block in blocks])
        if means.size < 2:
            return cls(float(means.mean()), nan)
        error = means.std(ddof=1) / np.sqrt(means.size)
        return cls(float(np.mean(values)), float(error))

    @classmethod
    def of_factors(cls, factors: Sequence[float]) -> Estimate:
        """The geometric mean of correlated factors.

        >>> Estimate.of_factors([2.0, 8.0]).mean
        4.0
        """
        of_logarithms = cls.of(np.log(np.asarray(factors)).tolist())
        mean = float(np.exp(of_logarithms.mean))
        return cls(mean, mean * of_logarithms.error)

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.error:.4f}"
