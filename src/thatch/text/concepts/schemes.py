"""Concepts: what a passage says, and what that is worth.

A set of concepts is any object with ``weigh(passages)``; the ones here are records of
settings.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from thatch.arrays import Floats
from thatch.errors import InputError, InputTypeError
from thatch.text.concepts.background import Background
from thatch.text.concepts.occurrences import ConceptTable, Occurrences
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import Passages

__all__ = ["Bigrams", "Concepts", "CustomConcepts", "TfIdf"]

# The paper's bonus for the words of a document's first sentence.
_FIRST_SENTENCE_BONUS = 1.5
# With fewer documents, how many hold a concept says little: sentences are counted.
_FEW_DOCUMENTS = 3


class Concepts(Protocol):
    """Anything that can say which passage holds which concept, and the weights."""

    def weigh(self, passages: Passages) -> ConceptTable:
        """Concepts of the passages, with their weights."""


@dataclass(frozen=True)
class TfIdf:
    """The paper's words: TF-IDF, and half as much again in a first passage.

    The weight of a term is its share of the text's words, times
    ln((1 + documents) / documents that hold it), over the background and the text.
    Ten documents on one subject cannot say which words are rare: without a background,
    sentences are counted instead of documents.

    >>> from thatch.text.documents.document import Document
    >>> passages = Passages.of([Document.from_text("Snow fell. More snow came.")])
    >>> table = TfIdf().weigh(passages)
    >>> dict(zip(table.names(), table.weights.round(2).tolist(), strict=True))
    {'snow': 0.24, 'fell': 0.33, 'more': 0.22, 'came': 0.22}
    """

    remove_stop_words: bool = False
    #: Documents that say which terms are rare.
    background: Background = Background()

    def weigh(self, passages: Passages) -> ConceptTable:
        """Terms of the passages, with their weights."""
        terms = Terms(passages.language)
        found = Occurrences.of(terms.of_each(p.text for p in passages), passages)
        if self.remove_stop_words:
            if not terms.stop_terms():
                raise InputError(
                    "stop words must be known to be removed, got the language "
                    f"{passages.language!r} without any.",
                    hint="Keep them, or pass concepts of your own.",
                )
            found = found.narrowed(~found.is_among(terms.stop_terms()))
        frequencies = found.counts / max(found.found.size, 1)
        bonus = np.where(found.num_first_passages > 0, _FIRST_SENTENCE_BONUS, 1.0)
        return found.table(frequencies * self._rarities(found) * bonus)

    def _rarities(self, found: Occurrences) -> Floats:
        background = self.background
        if background.num_documents == 0:
            num_holders, num_all = found.num_passages, len(found.source)
        else:
            elsewhere = [background.counts.get(str(c), 0) for c in found.concepts]
            num_holders = found.num_documents + np.array(elsewhere, dtype=np.int64)
            num_all = background.num_documents + len(found.source.documents)
        # One more than there are, so that no term is worth nothing.
        return np.log((1 + num_all) / num_holders)


@dataclass(frozen=True)
class Bigrams:
    """Neighbouring terms, not both stop words, by how many documents hold them.

    Where there are fewer than three documents, sentences are counted instead.

    >>> from thatch.text.documents.document import Document
    >>> texts = ["The king left.", "Did the king leave?", "The king has left."]
    >>> passages = Passages.of([Document.from_text(text) for text in texts])
    >>> table = Bigrams().weigh(passages)
    >>> table.names(), table.weights
    (['the king'], array([3.]))
    """

    #: Pairs that fewer documents hold are left out.
    min_documents: int = 3

    def __post_init__(self) -> None:
        if self.min_documents < 1:
            raise InputError(
                f"min_documents must be >= 1, got {self.min_documents}.",
                hint="With 1, every pair counts.",
            )

    def weigh(self, passages: Passages) -> ConceptTable:
        """Pairs of terms of the passages, with their weights."""
        terms = Terms(passages.language)
        texts = (p.text for p in passages)
        found = Occurrences.of(terms.of_each(texts), passages).neighbours()
        num_documents = len(passages.documents)
        if num_documents >= _FEW_DOCUMENTS:
            holders, least = found.num_documents, min(self.min_documents, num_documents)
        else:
            holders, least = found.num_passages, 1
        is_held = holders >= least
        shared = found.narrowed(is_held)
        is_kept = ~shared.is_among(terms.stop_terms())
        weights = holders[is_held][is_kept].astype(np.float64)
        return shared.narrowed(is_kept).table(weights)


@dataclass(frozen=True)
class CustomConcepts:
    """Concepts and weights by functions of the caller's.

    >>> from thatch.text.documents.document import Document
    >>> passages = Passages.of([Document.from_text("Room 101 costs 80. No more.")])
    >>> numbers = CustomConcepts(
    ...     lambda text: [w for w in text.split() if w[0].isdigit()]
    ... )
    >>> table = numbers.weigh(passages)
    >>> table.names(), table.weights
    (['101', '80.'], array([1., 1.]))
    """

    #: What a text says: anything that can be told apart.
    concepts_of: Callable[[str], Iterable[Hashable]]
    #: Weight of each concept; by how many documents hold it, unless given.
    weights: Callable[[Hashable], float] | Mapping[Hashable, float] | None = None

    def weigh(self, passages: Passages) -> ConceptTable:
        """Concepts of the passages, with their weights."""
        lists = [_listed(self.concepts_of(p.text)) for p in passages]
        try:
            found = Occurrences.of(lists, passages)
            weights = self._weights(found)
        except (TypeError, ValueError) as error:
            raise InputTypeError(
                f"concepts must be hashable and weights numbers, got {error}.",
                hint="A tuple can stand for a list.",
            ) from error
        bad = ~(np.isfinite(weights) & (weights >= 0))
        if bad.any():
            k = int(np.flatnonzero(bad)[0])
            raise InputError(
                f"weights must be finite and >= 0, got {weights[k]} "
                f"for the concept {found.concepts[k]!r}.",
                hint="Give it 0 to leave it out.",
            )
        return found.narrowed(weights > 0).table(weights[weights > 0])

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
        f"concepts of a text must be a list or the like, got {concepts!r}.",
        hint="Return an empty one where there are none.",
    )
