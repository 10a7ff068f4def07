"""Metrics, whose units are counted in two texts and matched, and scores by metric."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from thatch.rouge.text import Text

Units = TypeVar("Units")
Value = TypeVar("Value")


class Overlap(NamedTuple):
    """Number of units of a candidate and a reference, and of those that match."""

    #: Units that both have; a repeated unit counts as often as in the text with fewer.
    num_matches: int
    #: Units of the reference: the denominator of recall.
    num_in_reference: int
    #: Units of the candidate: the denominator of precision.
    num_in_candidate: int

    @property
    def recall(self) -> float:
        """Share of the reference that matches; 0 if the reference is empty."""
        return _share(self.num_matches, self.num_in_reference)

    @property
    def precision(self) -> float:
        """Share of the candidate that matches; 0 if the candidate is empty."""
        return _share(self.num_matches, self.num_in_candidate)


class Metric(ABC, Generic[Units]):
    """One member of the ROUGE family, with its settings."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in tables, such as ROUGE-1."""

    @abstractmethod
    def units_of(self, text: Text) -> Units:
        """Return the units of a text; called once per text."""

    @abstractmethod
    def overlap(self, candidate: Units, reference: Units) -> Overlap:
        """Return how many units match."""


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


@dataclass(frozen=True)
class Score:
    """Overlap of a candidate with its references by one metric.

    >>> Score(recall=0.5, precision=0.25, f_measure=0.33333)
    Score(recall=0.5, precision=0.25, f_measure=0.33333)
    """

    #: Share of the references that matches the candidate.
    recall: float
    #: Share of the candidate that matches the references.
    precision: float
    #: Weighted harmonic mean of both; F1 with the default alpha.
    f_measure: float


@dataclass(frozen=True)
class ByMetric(Mapping[str, Value]):
    """Values by name of the metric."""

    #: The values, by name of the metric.
    by_metric: Mapping[str, Value]

    def __getitem__(self, metric: str) -> Value:
        return self.by_metric[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_metric)

    def __len__(self) -> int:
        return len(self.by_metric)


@dataclass(frozen=True)
class Scores(ByMetric[Score]):
    """Scores of one candidate by name of the metric, and their settings.

    >>> from thatch.rouge import Rouge
    >>> scores = Rouge().score("The cats ran.", "The cat was running.")
    >>> scores["ROUGE-1"].recall
    0.5
    """

    #: All settings that influence the numbers, in one line.
    signature: str


def rounded_score(overlap: Overlap, alpha: float) -> Score:
    """Score rounded to five decimals; the F-measure is that of the rounded values.

    ROUGE-1.5.5 does so, and averages the rounded scores of candidates.
    """
    recall = round(overlap.recall, 5)
    precision = round(overlap.precision, 5)
    return Score(recall, precision, round(_mean(recall, precision, alpha), 5))


def exact_score(overlap: Overlap, alpha: float) -> Score:
    """Score without rounding."""
    recall, precision = overlap.recall, overlap.precision
    return Score(recall, precision, _mean(recall, precision, alpha))


def _mean(recall: float, precision: float, alpha: float) -> float:
    """1 / (alpha / precision + (1 - alpha) / recall)."""
    weighted = (1 - alpha) * precision + alpha * recall
    return recall * precision / weighted if weighted > 0 else 0.0
