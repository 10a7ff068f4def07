"""Preselection: the few chunks of a large repository that are worth a closer look.

`select` takes about 0.2 ms per chunk, which is too long for the chunks of thousands of
files. Here, a chunk is ranked by how often it contains the beginnings of the words of
the query, which also finds them within names such as ``readFile``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os.path import commonprefix

import numpy as np

from thatch.arrays import Floats
from thatch.context.repository.code_chunks import FileChunk
from thatch.text.language.terms import Terms
from thatch.text.language.words import words_of
from thatch.text.relevance.bm25 import bm25

__all__ = ["beginnings_of", "in_words", "match_scores", "name_counts"]

# A match in the path or in the name of what is defined counts as much as this many in
# the text.
_NAME_WEIGHT = 5
# Beginnings that are shorter are those of too many words.
_MIN_LETTERS = 3
_CHARACTERS_PER_WORD = 8
_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def in_words(name: str) -> str:
    """A path or name with spaces between the words that capitals mark.

    >>> in_words("src/HTTPServer.readFile")
    'src/HTTP Server.read File'
    """
    return _WORD_STARTS.sub(" ", name)


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
        found.append(beginning if len(beginning) >= _MIN_LETTERS else word)
    return list(dict.fromkeys(found))


def name_counts(name: str, beginnings: Sequence[str]) -> list[int]:
    """What the beginnings in a path or name count, as occurrences in a text.

    >>> name_counts("src/readFile.js", ["file", "pars"])
    [5, 0]
    """
    lowered = name.lower()
    return [_NAME_WEIGHT * lowered.count(beginning) for beginning in beginnings]


def match_scores(chunks: Sequence[FileChunk], query: str) -> Floats:
    """How well chunks match a query: float64, shape (num_chunks,); 0 means not at all.

    >>> chunks = [FileChunk("a.py", "def readFile(): ...", 1, 1),
    ...           FileChunk("b.py", "def write(): ...", 1, 1)]
    >>> match_scores(chunks, "reading") > 0
    array([ True, False])
    """
    beginnings = beginnings_of(query)
    counts = np.zeros((len(chunks), len(beginnings)))
    for k, chunk in enumerate(chunks):
        text = chunk.text.lower()
        in_text = [text.count(beginning) for beginning in beginnings]
        in_name = name_counts(f"{chunk.path} {chunk.name}", beginnings)
        counts[k] = np.add(in_text, in_name)
    lengths = np.array([len(chunk.text) for chunk in chunks], dtype=np.float64)
    return bm25(counts, lengths / _CHARACTERS_PER_WORD, np.ones(len(beginnings)))
