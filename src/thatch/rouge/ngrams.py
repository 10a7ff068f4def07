"""ROUGE-N and ROUGE-S: n-grams and skip-bigrams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass

from thatch.options import require_integer
from thatch.rouge.score import Metric, Overlap
from thatch.rouge.text import Text


@dataclass(frozen=True)
class Counts:
    """Counts of the units of a text."""

    of: Mapping[Hashable, int]
    total: int


class _CountedMetric(Metric[Counts]):
    """A metric that matches units regardless of their positions."""

    def overlap(self, candidate: Counts, reference: Counts) -> Overlap:
        """Return how many units match; each counts as in the text with fewer."""
        of_reference = reference.of
        num_matches = 0
        # Scoring spends most of its time in this loop.
        for unit, count in candidate.of.items():
            if unit in of_reference:
                other = of_reference[unit]
                num_matches += count if count < other else other
        return Overlap(num_matches, reference.total, candidate.total)


@dataclass(frozen=True)
class NGrams(_CountedMetric):
    """ROUGE-N: runs of n words.

    >>> NGrams(2).name
    'ROUGE-2'
    """

    #: Number of words per run: the n of ROUGE-N.
    size: int = 1

    def __post_init__(self) -> None:
        hint = "ROUGE-1 counts words, ROUGE-2 pairs of adjacent words."
        require_integer("size", self.size, least=1, hint=hint)

    @property
    def name(self) -> str:
        """Name in tables."""
        return f"ROUGE-{self.size}"

    def units_of(self, text: Text) -> Counts:
        """Count the runs of words."""
        words = text.words
        if self.size == 1:
            return Counts(Counter(words), len(words))
        rows = [words[start:] for start in range(self.size)]
        return Counts(
            Counter(zip(*rows, strict=False)), max(0, len(words) - self.size + 1)
        )


@dataclass(frozen=True)
class SkipBigrams(_CountedMetric):
    """ROUGE-S and ROUGE-SU: pairs of words in order, with up to `max_gap` between them.

    >>> SkipBigrams().name, SkipBigrams(max_gap=None, with_words=False).name
    ('ROUGE-SU4', 'ROUGE-S*')
    """

    #: Maximum number of words between the two; None for no limit.
    max_gap: int | None = 4
    #: Whether single words are counted too (ROUGE-SU).
    with_words: bool = True

    def __post_init__(self) -> None:
        if self.max_gap is not None:
            require_integer("max_gap", self.max_gap, hint="For ROUGE-SU4, pass 4.")

    @property
    def name(self) -> str:
        """Name in tables."""
        gap = "*" if self.max_gap is None else self.max_gap
        return f"ROUGE-S{'U' if self.with_words else ''}{gap}"

    def units_of(self, text: Text) -> Counts:
        """Count the pairs, and for ROUGE-SU the words."""
        words = text.words
        max_distance = len(words) - 1 if self.max_gap is None else self.max_gap + 1
        units: Counter[Hashable] = Counter()
        for distance in range(1, min(max_distance, len(words) - 1) + 1):
            units.update(zip(words, words[distance:], strict=False))
        if self.with_words:
            # ROUGE-1.5.5 counts a word with the pairs that it starts, so not the last.
            units.update(words[:-1])
        return Counts(units, units.total())
