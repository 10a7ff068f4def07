"""Known concepts: what earlier documents have said counts less in a summary."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path

import numpy as np

from thatch.errors import FileFormatError
from thatch.files.atomic_writes import atomic_write, locked_folder
from thatch.files.reading import read_bytes
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.concepts.schemes import Concepts, CustomConcepts
from thatch.text.documents.document import Document
from thatch.text.passages.passages import Passages

#: Why a passage that only repeats what is known is left out.
NOTHING_NEW = "nothing new"

_FORMAT, _VERSION = "thatch known concepts", 1
# What is known keeps this share of its weight: docs/decisions/text.md has the figures.
_KNOWN_SHARE = 0.3
# A sentence with at most this share of new pairs repeats another one.
_MAX_NEW_SHARE = 0.05


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

    def discounted(self, table: ConceptTable) -> ConceptTable:
        """Return a table in which what is known weighs less.

        News about something known uses its words again. So if there are pairs of words,
        known pairs weigh less, but single words weigh what they did.
        """
        is_pair = np.array([isinstance(c, tuple) for c in table.concepts], dtype=bool)
        is_known = np.array([c in self.concepts for c in table.concepts], dtype=bool)
        is_old = is_known & is_pair if is_pair.any() else is_known
        share = np.where(is_old, _KNOWN_SHARE, 1.0)
        return replace(table, weights=share * table.weights)

    def old_passages(self, passages: Passages, concepts: Concepts) -> dict[int, str]:
        """Passages that say nothing new, each with that reason.

        A sentence of known words is new if it puts them together in a new way: what
        counts are pairs of words, or the concepts of an own scheme.
        """
        units: Iterable[Iterable[Hashable]]
        if isinstance(concepts, CustomConcepts):
            units = map(concepts.concepts_of, passages.contents)
        else:
            units = ([*pairwise(terms)] or terms for terms in passages.terms)
        return {p: NOTHING_NEW for p, each in enumerate(units) if self._has(each)}

    def _has(self, concepts: Iterable[Hashable]) -> bool:
        is_new = [concept not in self.concepts for concept in concepts]
        return sum(is_new) <= _MAX_NEW_SHARE * len(is_new)


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


def add_known(known: KnownConcepts, path: str | Path) -> None:
    """Add known concepts to those that a file has, if it exists.

    Several commands may do so at once: none loses what another one wrote. On Windows,
    which cannot lock a folder, they must do so one after the other.
    """
    with locked_folder(Path(path).resolve().parent):
        if Path(path).exists():
            known |= read_known(path)
        write_known(known, path)


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
