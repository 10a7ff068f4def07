"""Where each concept occurs, and how often: what weights are made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.text.passages.passages import Passages

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

    @classmethod
    def joined(cls, tables: Sequence[ConceptTable]) -> ConceptTable:
        """One table of the concepts of several."""
        shifts = np.cumsum([0, *(len(table.concepts) for table in tables[:-1])])
        return cls(
            tuple(chain.from_iterable(table.concepts for table in tables)),
            np.concatenate([table.weights for table in tables]),
            np.concatenate([table.passages for table in tables]),
            np.concatenate([t.held + s for t, s in zip(tables, shifts, strict=True)]),
        )

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
class _Pairs(Sequence[Hashable]):
    """Pairs of concepts, made when asked for: most of them never are."""

    concepts: Sequence[Hashable]
    ahead: Sequence[int]
    behind: Sequence[int]

    def __getitem__(self, k: Any) -> Any:
        return self.concepts[self.ahead[k]], self.concepts[self.behind[k]]

    def __len__(self) -> int:
        return len(self.ahead)


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Every occurrence of every concept in some passages.

    >>> from thatch.text.documents.document import Document
    >>> texts = "Snow on snow. Rain.", "Snow again."
    >>> passages = Passages.of([Document.from_text(text) for text in texts])
    >>> found = Occurrences.of([["snow", "snow"], ["rain"], ["snow"]], passages)
    >>> found.concepts, found.counts, found.num_documents
    (('snow', 'rain'), array([3, 1]), array([2, 1]))
    """

    source: Passages
    concepts: Sequence[Hashable]
    #: int64, one an occurrence, in the order of the text.
    passages: Ints
    found: Ints

    @classmethod
    def of(
        cls, concepts_of_each: Iterable[Sequence[Hashable]], source: Passages
    ) -> Occurrences:
        """Occurrences from the concepts of each passage, repeated as often as found."""
        lists = list(concepts_of_each)
        number_of = {
            concept: k
            for k, concept in enumerate(dict.fromkeys(chain.from_iterable(lists)))
        }
        lengths = np.array([len(found) for found in lists], dtype=np.int64)
        numbers = map(number_of.__getitem__, chain.from_iterable(lists))
        return cls(
            source,
            tuple(number_of),
            np.repeat(np.arange(len(lists)), lengths),
            np.fromiter(numbers, np.int64, int(lengths.sum())),
        )

    def neighbours(self) -> Occurrences:
        """Occurrences of two concepts side by side in a passage, as pairs.

        >>> from thatch.text.documents.document import Document
        >>> passages = Passages.of([Document.from_text("Snow on snow. Rain.")])
        >>> words = Occurrences.of([["snow", "on", "snow"], ["rain"]], passages)
        >>> list(words.neighbours().concepts)
        [('snow', 'on'), ('on', 'snow')]
        """
        is_together = self.passages[1:] == self.passages[:-1]
        codes = (self.found[:-1] * len(self.concepts) + self.found[1:])[is_together]
        known, first, found = np.unique(codes, return_index=True, return_inverse=True)
        # Numbered by where they occur first, like any concepts.
        order = np.argsort(first)
        number_of = np.empty_like(order)
        number_of[order] = np.arange(order.size)
        ends = np.divmod(known[order], self._num_codes)
        return Occurrences(
            self.source,
            _Pairs(self.concepts, *(end.tolist() for end in ends)),
            self.passages[1:][is_together],
            number_of[found],
        )

    def narrowed(self, is_kept: Flags) -> Occurrences:
        """Occurrences of the concepts that are kept alone."""
        new_number = np.cumsum(is_kept) - 1
        of_kept = is_kept[self.found]
        return Occurrences(
            self.source,
            tuple(self.concepts[k] for k in np.flatnonzero(is_kept).tolist()),
            self.passages[of_kept],
            new_number[self.found[of_kept]],
        )

    @property
    def counts(self) -> Ints:
        """How often each concept occurs."""
        return np.bincount(self.found, minlength=len(self.concepts))

    @property
    def num_documents(self) -> Ints:
        """In how many documents each concept occurs."""
        return self._counted(self._in_documents[0])

    @property
    def num_first_passages(self) -> Ints:
        """In how many documents each concept occurs in the first passage."""
        concepts, places = self._in_documents
        return self._counted(concepts[places == 1])

    @property
    def earliness(self) -> Floats:
        """Sum over documents of 1 / place of the first passage with the concept."""
        concepts, places = self._in_documents
        sums = np.bincount(concepts, weights=1 / places, minlength=len(self.concepts))
        return sums.astype(np.float64)

    @property
    def num_passages(self) -> Ints:
        """In how many passages each concept occurs."""
        return self._counted(self._in_passages % self._num_codes)

    def is_among(self, terms: frozenset[str]) -> Flags:
        """Whether each concept is among the terms; all parts of a pair must be."""
        return np.array(
            [
                terms.issuperset(concept if isinstance(concept, tuple) else (concept,))
                for concept in self.concepts
            ],
            dtype=np.bool_,
        )

    def table(self, weights: Floats) -> ConceptTable:
        """The concepts with their weights, and who holds them."""
        held = np.divmod(self._in_passages, self._num_codes)
        return ConceptTable(tuple(self.concepts), weights, *held)

    @cached_property
    def _in_passages(self) -> Ints:
        """One number for each passage and concept in it."""
        pairs = np.sort(self._pairs(self.passages))
        # NumPy's own unique hashes: on as few and as ordered as these it takes longer.
        return pairs[np.diff(pairs, prepend=-1) > 0]

    @cached_property
    def _in_documents(self) -> tuple[Ints, Ints]:
        """For each document and concept in it: the concept, and its first place."""
        passages = self.source.all
        documents = np.array([p.document for p in passages], dtype=np.int64)
        places = np.array([1 + p.position for p in passages], dtype=np.int64)
        # In the order of the text, the first occurrence in a document is the earliest.
        pairs, first = np.unique(
            self._pairs(documents[self.passages]), return_index=True
        )
        return pairs % self._num_codes, places[self.passages[first]]

    @property
    def _num_codes(self) -> int:
        return max(len(self.concepts), 1)

    def _pairs(self, groups: Ints) -> Ints:
        """One number for the group and the concept of each occurrence."""
        return groups * self._num_codes + self.found

    def _counted(self, concepts: Ints) -> Ints:
        return np.bincount(concepts, minlength=len(self.concepts))
