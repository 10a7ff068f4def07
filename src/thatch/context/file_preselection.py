"""Preselection of files: in a large repository, most files need not be cut.

Cutting a file takes longer than reading it. So where files have several megabytes in
total, only those that match the query best are cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from thatch.arrays import Floats
from thatch.context.preselection import beginnings_of, name_counts
from thatch.context.repository.code_chunks import FileChunk
from thatch.context.repository.code_languages import language_of
from thatch.context.repository.file_kinds import EXTRACTED_SUFFIXES, suffix_of
from thatch.context.repository.file_search import FoundFile, FoundFiles
from thatch.context.repository.priors import prior
from thatch.text.relevance.bm25 import bm25

__all__ = ["FilesToCut", "files_to_cut"]

#: Files of up to so many bytes in total are all cut.
MAX_BYTES_TO_CUT = 1 << 22
# Of larger repositories, files of so many bytes are cut, and per token of the budget.
_MIN_BYTES, _BYTES_PER_TOKEN = 1 << 21, 200
_BYTES_PER_WORD = 8


@dataclass(frozen=True, slots=True)
class FilesToCut:
    """Files to cut, and those that are not worth it."""

    found: FoundFiles
    #: Paths of other files that match the query, but less.
    weaker: Sequence[str] = ()
    #: Paths of files that do not match the query.
    unmatched: Sequence[str] = ()


def files_to_cut(found: FoundFiles, query: str | None, budget: float) -> FilesToCut:
    """Choose the files to cut: all, unless they are large.

    Parameters
    ----------
    found
        The files.
    query
        The query. Default: files that explain a repository are preferred.
    budget
        Maximum size of the prompt.

    >>> files_to_cut(FoundFiles(), "snow", 100).found.files
    ()
    """
    files = found.files
    if sum(file.num_bytes for file in files) <= MAX_BYTES_TO_CUT:
        return FilesToCut(found)
    scores = _priors(files) if query is None else _matches(files, query)
    # Only readers can tell what compressed documents say; and what is named is wanted.
    is_kept = np.array([_is_opaque(file) or file.is_named for file in files])
    order = np.lexsort((-scores, ~is_kept))
    sizes = np.array([files[k].num_bytes for k in order.tolist()])
    limit = max(_MIN_BYTES, _BYTES_PER_TOKEN * budget)
    is_within = np.cumsum(sizes) - sizes < limit
    is_kept[order] |= is_within & (scores[order] > 0)
    chosen = tuple(file for file, kept in zip(files, is_kept, strict=True) if kept)
    others = np.flatnonzero(~is_kept).tolist()
    return FilesToCut(
        replace(found, files=chosen),
        tuple(files[k].shown for k in others if scores[k] > 0),
        tuple(files[k].shown for k in others if scores[k] <= 0),
    )


def _is_opaque(file: FoundFile) -> bool:
    return suffix_of(file.path.name) in EXTRACTED_SUFFIXES


def _priors(files: Sequence[FoundFile]) -> Floats:
    kinds = ("text" if language_of(file.shown) is None else "code" for file in files)
    chunks = (
        FileChunk(file.shown, "", 1, 1, kind=kind)
        for file, kind in zip(files, kinds, strict=True)
    )
    return np.array(list(map(prior, chunks)), dtype=np.float64)


def _matches(files: Sequence[FoundFile], query: str) -> Floats:
    """How well files match a query, by their bytes."""
    beginnings = beginnings_of(query)
    encoded = [beginning.encode() for beginning in beginnings]
    counts = np.zeros((len(files), len(beginnings)))
    for k, file in enumerate(files):
        content = _lowered(file)
        in_text = [content.count(beginning) for beginning in encoded]
        counts[k] = np.add(in_text, name_counts(file.shown, beginnings))
    lengths = np.array([file.num_bytes for file in files], dtype=np.float64)
    return bm25(counts, lengths / _BYTES_PER_WORD, np.ones(len(beginnings)))


def _lowered(file: FoundFile) -> bytes:
    try:
        return file.path.read_bytes().lower()
    except OSError:
        return b""  # the reader says why
