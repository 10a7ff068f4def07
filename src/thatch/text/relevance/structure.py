"""Structure of a pool of passages: which follow each other, and what they belong to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from thatch.arrays import Floats, Ints, sums_by
from thatch.text.relevance.passage_terms import PassageTerms


@dataclass(frozen=True, eq=False)
class Structure:
    """What is known about passages besides their text.

    >>> Structure.unordered(2).runs
    array([0, 1])
    """

    #: int64, shape (num_passages,): the passages in the order of their sources.
    order: Ints
    #: int64, shape (num_passages,): number of the run of each passage. Passages of the
    #: same run that are next to each other in the order are neighbors.
    runs: Ints
    #: int64, shape (num_passages,): number of the section of each passage, -1 if it has
    #: none.
    sections: Ints
    #: Titles and dates of each passage, which are not part of its text.
    labels: Sequence[str]
    #: Who speaks in each passage; empty if that is not known.
    speakers: Sequence[str]

    @classmethod
    def unordered(cls, num_passages: int) -> Structure:
        """Passages about which nothing else is known."""
        numbers = np.arange(num_passages)
        none, empty = np.full(num_passages, -1), ("",) * num_passages
        return cls(numbers, numbers, none, empty, empty)

    def restricted_to(self, passages: Ints) -> Structure:
        """The structure of some of the passages, which are renumbered."""
        number_of = np.full(len(self.order), -1)
        number_of[passages] = np.arange(len(passages))
        order = number_of[self.order]
        return Structure(
            order[order >= 0],
            self.runs[passages],
            self.sections[passages],
            [self.labels[p] for p in passages.tolist()],
            [self.speakers[p] for p in passages.tolist()],
        )

    def neighbors(self, distance: int) -> tuple[Ints, Ints]:
        """Pairs of passages that far apart in one run, the earlier one first."""
        earlier, later = self.order[:-distance], self.order[distance:]
        is_same = self.runs[earlier] == self.runs[later]
        return earlier[is_same], later[is_same]


def is_in_sequence(terms: PassageTerms, passages: Ints | None = None) -> bool:
    """Whether passages follow each other, by the terms that neighbors share.

    Neighbors in a text are about the same; in the answer of a search engine they are no
    more alike than any two.
    """
    numbers = np.arange(terms.num_passages) if passages is None else passages
    terms = terms.restricted_to(numbers[:500])  # as many are enough to tell
    if terms.num_passages < 3 or not terms.pairs.size:
        return False
    similarities, mean = _similarities(terms)
    error = similarities.std() / np.sqrt(similarities.size)
    # Neighbors share more than others do, by three standard errors: a shuffled list
    # rarely has as many.
    return bool(similarities.mean() - mean > 3.0 * max(error, 1e-12))


def _similarities(terms: PassageTerms) -> tuple[Floats, float]:
    """Cosines of neighbors, and the mean of the cosines of all pairs."""
    pairs, num_terms, num_passages = terms.pairs, terms.num_terms, terms.num_passages
    owners, found = pairs // num_terms, pairs % num_terms
    weights = terms.rarities[found]
    norms = np.sqrt(sums_by(owners, weights**2, num_passages))
    weights = weights / np.maximum(norms, 1e-12)[owners]
    # The same term in the passage before has a pair that is smaller by one row.
    before = np.searchsorted(pairs, pairs - num_terms)
    is_shared = pairs[np.minimum(before, pairs.size - 1)] == pairs - num_terms
    products = np.where(is_shared, weights * weights[before % pairs.size], 0.0)
    cosines = sums_by(owners, products, num_passages)[1:]
    sums = sums_by(found, weights, num_terms)
    squares = float((weights**2).sum())
    mean = (float(sums @ sums) - squares) / (num_passages * (num_passages - 1))
    return cosines, mean


# Not those of `strftime`, which depend on the locale of the process.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_ISO_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}[\d:.Z+-]*)?\b")


def with_dates_in_words(text: str) -> str:
    """The text with dates such as 2023-05-08 as people write them, to compare words."""

    def in_words(match: re.Match[str]) -> str:
        year, month, day = map(int, match.group(1, 2, 3))
        try:
            date(year, month, day)
        except ValueError:
            return match[0]
        return f"{day} {_MONTHS[month - 1]} {year}"

    return _ISO_DATE.sub(in_words, text)
