"""What a metric is: something to count in two texts, and to match."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, NamedTuple, TypeVar

from thatch.rouge.text import Text

Units = TypeVar("Units")


class Overlap(NamedTuple):
    """How much of a candidate and a reference match."""

    #: Units that both have, each counted as often as in the text that has it less.
    num_matches: int
    #: Units of the reference: what recall is measured against.
    num_in_reference: int
    #: Units of the candidate: what precision is measured against.
    num_in_candidate: int

    @property
    def recall(self) -> float:
        """Share of the reference that the candidate has; 0 of an empty reference."""
        return _share(self.num_matches, self.num_in_reference)

    @property
    def precision(self) -> float:
        """Share of the candidate that the reference has; 0 of an empty candidate."""
        return _share(self.num_matches, self.num_in_candidate)


class Metric(ABC, Generic[Units]):
    """One member of the ROUGE family, as a frozen record of its settings."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What tables call it, such as ROUGE-1."""

    @abstractmethod
    def units_of(self, text: Text) -> Units:
        """What is counted in a text; made once, however often it is compared."""

    @abstractmethod
    def overlap(self, candidate: Units, reference: Units) -> Overlap:
        """How much of both texts match."""


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
