"""How likely a chunk is worth reading before a query is known."""

from __future__ import annotations

import re
from functools import lru_cache

from thatch.context.repository.code_chunks import FileChunk
from thatch.context.repository.file_kinds import suffix_of
from thatch.context.repository.file_roles import is_minor, is_test

_README = re.compile(r"readme(?:\.\w+)?\Z", re.IGNORECASE)
_GUIDE = re.compile(
    r"(?:architecture|design|overview|contributing|agents|claude|usage|index)"
    r"\.(?:md|rst|adoc|txt)\Z",
    re.IGNORECASE,
)
_MANIFESTS = (
    "pyproject.toml package.json cargo.toml go.mod pom.xml build.gradle setup.py "
    "makefile dockerfile composer.json gemfile cmakelists.txt"
)
_MANIFEST = frozenset(_MANIFESTS.split())
_ENTRY_POINT = re.compile(
    r"(?:__main__|__init__|main|app|cli|server|index|lib|mod)\.\w+\Z", re.IGNORECASE
)
_FOREIGN = re.compile(
    r"(?:\A|/)(?:vendor|vendored|third[_-]party|external|extern|dist|build|generated|"
    r"migrations|locales?|i18n)/",
    re.IGNORECASE,
)
_DOCSTRING = re.compile(r'"""|\'\'\'|/\*\*|///|^[ \t]*(?:#|//) \w', re.MULTILINE)
# Values of the rules, from the first that applies.
_OF_KIND = {"class": 0.6, "function": 0.5, "code": 0.45, "text": 0.4, "data": 0.15}
# Later parts of READMEs that are not foreign count as much.
_MIN_README, _LATER = 0.7, 0.8


def prior(chunk: FileChunk) -> float:
    """How likely a chunk helps to understand a repository, from 0 to 1.

    The first rule that applies counts: foreign and generated folders 0.05, licenses,
    changelogs and hidden files 0.1, tests 0.2, the README at the root 1, files such as
    ``pyproject.toml`` at the root 0.7, other READMEs and guides 0.7, entry points such
    as ``main.py`` 0.65; otherwise, by kind: classes 0.6, functions 0.5, other code
    0.45, text 0.4, data 0.15, and 0.1 more if code is documented. Only the start of a
    README counts in full. Each folder around the file costs 0.03.

    >>> readme = FileChunk("README.md", "# Roofs", 1, 1)
    >>> test = FileChunk("tests/test_roof.py", "def test_roof(): ...", 1, 1)
    >>> prior(readme), round(prior(test), 2)
    (1.0, 0.17)
    """
    max_folders = 5
    depth = min(chunk.path.count("/"), max_folders)
    # Folders within folders hold details.
    return max(_base(chunk, depth) - 0.03 * depth, 0.01)


def _base(chunk: FileChunk, depth: int) -> float:
    of_path = _of_path(chunk.path, depth)
    if of_path is not None:
        is_later = chunk.start_line > 1 and of_path >= _MIN_README
        is_readme = is_later and _README.match(_name(chunk.path)) is not None
        return of_path * (_LATER if is_readme else 1.0)
    value = _OF_KIND.get(chunk.kind, 0.3)
    is_documented = chunk.kind in ("class", "function", "code") and (
        _DOCSTRING.search(chunk.text) is not None
    )
    # A comment says what names do not.
    return value + 0.1 * is_documented


# The chunks of a file follow each other.
@lru_cache(maxsize=16)
def _of_path(path: str, depth: int) -> float | None:
    """Value of the first rule about paths that applies; None if none does."""
    name = _name(path)
    if _FOREIGN.search(path):
        return 0.05
    if is_minor(path):
        return 0.1
    if is_test(path):
        return 0.2
    if _README.match(name):
        return 1.0 if depth == 0 else 0.7
    if _GUIDE.match(name) or (depth == 0 and name.lower() in _MANIFEST):
        return 0.7
    if _ENTRY_POINT.match(name) and suffix_of(name) != ".json":
        return 0.65
    return None


def _name(path: str) -> str:
    return path.rpartition("/")[2]
