"""Where each concept occurs, and how often: what weights are made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.text.passages import Passages

__all__ = ["ConceptTable", "Occurrences"]


@dataclass(frozen=True, eq=False)
class ConceptTable:
    """Which passage holds which concept, and the weight of each concept."""

    #: What the concepts are: anything that can be told apart.
    concepts: tuple[Hashable, ...]
    #: float64, one a concept, >= 0.
    weights: Floats
    #: int64, one a pair of a passage and a concept it holds; no pair twice.
    passages: Ints
    held: Ints

    def names(self, spellings: Mapping[str, str] | None = None) -> list[str]:
        """The concepts as text to show, such as ``prime minister``.

        Parameters
        ----------
        spellings
            The word to show for each term; terms are shown as they are, unless given.
        """
        words = {} if spellings is None else spellings
        return [
            " ".join(
                words.get(str(part), str(part))
                for part in (concept if isinstance(concept, tuple) else (concept,))
            )
            for concept in self.concepts
        ]


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Every occurrence of every concept in some passages.

    >>> from thatch.text.document import Document
    >>> texts = "Snow on snow. Rain.", "Snow again."
    >>> passages = Passages.of([Document.from_text(text) for text in texts])
    >>> found = Occurrences.of([["snow", "snow"], ["rain"], ["snow"]], passages)
    >>> found.concepts, found.counts, found.num_documents
    (('snow', 'rain'), array([3, 1]), array([2, 1]))
    """

    source: Passages
    concepts: tuple[Hashable, ...]
    #: int64, one an occurrence, in the order of the text.
    passages: Ints
    found: Ints

    @classmethod
    def of(
        cls, concepts_of_each: Iterable[Sequence[Hashable]], source: Passages
    ) -> Occurrences:
        """Occurrences from the concepts of each passage, repeated as often as found."""
        lists = list(concepts_of_each)
        number_of: dict[Hashable, int] = {}
        for concept in chain.from_iterable(lists):
            number_of.setdefault(concept, len(number_of))
        total = sum(map(len, lists))
        return cls(
            source,
            tuple(number_of),
            np.repeat(np.arange(len(lists)), [len(found) for found in lists]),
            np.fromiter(
                map(number_of.__getitem__, chain.from_iterable(lists)), np.int64, total
            ),
        )

    @property
    def counts(self) -> Ints:
        """How often each concept occurs."""
        return np.bincount(self.found, minlength=len(self.concepts))

    @cached_property
    def num_documents(self) -> Ints:
        """In how many documents each concept occurs."""
        return self._num_groups(self._documents, np.ones(self.found.size, dtype=bool))

    @cached_property
    def num_first_sentences(self) -> Ints:
        """In how many documents each concept occurs in the first passage."""
        is_first = np.array([p.position == 0 for p in self.source], dtype=bool)
        return self._num_groups(self._documents, is_first[self.passages])

    @property
    def num_passages(self) -> Ints:
        """In how many passages each concept occurs."""
        return self._num_groups(self.passages, np.ones(self.found.size, dtype=bool))

    def table(self, weights: Floats, *, is_kept: np.ndarray) -> ConceptTable:
        """Concepts that are kept, with their weights, and who holds them."""
        new_number = np.cumsum(is_kept) - 1
        kept = is_kept[self.found]
        num_kept = int(is_kept.sum())
        pairs = np.unique(
            self.passages[kept] * max(num_kept, 1) + new_number[self.found[kept]]
        )
        return ConceptTable(
            tuple(c for c, keep in zip(self.concepts, is_kept, strict=True) if keep),
            weights[is_kept],
            *np.divmod(pairs, max(num_kept, 1)),
        )

    @cached_property
    def _documents(self) -> Ints:
        documents = np.array([p.document for p in self.source], dtype=np.int64)
        return documents[self.passages]

    def _num_groups(self, groups: Ints, is_counted: np.ndarray) -> Ints:
        """How many different groups each concept occurs in."""
        num_concepts = max(len(self.concepts), 1)
        pairs = np.unique(groups[is_counted] * num_concepts + self.found[is_counted])
        return np.bincount(pairs % num_concepts, minlength=len(self.concepts))
