"""Directives of reStructuredText and Sphinx: what their content is."""

from __future__ import annotations

import enum


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


_NAMES = {
    Content.TEXT: (
        "attention caution danger error hint important note tip warning seealso "
        "todo epigraph highlights pull-quote compound centered"
    ),
    Content.VERSION: (
        "versionadded versionchanged versionremoved deprecated deprecated-removed "
        "version-added version-changed soft-deprecated"
    ),
    Content.BODY: (
        "admonition topic sidebar container class rst-class only ifconfig glossary "
        "tabs tab tab-set tab-item grid grid-item card dropdown details collapse "
        "hlist footer header"
    ),
    Content.OBJECT: (
        "function method classmethod staticmethod attribute data exception module- "
        "object property decorator decoratormethod describe object option envvar "
        "program-option confval setting directive opcode coroutinefunction "
        "cfunction cmember ctype cmacro cvar coroutinemethod awaitablefunction "
        "abstractmethod cmdoption pdbcommand 2to3fixer audit-event"
    ),
    Content.HEADING: "rubric",
    Content.CAPTION: "figure",
    Content.CODE: (
        "code code-block sourcecode literalinclude parsed-literal math raw "
        "highlight table csv-table list-table flat-table productionlist graphviz "
        "digraph graph mermaid uml plantuml blockdiag seqdiag plot ipython ipython3 "
        "jupyter-execute doctest testcode testoutput testsetup testcleanup prompt "
        "console command- output program-output click argparse grammar-snippet "
        "code-cell exec"
    ),
    Content.NONE: (
        "toctree contents sectnum include image index currentmodule module default- "
        "role default-domain meta autosummary automodule autoclass autofunction "
        "automethod autoattribute autodata autoexception tabularcolumns "
        "bibliography cssclass title sectionauthor moduleauthor codeauthor section- "
        "numbering target-notes acks-list youtube video rst-role py:module "
        "py:currentmodule js:module program highlightlang date replace unicode "
        "function-list inheritance-diagram doxygenfunction doxygenclass doxygenfile "
        "role"
    ),
}
_CONTENT = {
    name: content for content, names in _NAMES.items() for name in names.split()
}


def content_of(directive: str) -> Content:
    """Return what the content of a directive is; that of an unknown one is text."""
    name = directive.lower()
    if name in _CONTENT:
        return _CONTENT[name]
    # Names in domains, such as py: and c:, describe objects.
    return Content.OBJECT if ":" in name else Content.BODY
