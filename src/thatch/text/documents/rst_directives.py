"""Directives of reStructuredText and Sphinx: what their content is."""

from __future__ import annotations

import enum
from functools import cache

from thatch.files.reading import package_lines


class Content(enum.Enum):
    """What the content of a directive is, and what its argument is."""

    #: The argument and the content are text, such as of ``note``.
    TEXT = "text"
    #: The first word of the argument is a version, the rest and the content are text.
    VERSION = "version"
    #: The argument is a title or an option, the content is text.
    BODY = "body"
    #: The argument describes an object, such as a function; the content is text.
    OBJECT = "object"
    #: The argument is a heading.
    HEADING = "heading"
    #: A caption and a legend.
    CAPTION = "caption"
    #: Code, formulas and tables.
    CODE = "code"
    #: Nothing to read, such as of ``toctree``.
    NONE = "none"


@cache
def _contents() -> dict[str, Content]:
    lines = package_lines("thatch.text.documents", "data/directives.txt")
    rows = (line.split() for line in lines)
    return {name: Content(content) for content, *names in rows for name in names}


def content_of(directive: str) -> Content:
    """Return what the content of a directive is; that of an unknown one is text."""
    name = directive.lower()
    # Names in domains, such as py: and c:, describe objects.
    return _contents().get(name, Content.OBJECT if ":" in name else Content.BODY)
