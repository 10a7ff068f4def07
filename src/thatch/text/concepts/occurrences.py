"""Occurrences of concepts in passages, and tables of concepts with weights."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from thatch.arrays import Flags, Floats, Indices, Ints, sums_by
from thatch.machine.caching import cached_property
from thatch.text.passages.passages import Passages


@dataclass(frozen=True, eq=False)
class ConceptTable:
    """Which passage contains which concept, and the weight of each concept.

    The two arrays of indices are parallel: passage ``passage_indices[k]`` contains
    concept ``concept_indices[k]``.
    """

    #: The concepts: any hashable values.
    concepts: tuple[Hashable, ...]
    #: float64, shape (num_concepts,): non-negative.
    weights: Floats
    #: int32, shape (num_pairs,): no pair is repeated. A long text has millions of them.
    passage_indices: Indices
    #: int32, shape (num_pairs,).
    concept_indices: Indices
    #: bool, shape (num_concepts,): False for what explains nothing to people, such as
    #: stop words. Default: True for all.
    is_shown: Flags | None = None

    def __post_init__(self) -> None:
        # Concept schemes of others may pass other integers.
        for name in ("passage_indices", "concept_indices"):
            given = np.asarray(getattr(self, name))
            object.__setattr__(self, name, given.astype(np.int32, copy=False))

    @property
    def shown(self) -> Flags:
        """Whether each concept explains something: bool, shape (num_concepts,)."""
        if self.is_shown is None:
            return np.ones(len(self.concepts), dtype=np.bool_)
        return self.is_shown

    @classmethod
    def joined(cls, tables: Sequence[ConceptTable]) -> ConceptTable:
        """Return one table with the concepts of several."""
        # Sums of int32 and Python's integers stay int32.
        sizes = [len(table.concepts) for table in tables[:-1]]
        shifts = [0, *np.cumsum(sizes).tolist()]
        return cls(
            tuple(chain.from_iterable(table.concepts for table in tables)),
            np.concatenate([table.weights for table in tables]),
            np.concatenate([table.passage_indices for table in tables]),
            np.concatenate(
                [t.concept_indices + s for t, s in zip(tables, shifts, strict=True)]
            ),
            None
            if all(table.is_shown is None for table in tables)
            else np.concatenate([table.shown for table in tables]),
        )

    def restricted_to(self, is_kept: Flags) -> ConceptTable:
        """Return the table of the kept concepts only."""
        new_index = np.cumsum(is_kept, dtype=np.int32) - 1
        of_kept = is_kept[self.concept_indices]
        return ConceptTable(
            tuple(self.concepts[k] for k in np.flatnonzero(is_kept).tolist()),
            self.weights[is_kept],
            self.passage_indices[of_kept],
            new_index[self.concept_indices[of_kept]],
            None if self.is_shown is None else self.is_shown[is_kept],
        )

    def part(self, share: float, is_kept: Flags) -> ConceptTable:
        """Return the table with a share of all weights, and some of the pairs only."""
        return replace(
            self,
            weights=share * self.weights,
            passage_indices=self.passage_indices[is_kept],
            concept_indices=self.concept_indices[is_kept],
        )

    def names(self, spellings: Mapping[str, str] | None = None) -> list[str]:
        """Names of the concepts to show, such as ``prime minister``.

        Parameters
        ----------
        spellings
            The word to show for each term. Default: the terms themselves.
        """
        words = {} if spellings is None else spellings
        return [" ".join(words.get(t, t) for t in terms) for terms in self.terms()]

    def terms(self, *, without: frozenset[str] = frozenset()) -> list[tuple[str, ...]]:
        """Terms of each concept, such as ``("prime", "minister")``.

        Parameters
        ----------
        without
            Terms that are left out, unless nothing else is left.
        """
        found = []
        for concept in self.concepts:
            given = concept if isinstance(concept, tuple) else (concept,)
            terms = tuple(map(str, given))
            if without:
                terms = tuple(term for term in terms if term not in without) or terms
            found.append(terms)
        return found


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Every occurrence of every concept in the passages.

    The two arrays of indices are parallel, with one entry per occurrence.

    >>> from thatch.text.documents.document import Document
    >>> texts = "Snow on snow. Rain.", "Snow again."
    >>> passages = Passages.of([Document.from_text(text) for text in texts])
    >>> found = Occurrences.of([["snow", "snow"], ["rain"], ["snow"]], passages)
    >>> found.concepts, found.counts, found.num_documents
    (('snow', 'rain'), array([3, 1]), array([2, 1]))
    """

    #: The passages.
    source: Passages
    #: The concepts, in the order of their first occurrence.
    concepts: Sequence[Hashable]
    #: int64, shape (num_occurrences,): in the order of the text.
    passage_indices: Ints
    #: int64, shape (num_occurrences,).
    concept_indices: Ints

    @classmethod
    def of(
        cls, concepts_of_each: Iterable[Sequence[Hashable]], source: Passages
    ) -> Occurrences:
        """Count occurrences, given the concepts of each passage with repetitions."""
        lists = list(concepts_of_each)
        index_of = {
            concept: k
            for k, concept in enumerate(dict.fromkeys(chain.from_iterable(lists)))
        }
        lengths = np.array([len(found) for found in lists], dtype=np.int64)
        indices = map(index_of.__getitem__, chain.from_iterable(lists))
        return cls(
            source,
            tuple(index_of),
            np.repeat(np.arange(len(lists)), lengths),
            np.fromiter(indices, np.int64, int(lengths.sum())),
        )

    def neighbors(self) -> Occurrences:
        """Occurrences of pairs: two adjacent concepts of a passage.

        >>> from thatch.text.documents.document import Document
        >>> passages = Passages.of([Document.from_text("Snow on snow. Rain.")])
        >>> words = Occurrences.of([["snow", "on", "snow"], ["rain"]], passages)
        >>> list(words.neighbors().concepts)
        [('snow', 'on'), ('on', 'snow')]
        """
        is_together = self.passage_indices[1:] == self.passage_indices[:-1]
        codes = (
            self.concept_indices[:-1] * len(self.concepts) + self.concept_indices[1:]
        )[is_together]
        known, first, found = np.unique(codes, return_index=True, return_inverse=True)
        # In the order of their first occurrence, like any concepts.
        order = np.argsort(first)
        index_of = np.empty_like(order)
        index_of[order] = np.arange(order.size)
        ends = np.divmod(known[order], self._num_codes)
        each = (map(self.concepts.__getitem__, end.tolist()) for end in ends)
        return Occurrences(
            self.source,
            tuple(zip(*each, strict=True)),
            self.passage_indices[1:][is_together],
            index_of[found],
        )

    def restricted_to(self, is_kept: Flags) -> Occurrences:
        """Occurrences of the kept concepts only."""
        new_index = np.cumsum(is_kept) - 1
        of_kept = is_kept[self.concept_indices]
        return Occurrences(
            self.source,
            tuple(self.concepts[k] for k in np.flatnonzero(is_kept).tolist()),
            self.passage_indices[of_kept],
            new_index[self.concept_indices[of_kept]],
        )

    @property
    def counts(self) -> Ints:
        """Number of occurrences of each concept."""
        return np.bincount(self.concept_indices, minlength=len(self.concepts))

    @property
    def num_documents(self) -> Ints:
        """Number of documents in which each concept occurs."""
        return self._counted(self._in_documents[0])

    @property
    def num_first_passages(self) -> Ints:
        """Number of documents whose first passage contains each concept."""
        is_first = np.array([p.position == 0 for p in self.source.all], dtype=float)
        return self.summed_over_documents(is_first).astype(np.int64)

    def summed_over_documents(self, scores: Floats) -> Floats:
        """Sum over documents of the score of the first passage with each concept.

        Parameters
        ----------
        scores
            One score per passage.
        """
        concepts, passages = self._in_documents
        return sums_by(concepts, scores[passages], len(self.concepts))

    @property
    def num_passages(self) -> Ints:
        """Number of passages in which each concept occurs."""
        return self._counted(self._in_passages % self._num_codes)

    def is_among(self, terms: frozenset[str]) -> Flags:
        """Whether each concept is among the terms; of a pair, both must be."""
        return np.array(
            [
                terms.issuperset(concept if isinstance(concept, tuple) else (concept,))
                for concept in self.concepts
            ],
            dtype=np.bool_,
        )

    def table(self, weights: Floats, *, is_shown: Flags | None = None) -> ConceptTable:
        """The concepts with their weights, and the passages that contain them."""
        codes, num_codes = self._in_passages, self._num_codes
        return ConceptTable(
            tuple(self.concepts),
            weights,
            (codes // num_codes).astype(np.int32),
            (codes % num_codes).astype(np.int32),
            is_shown,
        )

    @cached_property
    def _in_passages(self) -> Ints:
        """One code per passage and concept that it contains, ascending."""
        pairs = np.sort(self._pairs(self.passage_indices))
        # NumPy's unique uses a hash table, which is slower on nearly sorted arrays.
        return pairs[np.diff(pairs, prepend=-1) > 0]

    @cached_property
    def _in_documents(self) -> tuple[Ints, Ints]:
        """Per document and concept in it: the concept, and its first passage."""
        documents = np.array([p.document for p in self.source.all], dtype=np.int64)
        # In the order of the text, the first occurrence in a document is the earliest.
        pairs, first = np.unique(
            self._pairs(documents[self.passage_indices]), return_index=True
        )
        return pairs % self._num_codes, self.passage_indices[first]

    @property
    def _num_codes(self) -> int:
        return max(len(self.concepts), 1)

    def _pairs(self, groups: Ints) -> Ints:
        """One code per occurrence, for its group and its concept."""
        return groups * self._num_codes + self.concept_indices

    def _counted(self, concepts: Ints) -> Ints:
        return np.bincount(concepts, minlength=len(self.concepts))
