"""Averages of scores over many candidates, with intervals by the bootstrap."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thatch.arrays import number
from thatch.errors import InputError
from thatch.options import require_integer
from thatch.rouge.score import ByMetric, Scores


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


@dataclass(frozen=True)
class Average:
    """Means of one metric over many candidates."""

    recall: Estimate
    precision: Estimate
    f_measure: Estimate


@dataclass(frozen=True)
class Averages(ByMetric[Average]):
    """Means by name of the metric, with the scores and their settings."""

    #: The scores of each candidate, in the order given.
    scores: tuple[Scores, ...]
    #: All settings that influence the numbers, in one line.
    signature: str


def average(
    scores: Sequence[Scores], *, bootstrap: Bootstrap | None = None
) -> Averages:
    """Average the scores of many candidates, with confidence intervals.

    Parameters
    ----------
    scores
        The scores of each candidate, all computed with the same settings.
    bootstrap
        Settings of the intervals. Default: 95 % of 1000 resamples, seed 0.

    Raises
    ------
    InputError
        If there are no scores, or their settings differ.

    >>> from thatch.rouge import Rouge
    >>> rouge = Rouge()
    >>> scores = [rouge.score(text, "two cats") for text in ("cat", "two cats", "dog")]
    >>> average(scores)["ROUGE-1"].recall
    Estimate(mean=0.5, low=0.0, high=1.0)
    """
    bootstrap = Bootstrap() if bootstrap is None else bootstrap
    signatures = sorted({each.signature for each in scores})
    if not signatures:
        raise InputError(
            "scores is empty; at least one was expected.",
            hint="Score a candidate first.",
        )
    if len(signatures) > 1:
        raise InputError(
            "scores were computed with different settings: "
            f"{signatures[0]} and {signatures[1]}.",
            hint="Score all candidates with the same Rouge object.",
        )
    metrics = list(scores[0])
    rows = [
        [share for metric in metrics for share in astuple(each[metric])]
        for each in scores
    ]
    estimates = bootstrap.estimates(rows)
    averages = {
        metric: Average(*estimates[3 * place : 3 * place + 3])
        for place, metric in enumerate(metrics)
    }
    signature = f"{signatures[0]}|interval:{bootstrap.name}"
    return Averages(averages, tuple(scores), signature)
