"""Packing chunks of files: the best of them, printed file by file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np

from thatch.arrays import Flags, Floats, Ints, distinct
from thatch.context.packing.code_ranking import code_scores
from thatch.context.packing.focus import Focus, focus_of, in_focus
from thatch.context.packing.preselection import beginnings_of, match_scores
from thatch.context.packing.rendering import FileRendering, Place
from thatch.context.packing.signatures import signatures
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
from thatch.text.language.identifiers import in_words
from thatch.text.language.words import words_of
from thatch.text.task import checked_budget

# Of a large repository, the chunks that match best are looked at: at least this many,
# and this many characters per token of the budget.
_MIN_CHUNKS, _CHARACTERS_PER_TOKEN = 1_000, 80
# The share of the budget that is kept for signatures of code that does not fit, and how
# many signatures there are at most.
_SIGNATURES_SHARE, _MAX_SIGNATURES = 0.15, 100
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
    #: Which files to choose from. Default: the query decides.
    focus: Focus | None = None

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
        focus: Focus | str | None = None,
        max_seconds: float = 2.0,
    ) -> ChunkPacking:
        """Check the arguments, which are those of `pack`."""
        budget, unit = checked_budget(budget), unit_of(unit, default="tokens")
        kind = require_choice("format", format, list(ContextFormat), default="xml")
        wanted = require_choice("order", order, list(Order), default="source")
        if focus is not None:
            focus = Focus(require_choice("focus", focus, list(Focus), default="all"))
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
            focus,
        )

    def focus_among(self, paths: Sequence[str]) -> Focus:
        """The focus that was given, or the one that the query has among some files."""
        return self.focus or focus_of(self.query, paths)

    def packed(
        self,
        chunks: Sequence[FileChunk],
        *,
        must_include: Sequence[int] = (),
        must_exclude: Sequence[int] = (),
        are_in_focus: bool = False,
    ) -> PackedChunks:
        """Select from chunks; those of a file follow each other.

        If they `are_in_focus` already, all of them may be selected.
        """
        required_of(chunks, must_include)
        required_of(chunks, must_exclude, name="must_exclude")
        paths = [chunk.path for chunk in chunks]
        focus = self.focus_among(paths)
        ranked = self._ranked(chunks, Focus.ALL if are_in_focus else focus, focus)
        if self.focus is None and not ranked.may_be.any():
            # Nothing in the focus matches, so the question is about other files.
            ranked = self._ranked(chunks, Focus.ALL, Focus.ALL)
        unconstrained = answer = ranked.answer([], [])
        if must_include or must_exclude:
            answer = ranked.answer(must_include, must_exclude)
        return PackedChunks(*answer, unconstrained[0])

    def _ranked(
        self, chunks: Sequence[FileChunk], admitted: Focus, focus: Focus
    ) -> _RankedChunks:
        """The chunks of admitted files, ranked for a focus."""
        may_be = in_focus([chunk.path for chunk in chunks], admitted, self.query)
        if self.query is None or not focus.is_code:
            return _RankedChunks(self, chunks, _scores(chunks, self.query), may_be)
        scores, inside = np.zeros(len(chunks)), np.flatnonzero(may_be)
        scores[inside] = code_scores([chunks[k] for k in inside.tolist()], self.query)
        return _RankedChunks(self, chunks, scores, may_be & (scores > 0), is_code=True)


@dataclass(frozen=True, eq=False)
class _RankedChunks:
    """Chunks with their scores, and which of them may be selected."""

    packing: ChunkPacking
    chunks: Sequence[FileChunk]
    scores: Floats
    may_be: Flags
    #: Whether they are ranked as code: the scores decide, not the words of the query.
    is_code: bool = False

    def answer(
        self, must_include: Sequence[int], must_exclude: Sequence[int]
    ) -> tuple[Context[FileChunk], FileRendering]:
        """The best chunks, and how they are printed.

        If they are code, part of the budget is for signatures of what does not fit.
        """
        budget = self.packing.budget
        if self.is_code:
            room = (1 - _SIGNATURES_SHARE) * budget
            try:
                best, _ = self._selected(self.chunks, room, must_include, must_exclude)
            except InputError:  # what must be included may need the whole budget
                pass
            else:
                return self._with_signatures(best, must_include, must_exclude)
        return self._selected(self.chunks, budget, must_include, must_exclude)

    def _with_signatures(
        self,
        best: Context[FileChunk],
        must_include: Sequence[int],
        must_exclude: Sequence[int],
    ) -> tuple[Context[FileChunk], FileRendering]:
        """The best chunks, signatures of others, and whatever still fits.

        The bound of the answer takes the best chunks and the signatures as given.
        """
        budget = self.packing.budget
        chosen = [each.index for each in best.chunks]
        added = self._signatures(best, set(must_exclude))
        while added:
            shown = list(self.chunks)
            for k, signature in added:
                shown[k] = signature
            required = [*chosen, *(k for k, _ in added)]
            try:
                return self._selected(shown, budget, required, must_exclude)
            except InputError:  # sizes of parts do not add up to that of the whole
                added = added[: len(added) // 2]
        return self._selected(self.chunks, budget, must_include, must_exclude)

    def _signatures(
        self, context: Context[FileChunk], left_out: AbstractSet[int]
    ) -> list[tuple[int, FileChunk]]:
        """Signatures that fit the budget with some chunks, the best first."""
        ranked = np.flatnonzero(self.may_be)
        ranked = ranked[np.argsort(-self.scores[ranked], kind="stable")]
        found = signatures(
            self.chunks,
            [k for k in ranked.tolist() if k not in left_out],
            without={each.chunk.path for each in context.chunks},
        )
        best = list(islice(found, _MAX_SIGNATURES)) if context.chunks else []
        shown = [each for _, each in best]
        rendering = _numbered(shown).rendering(self.packing.format)
        printed = [rendering.document([(each.path, each.text)]) for each in shown]
        sizes = self.packing.unit.measure_each([f"{text}\n" for text in printed])
        left = self.packing.budget - context.tokens
        return best[: int(np.searchsorted(np.cumsum(sizes), left, side="right"))]

    def _selected(
        self,
        chunks: Sequence[FileChunk],
        budget: float,
        must_include: Sequence[int],
        must_exclude: Sequence[int],
    ) -> tuple[Context[FileChunk], FileRendering]:
        packing, query = self.packing, self.packing.query
        numbered = _numbered(chunks)
        kept = self._kept(numbered, [*must_include, *must_exclude])
        labels = _Labels(numbered, () if query is None else beginnings_of(query))
        rendering = numbered.rendering(packing.format)
        paths = [chunks[k].path for k in kept.tolist()]
        has_scores = query is None or self.is_code
        context = select(
            [labels.of(k) for k in kept.tolist()],
            budget,
            query=query,
            scores=self.scores[kept] if has_scores else None,
            unit=packing.unit,
            group=None if packing.per_file is None else paths,
            per_group=packing.per_file,
            must_include=np.searchsorted(kept, numbered.first_of(must_include)),
            must_exclude=np.searchsorted(kept, numbered.first_of(must_exclude)),
            order=packing.order,
            format=rendering,
            max_seconds=packing.max_seconds,
        )
        return _with_all(context, chunks, kept), rendering

    def _kept(self, numbered: _Numbered, decided: Sequence[int]) -> Ints:
        """The chunks decided on and the best, as many as could be needed; ascending."""
        first = numbered.distinct[self.may_be[numbered.distinct]]
        ranked = first[np.argsort(-self.scores[first], kind="stable")]
        sizes = [len(numbered.chunks[k].text) for k in ranked.tolist()]
        limit = _CHARACTERS_PER_TOKEN * self.packing.budget
        needed = int(np.searchsorted(np.cumsum(sizes), limit)) + 1
        best = ranked[: max(needed, _MIN_CHUNKS)]
        return distinct(np.concatenate([best, numbered.first_of(decided)]))


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
        # What is left out above and below a signature has a number, too.
        number += chunk.kind == "signature"
        place = Place(
            number, chunk.start_line, chunk.end_line, chunk.name, chunk.enclosing
        )
        places.append(place)
        if chunk.text not in texts:
            first.append(k)
        texts.add(chunk.text)
        number += 2 if chunk.kind == "signature" else 1
    return _Numbered(chunks, places, np.array(first, dtype=np.int64))


def _scores(chunks: Sequence[FileChunk], query: str | None) -> Floats:
    if query is None:
        return np.array([prior(chunk) for chunk in chunks], dtype=np.float64)
    return match_scores(chunks, query)


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
