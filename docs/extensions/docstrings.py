"""Docstrings of our own style, and what Sphinx misreads of them mended.

They end with an example and no heading above it, which in a docstring with sections
would be read as a part of the last of them. And what a field means is said in a
sentence, whose first colon would be read as the end of the field's type.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx

# When napoleon is asked; lower is sooner.
_NAPOLEON = 500
_FIELDS = ("attribute", "property")


class Docstrings:
    """What docstrings said before napoleon read them."""

    def __init__(self) -> None:
        self._said: dict[str, list[str]] = {}

    def prepare(
        self,
        app: Sphinx,
        what: str,
        name: str,
        it: object,
        options: object,
        lines: list,
    ) -> None:
        """Put a heading above the first example, where sections come before it."""
        self._said[name] = list(lines)
        if not any(line.startswith("-----") for line in lines):
            return
        for k, line in enumerate(lines):
            if line.startswith(">>> "):
                lines[k:k] = ["Examples", "--------"]
                return

    def mend(
        self,
        app: Sphinx,
        what: str,
        name: str,
        it: object,
        options: object,
        lines: list,
    ) -> None:
        """Say of a field what its comment says."""
        if what in _FIELDS:
            lines[:] = self._said[name]


def name_aliases(
    app: Sphinx,
    what: str,
    name: str,
    it: object,
    options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Undo what Sphinx prints of an alias where it is one of several types."""
    return _named(signature), _named(returned)


def _named(types: str | None) -> str | None:
    return types and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", types)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    docstrings = Docstrings()
    event = "autodoc-process-docstring"
    app.connect(event, docstrings.prepare, priority=_NAPOLEON - 1)
    app.connect(event, docstrings.mend, priority=_NAPOLEON + 1)
    app.connect("autodoc-process-signature", name_aliases)
    return {"parallel_read_safe": True}
