"""Ranking of code by a question: its words, and the places that it names.

A chunk is worth what it says itself, by BM25 over the words in its identifiers, plus a
share of what its file says. What the question names counts on top: files, modules,
identifiers that few places define, and frames of tracebacks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from thatch.arrays import Floats, Ints, numbered, sums_by
from thatch.context.packing.code_query import CodeQuery, stems_of
from thatch.context.repository.code_chunks import FileChunk
from thatch.context.repository.file_kinds import suffix_of
from thatch.context.repository.path_endings import PathEndings, by_names, endings
from thatch.machine.caching import cached_property
from thatch.text.language.identifiers import separated_identifiers
from thatch.text.language.word_numbers import numbered_words
from thatch.text.relevance.ranking import bm25

# What a word in the path counts, as occurrences in a chunk and in a file, and a word in
# the name of what a chunk defines.
_IN_PATH, _IN_PATH_OF_FILE, _IN_NAME = 5.0, 15.0, 1.0
# Shares of the score of the best chunk: the best file, the frame of a traceback, what
# the question names by a path with dots, and what it names by an identifier.
_FILE, _FRAME, _DOTTED, _IDENTIFIER = 0.75, 1.0, 0.3, 0.3
# Frames further up count less by this factor each.
_PER_FRAME = 0.8
# By how much a chunk counts more if its file is named: by its path, in a traceback, or
# as a module.
_OF_PATH, _OF_FRAME, _OF_MODULE = 0.6, 0.3, 0.1
# What is this often in a repository is not named by that alone.
_MAX_SAME = 3


def code_scores(chunks: Sequence[FileChunk], query: str) -> Floats:
    """How well chunks of code answer a question: float64, shape (num_chunks,).

    >>> chunks = [FileChunk("a.py", "def readFile(): ...", 1, 1, "readFile"),
    ...           FileChunk("b.py", "def write(): ...", 1, 1, "write")]
    >>> code_scores(chunks, "Where are files read?") > 0
    array([ True, False])
    """
    asked = CodeQuery.of(query)
    if not chunks or not asked.weights:
        return np.zeros(len(chunks))
    places = _Places(chunks)
    of_chunks, of_files = _word_scores(chunks, places, asked)
    bonus = np.zeros(len(places.paths))
    for paths, share in (
        (asked.paths, _OF_PATH),
        ([frame.path for frame in asked.frames], _OF_FRAME),
    ):
        for file in chain.from_iterable(map(places.files.at, paths)):
            bonus[file] = max(bonus[file], share)
    named = np.zeros(len(chunks))
    for name in asked.dotted:
        module, inside = places.module_and_inside(name)
        bonus[module] = np.maximum(bonus[module], _OF_MODULE)
        named[inside] = _DOTTED
    for name in asked.identifiers:
        found = places.defining.get(name, [])
        named[found] += _IDENTIFIER / max(len(found), 1)
    named = np.minimum(named, _DOTTED + _IDENTIFIER)
    for rank, frame in enumerate(asked.frames):
        found = places.in_frame(frame.path, frame.line, frame.function)
        named[found] = np.maximum(named[found], _FRAME * _PER_FRAME**rank)
    words = of_chunks + _FILE * of_files[places.file_of]
    # What is in a named file may share no word with the question.
    scores: Floats = words + bonus[places.file_of] * (of_chunks + 0.1) + named
    return scores


class _Places:
    """Files, modules and definitions, by their names."""

    def __init__(self, chunks: Sequence[FileChunk]) -> None:
        self.chunks = chunks
        paths = [chunk.path for chunk in chunks]
        self.paths = list(dict.fromkeys(paths))
        self.file_of: Ints = numbered(paths)
        self.files = PathEndings(self.paths)

    @cached_property
    def defining(self) -> Mapping[str, list[int]]:
        """Chunks that define a name, with and without the names around it."""
        return by_names(
            [each for name in chunk.name.split(", ") for each in endings(name, ".")]
            if chunk.name and chunk.kind in ("function", "class", "code")
            else []
            for chunk in self.chunks
        )

    def module_and_inside(self, name: str) -> tuple[list[int], list[int]]:
        """Files of the module in a name with dots, and the chunks that it names."""
        parts = name.split(".")
        for k in range(len(parts), 0, -1):
            files = self._by_module.get(".".join(parts[:k]), [])
            if 0 < len(files) <= _MAX_SAME and (k > 1 or len(files) == 1):
                inner = ".".join(parts[k:])
                found = self.defining.get(inner) or self.defining.get(
                    inner.partition(".")[0], []
                )
                return files, [c for c in found if self.file_of[c] in files]
        for ending in list(endings(name, "."))[:-1]:
            found = self.defining.get(ending, [])
            if 0 < len(found) <= _MAX_SAME:
                return [], found
        return [], []

    def in_frame(self, path: str, line: int, function: str) -> list[int]:
        """Chunks with the function of a frame; lines may be those of another version.

        >>> chunk = FileChunk("src/roof.py", "def mend(): ...", 1, 1, "mend", "code")
        >>> _Places([chunk]).in_frame("/home/ada/src/roof.py", 7, "mend")
        [0]
        """
        files = self.files.at(path)
        named = self.defining.get(function, []) if function else []
        found = [k for k in named if self.file_of[k] in files]
        return found or [
            k
            for file in files
            for k in np.flatnonzero(self.file_of == file).tolist()
            if self.chunks[k].start_line <= line <= self.chunks[k].end_line
        ]

    @cached_property
    def _by_module(self) -> Mapping[str, list[int]]:
        modules = (_module(path) for path in self.paths)
        return by_names(endings(name, ".") for name in modules)


def _module(path: str) -> str:
    """A path as the name of a module.

    >>> _module("roofs/tiles/__init__.py")
    'roofs.tiles'
    """
    return _stem(path).removesuffix("/__init__").replace("/", ".")


def _stem(path: str) -> str:
    return path[: len(path) - len(suffix_of(path.rpartition("/")[2]))]


def _word_scores(
    chunks: Sequence[FileChunk], places: _Places, asked: CodeQuery
) -> tuple[Floats, Floats]:
    """Scores of chunks and of files by their words, the best of each being 1."""
    terms = list(asked.weights)
    weights = np.array(list(asked.weights.values()))
    counts, lengths = _counts([chunk.text for chunk in chunks], terms)
    of_names, _ = _counts([chunk.name for chunk in chunks], terms)
    of_paths, _ = _counts(list(map(_stem, places.paths)), terms)
    in_files = np.zeros_like(of_paths)
    np.add.at(in_files, places.file_of, counts)
    sizes = sums_by(places.file_of, lengths, len(places.paths))
    counts += _IN_PATH * of_paths[places.file_of] + _IN_NAME * of_names
    in_files += _IN_PATH_OF_FILE * of_paths
    of_chunks = bm25(counts, lengths + 1.0, weights)
    of_files = bm25(in_files, sizes + 1.0, weights)
    return (
        of_chunks / max(of_chunks.max(), 1e-12),
        of_files / max(of_files.max(), 1e-12),
    )


@dataclass(frozen=True, eq=False)
class _Columns:
    """The columns of each of some identifiers: those of the stems of its words."""

    #: Two parallel arrays: an identifier, and a column.
    names: Ints
    columns: Ints

    @classmethod
    def of(cls, names: Sequence[str], terms: Sequence[str]) -> _Columns:
        column_of = {term: column for column, term in enumerate(terms)}
        pairs = [
            (k, column_of[stem])
            for k, stems in enumerate(stems_of(names))
            for stem in stems
            if stem in column_of
        ]
        table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return cls(table[:, 0], table[:, 1])


def _counts(texts: Sequence[str], terms: Sequence[str]) -> tuple[Floats, Floats]:
    """How often each text has each term, and how many identifiers it has."""
    numbers, lengths, names = numbered_words(texts, separated_identifiers)
    found = _Columns.of(names, terms)
    has_column = np.zeros(len(names), dtype=np.bool_)
    has_column[found.names] = True
    is_asked = has_column[numbers]
    owners = np.repeat(np.arange(len(texts)), lengths)[is_asked]
    numbers = numbers[is_asked]
    counts = np.zeros((len(texts), len(terms)))
    is_of_column = np.zeros(len(names))
    for column in range(len(terms)):
        is_of_column[:] = 0.0
        np.add.at(is_of_column, found.names[found.columns == column], 1.0)
        times = is_of_column[numbers]
        counts[:, column] = np.bincount(owners, times, minlength=len(texts))
    return counts, lengths.astype(np.float64)
