"""Known concepts: what earlier documents have said counts for nothing in a summary."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from thatch.arrays import Floats
from thatch.errors import FileFormatError
from thatch.files.atomic_writes import atomic_write
from thatch.files.reading import read_bytes
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.concepts.salience import UNIQUE_WORDS
from thatch.text.concepts.schemes import Concepts, CustomConcepts
from thatch.text.documents.document import Document
from thatch.text.passages.passages import Passages

_FORMAT, _VERSION = "thatch known concepts", 1


@dataclass(frozen=True)
class KnownConcepts:
    """The concepts that readers know already, from documents they have read.

    >>> known = KnownConcepts.of([Document("Snow fell in the north.")])
    >>> "snow" in known.concepts, ("snow", "fell") in known.concepts
    (True, True)
    """

    #: Words and pairs of words as terms, or the values of an own concept scheme.
    concepts: frozenset[Hashable] = frozenset()

    @classmethod
    def of(
        cls,
        documents: Sequence[Document],
        *,
        language: str | None = None,
        concepts: Concepts | None = None,
    ) -> KnownConcepts:
        """Return what documents say.

        Parameters
        ----------
        documents
            The documents that were read.
        language
            Their language code. Default: guessed for each of them.
        concepts
            The concept scheme. Default: any scheme of words and pairs of words.
        """
        passages = Passages.of(documents, language=language)
        if isinstance(concepts, CustomConcepts):
            return cls(
                frozenset(
                    chain.from_iterable(map(concepts.concepts_of, passages.contents))
                )
            )
        words: set[Hashable] = set(chain.from_iterable(passages.terms))
        return cls(frozenset(words.union(*map(pairwise, passages.terms))))

    def __or__(self, other: KnownConcepts) -> KnownConcepts:
        """Return what either of them contains."""
        return KnownConcepts(self.concepts | other.concepts)

    def without(self, table: ConceptTable, passages: Passages) -> ConceptTable:
        """Return the table of the passages without known concepts."""
        is_known = np.array([c in self.concepts for c in table.concepts], dtype=bool)
        # One concept stands for several words: it is known if all of them are.
        is_several = np.array([c == UNIQUE_WORDS for c in table.concepts], dtype=bool)
        pairs = np.flatnonzero(is_several[table.concept_indices])
        for a, p in zip(
            table.concept_indices[pairs], table.passage_indices[pairs], strict=True
        ):
            is_known[a] = self.concepts.issuperset(passages.terms[p])
        return table.restricted_to(~is_known)


def nothing_new(
    before: ConceptTable, table: ConceptTable, passages: Passages
) -> dict[int, str]:
    """Passages that say next to nothing new, each with that reason.

    `before` has all concepts of the passages, and `table` the new ones.
    """
    all_weights, new = (_weights_of(each, len(passages)) for each in (before, table))
    # Passages of which less than this share of the weight is new only fill up a budget.
    is_old = new <= 0.05 * all_weights
    return dict.fromkeys(np.flatnonzero(is_old).tolist(), "nothing new")


def _weights_of(table: ConceptTable, num_passages: int) -> Floats:
    weights = table.weights[table.concept_indices]
    return np.bincount(
        table.passage_indices, weights=weights, minlength=num_passages
    ).astype(np.float64)


def write_known(known: KnownConcepts, path: str | Path) -> None:
    """Save known concepts as JSON, by an atomic write: words and pairs of words.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "read.json"
    >>> write_known(KnownConcepts(frozenset({"snow", ("snow", "fell")})), path)
    >>> sorted(read_known(path).concepts, key=len)
    [('snow', 'fell'), 'snow']
    """
    words = sorted(c for c in known.concepts if isinstance(c, str))
    pairs = sorted(c for c in known.concepts if isinstance(c, tuple))
    values = {"format": _FORMAT, "version": _VERSION, "words": words, "pairs": pairs}
    with atomic_write(path) as draft:
        draft.write_text(json.dumps(values, ensure_ascii=False), encoding="utf-8")


def read_known(path: str | Path) -> KnownConcepts:
    """Read known concepts that `write_known` saved.

    Raises
    ------
    FileFormatError
        If the file contains something else.
    InputError
        If the file cannot be read.
    """
    content = read_bytes(Path(path))
    try:
        values = json.loads(content)
        if (values["format"], values["version"]) != (_FORMAT, _VERSION):
            raise ValueError
        pairs = (tuple(_texts(pair)) for pair in values["pairs"])
        return KnownConcepts(frozenset(chain(_texts(values["words"]), pairs)))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FileFormatError(
            path,
            "the file does not contain known concepts.",
            hint="Name the file that was written after an earlier summary.",
        ) from error


def _texts(values: Iterable[object]) -> list[str]:
    texts = [value for value in values if isinstance(value, str)]
    if not isinstance(values, list) or len(texts) < len(values):
        raise TypeError
    return texts
