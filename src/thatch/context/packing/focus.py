"""The focus of a prompt: source, docs or tests, as the question asks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from thatch.arrays import Flags
from thatch.context.packing.code_query import CodeQuery
from thatch.context.repository.file_roles import FileRole, role_of
from thatch.context.repository.path_endings import PathEndings


class Focus(StrEnum):
    """Which files a prompt is made from."""

    CODE = "code"
    DOCS = "docs"
    TESTS = "tests"
    ALL = "all"

    @property
    def is_code(self) -> bool:
        """Whether chunks are ranked as code."""
        return self in (Focus.CODE, Focus.TESTS)


_ROLES = {
    Focus.CODE: FileRole.SOURCE,
    Focus.DOCS: FileRole.DOCS,
    Focus.TESTS: FileRole.TESTS,
}
_ON_TESTS = re.compile(r"\b(?:tests|tested|test (?:cases?|suites?|files?))\b", re.I)
_ON_DOCS = re.compile(
    r"\b(?:docs?|documentation|documented|guides?|tutorials?|readme|changelog|"
    r"release notes)\b",
    re.IGNORECASE,
)
# Longer questions describe a problem, and mention tests and docs in passing.
_MAX_WORDS = 25
# A repository of code has at least this many source files in all, and for each
# document: folders of documentation may contain scripts, too.
_MIN_SOURCE, _MIN_PER_DOCUMENT = 10, 0.3


def focus_of(query: str | None, paths: Sequence[str]) -> Focus:
    """The focus that a question has among some files, whose paths may repeat.

    Short questions about tests or documentation are about those; all others are about
    code, if the files are those of a program.

    >>> paths = ["README.md", *(f"src/roof{k}.py" for k in range(20))]
    >>> [focus_of(query, paths).value for query in ("mend a roof", "the docs of roofs")]
    ['code', 'docs']
    >>> focus_of("mend a roof", ["notes.md"]).value
    'all'
    """
    if query is None:
        return Focus.ALL
    counts = Counter(map(role_of, dict.fromkeys(paths)))
    num_source, num_docs = counts[FileRole.SOURCE], counts[FileRole.DOCS]
    if num_source < max(_MIN_SOURCE, _MIN_PER_DOCUMENT * num_docs):
        return Focus.ALL
    if len(query.split()) <= _MAX_WORDS:
        if _ON_TESTS.search(query) and counts[FileRole.TESTS]:
            return Focus.TESTS
        if _ON_DOCS.search(query) and num_docs:
            return Focus.DOCS
    return Focus.CODE


def in_focus(paths: Sequence[str], focus: Focus, query: str | None) -> Flags:
    """Which paths are in the focus, or named by the question; they may repeat.

    >>> in_focus(["roof.py", "README.md", "CHANGES"], Focus.CODE, "see README.md")
    array([ True,  True, False])
    """
    if focus is Focus.ALL:
        return np.ones(len(paths), dtype=np.bool_)
    files = list(dict.fromkeys(paths))
    admitted = {path for path in files if role_of(path) is _ROLES[focus]}
    if query is not None:
        asked, places = CodeQuery.of(query), PathEndings(files)
        for path in (*asked.paths, *(frame.path for frame in asked.frames)):
            admitted.update(files[k] for k in places.at(path))
    return np.array([path in admitted for path in paths], dtype=np.bool_)
