"""What a file of a repository is for, by its path: source, tests, docs or data."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from thatch.context.repository.code_languages import language_of
from thatch.context.repository.file_kinds import (
    EXTRACTED_SUFFIXES,
    HTML_SUFFIXES,
    NOTEBOOK_SUFFIX,
    PROSE_SUFFIXES,
    suffix_of,
)

_TESTS = re.compile(
    r"(?:\A|/)(?:tests?|specs?|__tests__|testdata|fixtures|[a-z]+_tests)/"
    r"|(?:\A|/)(?:test_[^/]*|conftest\.py|[^/]*[._-](?:test|spec)\.\w+|[^/]*_test\.\w+)\Z",
    re.IGNORECASE,
)
_BENCHMARKS = re.compile(r"(?:\A|/)(?:\w+_)?bench(?:marks?)?/", re.IGNORECASE)
_DOCS = re.compile(
    r"(?:\A|/)(?:docs?|documentation|examples?|tutorials?|guides?)/"
    r"|(?:\A|/)(?:readme|contributing)[^/]*\Z",
    re.IGNORECASE,
)
# Few readers ask about licenses, changelogs and hidden files.
_NOTICE = re.compile(
    r"(?:\A|/)(?:licen[cs]e|copying|notice|changelog|changes|authors|news|history)"
    r"[^/]*\Z",
    re.IGNORECASE,
)
_HIDDEN = re.compile(r"(?:\A|/)\.[^/]+")
_PROSE = PROSE_SUFFIXES | EXTRACTED_SUFFIXES - HTML_SUFFIXES
_PROSE |= {NOTEBOOK_SUFFIX}


class FileRole(StrEnum):
    """What a file is for."""

    SOURCE = "source"
    TESTS = "tests"
    #: Guides, examples, changelogs, licenses and all other prose.
    DOCS = "docs"
    #: Settings, data, hidden files and whatever has no known format.
    DATA = "data"


# The chunks of a file follow each other.
@lru_cache(maxsize=1 << 14)
def role_of(path: str) -> FileRole:
    """What a file is for, by its path.

    >>> [role_of(path).value for path in ("src/roof.py", "tests/test_roof.py")]
    ['source', 'tests']
    >>> [role_of(path).value for path in ("docs/conf.py", "CHANGES", "setup.cfg")]
    ['docs', 'docs', 'data']
    """
    if is_test(path):
        return FileRole.TESTS
    suffix = suffix_of(path.rpartition("/")[2])
    if _DOCS.search(path) or suffix in _PROSE:
        return FileRole.DOCS
    if _HIDDEN.search(path):
        return FileRole.DATA
    # HTML outside of documentation is mostly templates.
    if language_of(path) is not None or suffix in HTML_SUFFIXES:
        return FileRole.SOURCE
    # Code may be called history.py, so the language decides first.
    return FileRole.DOCS if _NOTICE.search(path) else FileRole.DATA


def is_test(path: str) -> bool:
    """Whether a file tests or measures others, or is an input of that.

    >>> is_test("roof/tests/house.json"), is_test("latest/roof.py")
    (True, False)
    """
    return _TESTS.search(path) is not None or _BENCHMARKS.search(path) is not None


def is_minor(path: str) -> bool:
    """Whether a file is a license, a changelog or hidden.

    >>> is_minor("CHANGES.rst"), is_minor(".github/ci.yml"), is_minor("roof.py")
    (True, True, False)
    """
    return _NOTICE.search(path) is not None or _HIDDEN.search(path) is not None
