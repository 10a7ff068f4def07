"""ROUGE-N and ROUGE-S: words in a row, and pairs of words in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from thatch.arrays import number
from thatch.errors import InputError
from thatch.rouge.metrics import Metric, Overlap
from thatch.rouge.text import Text


@dataclass(frozen=True)
class Counts:
    """How often a text has each unit."""

    of: Mapping[Hashable, int]
    total: int


class _CountedMetric(Metric[Counts]):
    """A metric that matches units one by one, wherever they stand."""

    def overlap(self, candidate: Counts, reference: Counts) -> Overlap:
        """How many units match, clipped to the lesser count."""
        of_reference = reference.of
        num_matches = 0
        # The loop is what scoring spends its time in.
        for unit, count in candidate.of.items():
            if unit in of_reference:
                other = of_reference[unit]
                num_matches += count if count < other else other
        return Overlap(num_matches, reference.total, candidate.total)


@dataclass(frozen=True)
class NGrams(_CountedMetric):
    """ROUGE-N: runs of so many words.

    >>> NGrams(2).name
    'ROUGE-2'
    """

    size: int = 1

    def __post_init__(self) -> None:
        if number("size", self.size) < 1 or self.size % 1:
            raise InputError(
                f"size must be a whole number >= 1, got {self.size}.",
                hint="ROUGE-1 counts words, ROUGE-2 pairs of neighbours.",
            )

    @property
    def name(self) -> str:
        """What tables call it."""
        return f"ROUGE-{self.size}"

    def units_of(self, text: Text) -> Counts:
        """How often every run of words occurs."""
        words = text.words
        if self.size == 1:
            return Counts(Counter(words), len(words))
        rows = [words[start:] for start in range(self.size)]
        return Counts(
            Counter(zip(*rows, strict=False)), max(0, len(words) - self.size + 1)
        )


@dataclass(frozen=True)
class SkipBigrams(_CountedMetric):
    """ROUGE-S and ROUGE-SU: pairs of words in order, with others between them.

    >>> SkipBigrams().name, SkipBigrams(max_gap=None, with_words=False).name
    ('ROUGE-SU4', 'ROUGE-S*')
    """

    #: Most words between the two; None for any number.
    max_gap: int | None = 4
    #: Whether single words count too (ROUGE-SU).
    with_words: bool = True

    def __post_init__(self) -> None:
        if self.max_gap is not None and (
            number("max_gap", self.max_gap) < 0 or self.max_gap % 1
        ):
            raise InputError(
                f"max_gap must be a whole number >= 0 or None, got {self.max_gap}.",
                hint="ROUGE-SU4 has 4.",
            )

    @property
    def name(self) -> str:
        """What tables call it."""
        gap = "*" if self.max_gap is None else self.max_gap
        return f"ROUGE-S{'U' if self.with_words else ''}{gap}"

    def units_of(self, text: Text) -> Counts:
        """How often every pair occurs, and every word if those count."""
        words = text.words
        most = len(words) - 1 if self.max_gap is None else self.max_gap + 1
        units: Counter[Hashable] = Counter()
        for distance in range(1, min(most, len(words) - 1) + 1):
            units.update(zip(words, words[distance:], strict=False))
        if self.with_words:
            # ROUGE-1.5.5 counts a word with the pairs it begins; the last begins none.
            units.update(words[:-1])
        return Counts(units, units.total())
