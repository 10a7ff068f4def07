"""Link the terms that a docstring uses to the glossary.

Below the text of every class and function of the reference, the terms of the glossary
that occur in its docstring are listed as links.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

_GLOSSARY = Path(__file__).parents[1] / "glossary.md"
# After napoleon has turned sections into fields.
_PRIORITY = 600
_LINKED = ("class", "exception", "function")
# Ordinary English words that docstrings also use in their ordinary sense.
_ORDINARY = {
    *("device", "exchange", "group", "iteration", "place"),
    *("reference", "run", "status", "tree"),
}


def terms() -> dict[str, str]:
    """Terms of the glossary, with the anchors of their headings."""
    headings = re.findall(r"^### (.+)$", _GLOSSARY.read_text(), flags=re.MULTILINE)
    return {
        term: re.sub(r"[^\w\- ]", "", term.lower()).replace(" ", "-")
        for term in headings
        if term not in _ORDINARY and "(" not in term
    }


def links(prose: str) -> str:
    """The terms that occur in a text, as reStructuredText links."""
    found = [
        f"`{term} <../glossary.html#{anchor}>`__"
        for term, anchor in terms().items()
        if re.search(rf"\b{re.escape(term)}s?\b", prose, flags=re.IGNORECASE)
    ]
    return ", ".join(found)


def add_links(
    app: Sphinx,
    what: str,
    name: str,
    it: object,
    options: object,
    lines: list[str],
) -> None:
    """Append the links to a docstring."""
    if what not in _LINKED:
        return
    prose = [line for line in lines if not line.lstrip().startswith((">>>", "..."))]
    found = links(" ".join(prose))
    if found:
        lines += ["", f"*In the glossary:* {found}", ""]


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the handler."""
    app.connect("autodoc-process-docstring", add_links, priority=_PRIORITY)
    return {"parallel_read_safe": True}
