"""Preselection: the few chunks of a large repository that are worth a closer look.

`select` takes about 0.2 ms per chunk, which is too long for the chunks of thousands of
files. Here, a chunk is ranked by how often it contains the beginnings of the words of
the query, which also finds them within names such as ``readFile``.
"""

from __future__ import annotations

import binascii
import re
from binascii import a2b_base64, a2b_qp
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import unescape
from itertools import compress
from os.path import commonprefix

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.context.packing.focus import Focus, in_focus
from thatch.context.repository.code_chunks import FileChunk
from thatch.context.repository.code_languages import language_of
from thatch.context.repository.file_kinds import (
    COMPRESSED_SUFFIXES,
    HTML_SUFFIXES,
    MAIL_SUFFIXES,
    suffix_of,
)
from thatch.context.repository.file_search import FoundFile, FoundFiles
from thatch.context.repository.priors import prior
from thatch.errors import FileFormatError
from thatch.files.encodings import decoded
from thatch.text.language.identifiers import in_words
from thatch.text.language.terms import Terms
from thatch.text.language.words import words_of
from thatch.text.relevance.ranking import bm25


def beginnings_of(query: str) -> list[str]:
    """Beginnings of the words of a query that all forms of them have.

    >>> beginnings_of("Where are files parsed?")
    ['file', 'pars']
    """
    words = list(dict.fromkeys(words_of(in_words(query))))
    terms = Terms("en")
    term_of, stop = terms.of_words(words), terms.stop_terms()
    kept = [word for word in words if term_of[word] not in stop] or words
    found = []
    for word in kept:
        # The stem of "party" is "parti".
        beginning = commonprefix([word, term_of[word]])
        # Shorter beginnings are those of too many words.
        found.append(beginning if len(beginning) >= 3 else word)
    return list(dict.fromkeys(found))


def name_counts(name: str, beginnings: Sequence[str]) -> list[int]:
    """What the beginnings in a path or name count, as occurrences in a text.

    >>> name_counts("src/readFile.js", ["file", "pars"])
    [5, 0]
    """
    lowered = name.lower()
    # A match in the path or in the name of what is defined counts as much as this many
    # in the text.
    return [5 * lowered.count(beginning) for beginning in beginnings]


def match_scores(chunks: Sequence[FileChunk], query: str) -> Floats:
    """How well chunks match a query: float64, shape (num_chunks,); 0 means not at all.

    >>> chunks = [FileChunk("a.py", "def readFile(): ...", 1, 1),
    ...           FileChunk("b.py", "def write(): ...", 1, 1)]
    >>> match_scores(chunks, "reading") > 0
    array([ True, False])
    """
    texts = ((f"{chunk.path} {chunk.name}", chunk.text.lower()) for chunk in chunks)
    return _match_scores(texts, [len(chunk.text) for chunk in chunks], query)


def _match_scores(
    texts: Iterable[tuple[str, str]], sizes: Sequence[int], query: str
) -> Floats:
    """How well texts match a query, each by its name and its text in lower case."""
    beginnings = beginnings_of(query)
    counts = np.zeros((len(sizes), len(beginnings)))
    for k, (name, text) in enumerate(texts):
        in_text = [text.count(beginning) for beginning in beginnings]
        counts[k] = np.add(in_text, name_counts(name, beginnings))
    lengths = np.array(sizes, dtype=np.float64)
    # A word of code has about eight characters, with what stands between words.
    return bm25(counts, lengths / 8, np.ones(len(beginnings)))


#: If files have at most this many bytes in total, all of them are cut.
MAX_BYTES_TO_CUT = 1 << 22
# Of larger repositories, files of this size are cut, or more for a large budget.
_MIN_BYTES, _BYTES_PER_TOKEN = 1 << 21, 200
# Compressed documents take longer to read, and can be searched in no other way.
_MAX_OPAQUE_BYTES = 1 << 23
# Code is cut and ranked faster than other files.
_MAX_CODE_BYTES = 1 << 24
# What mail encodes: lines of base64 that are not short.
_BASE64 = re.compile(rb"(?:^[A-Za-z0-9+/]{40,76}\r?\n)+(?:[A-Za-z0-9+/]+={0,2})?", re.M)


@dataclass(frozen=True, slots=True)
class FilesToCut:
    """Files to cut, and those that are not worth it."""

    found: FoundFiles
    #: Paths of other files that match the query, but less.
    weaker: Sequence[str] = ()
    #: Paths of files that do not match the query.
    unmatched: Sequence[str] = ()
    #: Paths of compressed documents that were not searched, because they are many.
    unsearched: Sequence[str] = ()
    #: Paths of files that are not in the focus.
    unfocused: Sequence[str] = ()


def files_to_cut(
    found: FoundFiles,
    query: str | None,
    budget: float,
    *,
    focus: Focus = Focus.ALL,
    encoding: str | None = None,
) -> FilesToCut:
    """Choose the files to cut: all that are in the focus, unless they are large.

    Without a query, files that explain a repository are preferred. Files that were
    given themselves are in any focus.

    >>> files_to_cut(FoundFiles(), "snow", 100).found.files
    ()
    """
    is_in = in_focus([file.shown for file in found.files], focus, query)
    is_in |= np.array([file.is_named for file in found.files], dtype=np.bool_)
    files = tuple(compress(found.files, is_in))
    unfocused = tuple(file.shown for file in compress(found.files, ~is_in))
    found = replace(found, files=files)
    max_bytes = _MAX_CODE_BYTES if query and focus.is_code else MAX_BYTES_TO_CUT
    if sum(file.num_bytes for file in files) <= max_bytes:
        return FilesToCut(found, unfocused=unfocused)
    scores = _priors(files) if query is None else _matches(files, query, encoding)
    sizes = np.array([file.num_bytes for file in files])
    is_opaque = np.array([_is_opaque(file) for file in files])
    # What is named is wanted.
    is_kept = np.array([file.is_named for file in files])
    # Only readers can tell what compressed documents say: their scores are of names.
    is_kept |= _best(scores, sizes, is_opaque & ~is_kept, _MAX_OPAQUE_BYTES)
    least = _MAX_CODE_BYTES if query and focus.is_code else _MIN_BYTES
    limit = max(least, _BYTES_PER_TOKEN * budget)
    is_kept |= _best(scores, sizes, ~is_opaque & ~is_kept & (scores > 0), limit)
    is_weaker = ~is_kept & ~is_opaque & (scores > 0)
    is_unmatched = ~is_kept & ~is_opaque & (scores <= 0)
    return FilesToCut(
        replace(found, files=tuple(compress(files, is_kept))),
        tuple(file.shown for file in compress(files, is_weaker)),
        tuple(file.shown for file in compress(files, is_unmatched)),
        tuple(file.shown for file in compress(files, is_opaque & ~is_kept)),
        unfocused,
    )


def _best(scores: Floats, sizes: Ints, may_be: Flags, max_bytes: float) -> Flags:
    """The files of greatest score, up to the first that exceeds the size."""
    order = np.argsort(-scores, kind="stable")
    order = order[may_be[order]]
    before = np.cumsum(sizes[order]) - sizes[order]
    is_best = np.zeros(len(scores), dtype=np.bool_)
    is_best[order[before < max_bytes]] = True
    return is_best


def _is_opaque(file: FoundFile) -> bool:
    return suffix_of(file.path.name) in COMPRESSED_SUFFIXES


def _priors(files: Sequence[FoundFile]) -> Floats:
    kinds = ("text" if language_of(file.shown) is None else "code" for file in files)
    chunks = (
        FileChunk(file.shown, "", 1, 1, kind=kind)
        for file, kind in zip(files, kinds, strict=True)
    )
    return np.array(list(map(prior, chunks)), dtype=np.float64)


def _matches(files: Sequence[FoundFile], query: str, encoding: str | None) -> Floats:
    """How well files match a query, by their text."""
    texts = (
        (file.shown, "" if _is_opaque(file) else _lowered(file, encoding))
        for file in files
    )
    # As many bytes per word as characters of chunks.
    return _match_scores(texts, [file.num_bytes for file in files], query)


def _lowered(file: FoundFile, encoding: str | None) -> str:
    try:
        content = file.path.read_bytes()
    except OSError:
        return ""  # the reader says why
    suffix = suffix_of(file.path.name)
    if suffix in MAIL_SUFFIXES:
        content = _without_transfer_encoding(content)
    try:
        text = decoded(content, file.path, encoding=encoding)
    except FileFormatError:
        text = content.decode(encoding or "utf-8", "replace")
    if suffix in HTML_SUFFIXES and "&" in text:
        text = unescape(text)
    return text.lower()


def _without_transfer_encoding(mail: bytes) -> bytes:
    """The text of mail that was encoded to be sent."""
    lowered = mail.lower()
    if b"quoted-printable" in lowered:
        mail = a2b_qp(mail)
    if b"base64" in lowered:
        mail = _BASE64.sub(lambda found: _from_base64(found[0]), mail)
    return mail


def _from_base64(lines: bytes) -> bytes:
    try:
        return a2b_base64(lines)
    except binascii.Error:
        return lines
