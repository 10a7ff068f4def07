"""Concept schemes: TF-IDF, bigrams, and a caller's own concepts.

A concept scheme is any object with a method ``weigh(passages)``.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError, InputTypeError
from thatch.options import require_integer
from thatch.text.concepts.background import Background
from thatch.text.concepts.occurrences import ConceptTable, Occurrences
from thatch.text.language.languages import stop_words
from thatch.text.passages.passages import Passages


class Concepts(Protocol):
    """A concept scheme: determines the concepts of passages, and their weights."""

    def weigh(self, passages: Passages) -> ConceptTable:
        """Return the concepts of the passages, with their weights."""


@dataclass(frozen=True)
class TfIdf:
    """The paper's concepts: words weighted by TF-IDF.

    The weight of a term is its share of the text's words, times
    ln((1 + documents) / documents that contain it) over the background and the text,
    times 1.5 if the first passage of a document contains it. Without a background,
    sentences are counted instead of documents, because a few documents on one subject
    do not show which words are rare.

    >>> from thatch.text.documents.document import Document
    >>> passages = Passages.of([Document.from_text("Snow fell. More snow came.")])
    >>> table = TfIdf().weigh(passages)
    >>> dict(zip(table.names(), table.weights.round(2).tolist(), strict=True))
    {'snow': 0.24, 'fell': 0.33, 'more': 0.22, 'came': 0.22}
    """

    #: Whether stop words are ignored.
    remove_stop_words: bool = False
    #: Document frequencies, which show which terms are rare.
    background: Background = Background()

    def weigh(self, passages: Passages) -> ConceptTable:
        """Return the terms of the passages, with their weights."""
        found = Occurrences.of(passages.terms, passages)
        if self.remove_stop_words:
            for language in passages.languages:
                if not stop_words(language):
                    raise InputError(
                        "remove_stop_words is not supported for the language "
                        f"{language!r}: its stop words are not known.",
                        hint="Keep stop words, or pass your own concepts.",
                    )
            found = found.restricted_to(~found.is_among(passages.stop_terms))
        frequencies = found.counts / max(found.concept_indices.size, 1)
        # The paper's factor for words of a document's first sentence.
        bonus = np.where(found.num_first_passages > 0, 1.5, 1.0)
        is_shown = ~found.is_among(passages.stop_terms)
        return found.table(
            frequencies * self._rarities(found) * bonus, is_shown=is_shown
        )

    def _rarities(self, found: Occurrences) -> Floats:
        background = self.background
        if background.num_documents == 0:
            frequencies, num_all = found.num_passages, len(found.source)
        else:
            others = [background.counts.get(str(c), 0) for c in found.concepts]
            frequencies = found.num_documents + np.array(others, dtype=np.int64)
            num_all = background.num_documents + len(found.source.documents)
        # 1 is added so that a term of all documents does not weigh 0.
        return np.log((1 + num_all) / frequencies)


@dataclass(frozen=True)
class Bigrams:
    """Pairs of adjacent terms, weighted by the number of documents that contain them.

    Pairs of two stop words are ignored. If there are fewer than three documents,
    sentences are counted instead of documents.

    >>> from thatch.text.documents.document import Document
    >>> texts = ["The king left.", "Did the king leave?", "The king has left."]
    >>> passages = Passages.of([Document.from_text(text) for text in texts])
    >>> table = Bigrams().weigh(passages)
    >>> table.names(), table.weights
    (['the king'], array([3.]))
    """

    #: Pairs in fewer documents are ignored.
    min_documents: int = 3

    def __post_init__(self) -> None:
        hint = "Pass 1 to count every pair."
        require_integer("min_documents", self.min_documents, least=1, hint=hint)

    def weigh(self, passages: Passages) -> ConceptTable:
        """Return the pairs of terms of the passages, with their weights."""
        found = Occurrences.of(passages.terms, passages).neighbors()
        num_documents = len(passages.documents)
        # With fewer documents, document frequencies say little.
        if num_documents >= 3:
            counts, min_count = (
                found.num_documents,
                min(self.min_documents, num_documents),
            )
        else:
            counts, min_count = found.num_passages, 1
        is_shared = counts >= min_count
        shared = found.restricted_to(is_shared)
        is_kept = ~shared.is_among(passages.stop_terms)
        weights = counts[is_shared][is_kept].astype(np.float64)
        return shared.restricted_to(is_kept).table(weights)


@dataclass(frozen=True)
class CustomConcepts:
    """Concepts and weights from the caller's own functions.

    >>> from thatch.text.documents.document import Document
    >>> passages = Passages.of([Document.from_text("Room 101 costs 80. No more.")])
    >>> numbers = CustomConcepts(
    ...     lambda text: [w for w in text.split() if w[0].isdigit()]
    ... )
    >>> table = numbers.weigh(passages)
    >>> table.names(), table.weights
    (['101', '80.'], array([1., 1.]))
    """

    #: Returns the concepts of a text: any hashable values.
    concepts_of: Callable[[str], Iterable[Hashable]]
    #: Weight of each concept. Default: the number of documents that contain it.
    weights: Callable[[Hashable], float] | Mapping[Hashable, float] | None = None

    def weigh(self, passages: Passages) -> ConceptTable:
        """Return the concepts of the passages, with their weights."""
        lists = [_listed(self.concepts_of(text)) for text in passages.contents]
        try:
            found = Occurrences.of(lists, passages)
            weights = self._weights(found)
        except (TypeError, ValueError) as error:
            raise InputTypeError(
                f"concepts must be hashable and weights must be numbers: {error}.",
                hint="Return tuples instead of lists, for example.",
            ) from error
        bad = ~(np.isfinite(weights) & (weights >= 0))
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"weights[{found.concepts[k]!r}] is {weights[k]}; weights must be "
                "finite and non-negative.",
                hint="Use 0 to ignore a concept.",
            )
        return found.restricted_to(weights > 0).table(weights[weights > 0])

    def _weights(self, found: Occurrences) -> Floats:
        if self.weights is None:
            return found.num_documents.astype(float)
        if isinstance(self.weights, Mapping):
            given = [self.weights.get(concept, 0.0) for concept in found.concepts]
        else:
            given = [self.weights(concept) for concept in found.concepts]
        return np.array(given, dtype=float)


def _listed(concepts: object) -> list[Hashable]:
    if isinstance(concepts, Iterable):
        return list(concepts)
    raise InputTypeError(
        f"concepts_of returned {concepts!r}; an iterable was expected.",
        hint="Return an empty list if a text has no concepts.",
    )
