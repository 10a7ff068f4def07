"""Packing chunks of files: the best of them, printed file by file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from thatch.arrays import Floats, Ints, distinct
from thatch.context.packing.preselection import beginnings_of, in_words, match_scores
from thatch.context.packing.rendering import FileRendering, Place
from thatch.context.repository.code_chunks import FileChunk
from thatch.context.repository.file_kinds import suffix_of
from thatch.context.repository.priors import prior
from thatch.context.selection.chunks import required_of
from thatch.context.selection.context import Context, DroppedChunk, DropReason
from thatch.context.selection.rendering import ContextFormat, Order
from thatch.context.selection.selecting import select
from thatch.errors import InputError
from thatch.options import require_choice, require_integer
from thatch.text.choices import unit_of
from thatch.text.costs.units import Unit
from thatch.text.language.words import words_of
from thatch.text.task import checked_budget

# Of a large repository, the chunks that match best are looked at: at least this many,
# and this many characters per token of the budget.
_MIN_CHUNKS, _CHARACTERS_PER_TOKEN = 1_000, 80
# Words that capitals are in, which are no words of the query by themselves.
_COMPOUND = re.compile(r"[A-Za-z]+[a-z][A-Z][A-Za-z]*|[A-Z]{2,}[a-z][A-Za-z]*")


@dataclass(frozen=True, eq=False)
class PackedChunks:
    """Chunks of files that were selected, and how they are printed."""

    context: Context[FileChunk]
    rendering: FileRendering
    #: What the selection would be if nothing had to be included or excluded.
    unconstrained: Context[Any]


@dataclass(frozen=True)
class ChunkPacking:
    """How chunks of files become a prompt: the checked arguments of `pack`."""

    budget: float
    unit: Unit
    query: str | None
    format: ContextFormat
    order: Order
    per_file: int | None
    max_seconds: float

    @classmethod
    def of(
        cls,
        budget: float,
        unit: Unit | str | Any = "tokens",
        *,
        query: str | None = None,
        format: ContextFormat | str = ContextFormat.XML,
        order: Order | str = Order.SOURCE,
        per_file: int | None = None,
        max_seconds: float = 2.0,
    ) -> ChunkPacking:
        """Check the arguments, which are those of `pack`."""
        budget, unit = checked_budget(budget), unit_of(unit, default="tokens")
        kind = require_choice("format", format, list(ContextFormat), default="xml")
        wanted = require_choice("order", order, list(Order), default="source")
        if per_file is not None:
            require_integer("per_file", per_file, least=1, hint="Omit it for no limit.")
        if query is not None and not words_of(query):
            raise InputError(
                f"query {query!r} contains no words.", hint="Omit the query."
            )
        return cls(
            budget,
            unit,
            query,
            ContextFormat(kind),
            Order(wanted),
            per_file,
            max_seconds,
        )

    def packed(
        self,
        chunks: Sequence[FileChunk],
        *,
        must_include: Sequence[int] = (),
        must_exclude: Sequence[int] = (),
    ) -> PackedChunks:
        """Select from chunks; those of a file follow each other."""
        required_of(chunks, must_include)
        required_of(chunks, must_exclude, name="must_exclude")
        numbered = _numbered(chunks)
        scores = _scores(chunks, self.query)
        decided = [*must_include, *must_exclude]
        kept = _kept(numbered, scores, self.budget, decided)
        beginnings = () if self.query is None else beginnings_of(self.query)
        labels = _Labels(numbered, beginnings)
        rendering = numbered.rendering(self.format)
        paths = [chunks[k].path for k in kept.tolist()]
        answer = partial(
            select,
            [labels.of(k) for k in kept.tolist()],
            self.budget,
            query=self.query,
            scores=scores[kept] if self.query is None else None,
            unit=self.unit,
            group=None if self.per_file is None else paths,
            per_group=self.per_file,
            order=self.order,
            format=rendering,
            max_seconds=self.max_seconds,
        )
        context = unconstrained = answer()
        if decided:
            context = answer(
                must_include=np.searchsorted(kept, numbered.first_of(must_include)),
                must_exclude=np.searchsorted(kept, numbered.first_of(must_exclude)),
            )
        return PackedChunks(_with_all(context, chunks, kept), rendering, unconstrained)


@dataclass(frozen=True)
class _Numbered:
    """Chunks with their numbers in their files."""

    chunks: Sequence[FileChunk]
    places: Sequence[Place]
    #: Chunks whose text is nowhere else in the file before them.
    distinct: Ints

    def first_of(self, indices: Sequence[int]) -> Ints:
        """For each of some chunks, the first one in its file with the same text."""
        first = {
            (self.chunks[k].path, self.chunks[k].text): k
            for k in self.distinct.tolist()
        }
        found = [first[self.chunks[k].path, self.chunks[k].text] for k in indices]
        return np.array(found, dtype=np.int64)

    def rendering(self, format: ContextFormat) -> FileRendering:
        num_chunks: dict[str, int] = {}
        for chunk, place in zip(self.chunks, self.places, strict=True):
            num_chunks[chunk.path] = place.number + 1
        places = {
            (self.chunks[k].path, self.chunks[k].text): self.places[k]
            for k in self.distinct.tolist()
        }
        return FileRendering(format, places=places, num_chunks=num_chunks)


@dataclass(frozen=True, slots=True)
class _LabeledChunk:
    """A chunk with the fields that `select` reads."""

    text: str
    source: str
    #: Words that count as if they were in the text.
    title: str
    #: Number in its file: chunks next to each other share their relevance.
    chunk_index: int


@dataclass(frozen=True)
class _Labels:
    """Words of paths and names, which tell what chunks are about."""

    numbered: _Numbered
    #: Beginnings of the words of the query; they are looked for within words.
    beginnings: Sequence[str] = ()

    def of(self, k: int) -> _LabeledChunk:
        chunk, place = self.numbered.chunks[k], self.numbered.places[k]
        # Files are not alike because they have the same suffix.
        suffix = suffix_of(chunk.path.rpartition("/")[2])
        stem = chunk.path[: len(chunk.path) - len(suffix)]
        names = [stem, chunk.name, *self._compounds(chunk.text)]
        title = in_words(" ".join(names))
        return _LabeledChunk(chunk.text, chunk.path, title, place.number)

    def _compounds(self, text: str) -> list[str]:
        """Words such as ``readFile`` that contain words of the query."""
        if not self.beginnings:
            return []
        found = dict.fromkeys(_COMPOUND.findall(text))
        is_asked = (
            word for word in found if any(b in word.lower() for b in self.beginnings)
        )
        # More of them are hardly what the query means.
        return list(is_asked)[:20]


def _numbered(chunks: Sequence[FileChunk]) -> _Numbered:
    places, first = [], []
    path, number, texts = "", 0, set[str]()
    for k, chunk in enumerate(chunks):
        if chunk.path != path:
            path, number, texts = chunk.path, 0, set()
        place = Place(
            number, chunk.start_line, chunk.end_line, chunk.name, chunk.enclosing
        )
        places.append(place)
        if chunk.text not in texts:
            first.append(k)
        texts.add(chunk.text)
        number += 1
    return _Numbered(chunks, places, np.array(first, dtype=np.int64))


def _scores(chunks: Sequence[FileChunk], query: str | None) -> Floats:
    if query is None:
        return np.array([prior(chunk) for chunk in chunks], dtype=np.float64)
    return match_scores(chunks, query)


def _kept(
    numbered: _Numbered, scores: Floats, budget: float, decided: Sequence[int]
) -> Ints:
    """The chunks decided on and the best, as many as `select` could need; ascending."""
    first = numbered.distinct
    ranked = first[np.argsort(-scores[first], kind="stable")]
    sizes = [len(numbered.chunks[k].text) for k in ranked.tolist()]
    needed = int(np.searchsorted(np.cumsum(sizes), _CHARACTERS_PER_TOKEN * budget)) + 1
    best = ranked[: max(needed, _MIN_CHUNKS)]
    return distinct(np.concatenate([best, numbered.first_of(decided)]))


def _with_all(
    context: Context[Any], chunks: Sequence[FileChunk], kept: Ints
) -> Context[FileChunk]:
    """The answer for all chunks, with their indices among all of them."""
    numbers = kept.tolist()
    selected = [
        replace(each, chunk=chunks[numbers[each.index]], index=numbers[each.index])
        for each in context.chunks
    ]
    dropped = {
        numbers[each.index]: replace(
            each,
            chunk=chunks[numbers[each.index]],
            index=numbers[each.index],
            redundant_with=(
                None if each.redundant_with is None else numbers[each.redundant_with]
            ),
        )
        for each in context.dropped
    }
    taken = {each.index for each in selected}
    others = (
        dropped.get(k) or DroppedChunk(chunk, k, 0.0, DropReason.LOW_RELEVANCE)
        for k, chunk in enumerate(chunks)
        if k not in taken
    )
    return replace(context, chunks=selected, dropped=list(others))
