"""Metrics: units that are counted in two texts and matched."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, NamedTuple, TypeVar

from thatch.rouge.text import Text

Units = TypeVar("Units")


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
