"""Packing files: from folders and a budget to a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.context.context import (
    Context,
    DroppedChunk,
    DropReason,
    SelectedChunk,
)
from thatch.context.file_preselection import files_to_cut
from thatch.context.file_rendering import FileRendering, Place
from thatch.context.packed_files import PackedFiles
from thatch.context.preselection import beginnings_of, in_words, match_scores
from thatch.context.rendering import ContextFormat, Order
from thatch.context.repository.code_chunks import FileChunk
from thatch.context.repository.file_chunks import read_chunks
from thatch.context.repository.file_kinds import suffix_of
from thatch.context.repository.file_search import find_files
from thatch.context.repository.priors import prior
from thatch.context.selecting import select
from thatch.context.time_limits import MAX_PACK_SECONDS
from thatch.errors import InputError
from thatch.options import require_choice, require_integer
from thatch.text.choices import unit_of
from thatch.text.costs.units import Unit
from thatch.text.language.words import words_of
from thatch.text.task import checked_budget

__all__ = ["pack"]

# Of a large repository, the chunks that match best are looked at: at least this many,
# and this many characters per token of the budget.
_MIN_CHUNKS, _CHARACTERS_PER_TOKEN = 1_000, 80
# Words that capitals are in, which are no words of the query by themselves.
_COMPOUND = re.compile(r"[A-Za-z]+[a-z][A-Z][A-Za-z]*|[A-Z]{2,}[a-z][A-Za-z]*")
_MAX_COMPOUNDS = 20


def pack(
    paths: str | Path | Iterable[str | Path],
    budget: float,
    *,
    query: str | None = None,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    unit: Unit | str | Any = "tokens",
    format: ContextFormat | str = ContextFormat.XML,
    order: Order | str = Order.SOURCE,
    per_file: int | None = None,
    encoding: str | None = None,
    max_seconds: float = MAX_PACK_SECONDS,
) -> PackedFiles:
    """Pack the parts of files that a language model should read into a prompt.

    Files are cut at functions, classes and headings, and the most relevant chunks are
    selected as `select` does. Without a query, files that explain a repository come
    first: its README, guides and entry points. The prompt never exceeds the budget.

    Parameters
    ----------
    paths
        Files and folders; what ``.gitignore`` excludes is left out, as are binary and
        generated files: see `find_files`.
    budget
        The maximum size of the prompt, with the names of files.
    query
        What the prompt is about: a question, keywords, or names in the code.
    include, exclude
        Patterns as in ``.gitignore``, such as ``*.py``: only these files, not these.
    unit
        ``tokens`` (estimated), ``words``, ``characters``, a `Unit`, or any tokenizer.
    format
        ``xml``, ``markdown``, ``json`` or ``text``.
    order
        Order of chunks: ``source``, ``relevance``, or ``edges``: the most relevant at
        both ends.
    per_file
        Maximum number of chunks per file. Default: no limit.
    encoding
        Name of the encoding. Default: the one that a byte order mark names, else UTF-8.
    max_seconds
        Time limit of the solver, which mostly needs some milliseconds. Where it takes
        effect, the prompt may differ from run to run.

    Raises
    ------
    InputError, InputTypeError
        If a path does not exist, or an argument is invalid.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "roof.py").write_text("def mend(): ...")
    >>> _ = (folder / "door.py").write_text("def lock(): ...")
    >>> packed = pack(folder, 18, query="How is a roof mended?", format="text")
    >>> print(packed.text)
    roof.py:
    def mend(): ...
    >>> [(file.path, file.reason) for file in packed.files]
    [('roof.py', ''), ('door.py', 'less relevant than the others')]
    """
    budget, unit = checked_budget(budget), unit_of(unit, default="tokens")
    kind = require_choice("format", format, list(ContextFormat), default="xml")
    require_choice("order", order, list(Order), default="source")
    if per_file is not None:
        require_integer("per_file", per_file, least=1, hint="Omit it for no limit.")
    if query is not None and not words_of(query):
        raise InputError(f"query {query!r} contains no word.", hint="Omit the query.")
    given = [paths] if isinstance(paths, str | Path) else paths
    found = find_files(given, include=include, exclude=exclude)
    to_cut = files_to_cut(found, query, budget, encoding=encoding)
    read = read_chunks(to_cut.found, encoding=encoding)
    chunks = read.chunks
    numbered = _numbered(chunks)
    scores = _scores(chunks, query)
    kept = _kept(numbered, scores, budget)
    labels = _labels(numbered, query)
    rendering = numbered.rendering(ContextFormat(kind))
    context = select(
        [labels.of(k) for k in kept.tolist()],
        budget,
        query=query,
        scores=scores[kept] if query is None else None,
        unit=unit,
        group=None if per_file is None else [chunks[k].path for k in kept.tolist()],
        per_group=per_file,
        order=order,
        format=rendering,
        max_seconds=max_seconds,
    )
    return PackedFiles(
        _with_all(context, chunks, kept),
        read.skipped,
        unit,
        rendering,
        to_cut,
        has_query=query is not None,
    )


@dataclass(frozen=True)
class _Numbered:
    """Chunks with their numbers in their files."""

    chunks: Sequence[FileChunk]
    places: Sequence[Place]
    #: Chunks whose text is nowhere else in the file before them.
    distinct: Ints

    def rendering(self, format: ContextFormat) -> FileRendering:
        """How the chunks are printed."""
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
        """Chunk k with its label."""
        chunk, place = self.numbered.chunks[k], self.numbered.places[k]
        # Files are not alike because they have the same suffix.
        stem = chunk.path[: len(chunk.path) - len(suffix_of(_file_name(chunk.path)))]
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
        return list(is_asked)[:_MAX_COMPOUNDS]


def _file_name(path: str) -> str:
    return path.rpartition("/")[2]


def _labels(numbered: _Numbered, query: str | None) -> _Labels:
    return _Labels(numbered, () if query is None else beginnings_of(query))


def _numbered(chunks: Sequence[FileChunk]) -> _Numbered:
    places, distinct = [], []
    path, number, texts = "", 0, set[str]()
    for k, chunk in enumerate(chunks):
        if chunk.path != path:
            path, number, texts = chunk.path, 0, set()
        place = Place(
            number, chunk.start_line, chunk.end_line, chunk.name, chunk.enclosing
        )
        places.append(place)
        if chunk.text not in texts:
            distinct.append(k)
        texts.add(chunk.text)
        number += 1
    return _Numbered(chunks, places, np.array(distinct, dtype=np.int64))


def _scores(chunks: Sequence[FileChunk], query: str | None) -> Floats:
    if query is None:
        return np.array([prior(chunk) for chunk in chunks], dtype=np.float64)
    return match_scores(chunks, query)


def _kept(numbered: _Numbered, scores: Floats, budget: float) -> Ints:
    """The best chunks, ascending: as many as `select` could need."""
    distinct = numbered.distinct
    ranked = distinct[np.argsort(-scores[distinct], kind="stable")]
    sizes = [len(numbered.chunks[k].text) for k in ranked.tolist()]
    needed = int(np.searchsorted(np.cumsum(sizes), _CHARACTERS_PER_TOKEN * budget)) + 1
    return np.sort(ranked[: max(needed, _MIN_CHUNKS)])


def _with_all(
    context: Context[_LabeledChunk], chunks: Sequence[FileChunk], kept: Ints
) -> Context[FileChunk]:
    """The answer for all chunks, with their indices among all of them."""
    numbers = kept.tolist()
    selected = [
        SelectedChunk(
            chunks[numbers[each.index]],
            numbers[each.index],
            each.text,
            each.source,
            each.tokens,
            each.relevance,
            each.gain,
        )
        for each in context.chunks
    ]
    dropped = {
        numbers[each.index]: DroppedChunk(
            chunks[numbers[each.index]],
            numbers[each.index],
            each.relevance,
            each.reason,
            None if each.redundant_with is None else numbers[each.redundant_with],
        )
        for each in context.dropped
    }
    taken = {each.index for each in selected}
    others = (
        dropped.get(k) or DroppedChunk(chunk, k, 0.0, DropReason.LOW_RELEVANCE)
        for k, chunk in enumerate(chunks)
        if k not in taken
    )
    return Context(
        selected,
        list(others),
        tokens=context.tokens,
        budget=context.budget,
        unit=context.unit,
        note=context.note,
        value=context.value,
        upper_bound=context.upper_bound,
        status=context.status,
        rendering=context.rendering,
    )
