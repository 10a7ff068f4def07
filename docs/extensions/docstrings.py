"""Adapt the project's docstring style to what napoleon expects.

Docstrings end with an example without a heading, which napoleon would read as part of
the last section. Fields are described in plain sentences, whose first colon napoleon
would read as the end of the field's type.
"""

from __future__ import annotations

import re

from sphinx.application import Sphinx

# Priority of napoleon's own handler; lower runs earlier.
_NAPOLEON = 500
_FIELDS = ("attribute", "property")


class Docstrings:
    """Docstrings as they were before napoleon changed them."""

    def __init__(self) -> None:
        self._originals: dict[str, list[str]] = {}

    def add_example_heading(
        self,
        app: Sphinx,
        what: str,
        name: str,
        it: object,
        options: object,
        lines: list,
    ) -> None:
        """Insert a heading above the first example if the docstring has sections."""
        self._originals[name] = list(lines)
        if not any(line.startswith("-----") for line in lines):
            return
        for k, line in enumerate(lines):
            if line.startswith(">>> "):
                lines[k:k] = ["Examples", "--------"]
                return

    def restore_fields(
        self,
        app: Sphinx,
        what: str,
        name: str,
        it: object,
        options: object,
        lines: list,
    ) -> None:
        """Restore the comment of a field as it was written."""
        if what in _FIELDS:
            lines[:] = self._originals[name]


def name_aliases(
    app: Sphinx,
    what: str,
    name: str,
    it: object,
    options: object,
    signature: str | None,
    returned: str | None,
) -> tuple[str | None, str | None]:
    """Print type aliases by name where Sphinx prints a forward reference."""
    return _named(signature), _named(returned)


def _named(types: str | None) -> str | None:
    return types and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", types)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the handlers."""
    docstrings = Docstrings()
    event = "autodoc-process-docstring"
    app.connect(event, docstrings.add_example_heading, priority=_NAPOLEON - 1)
    app.connect(event, docstrings.restore_fields, priority=_NAPOLEON + 1)
    app.connect("autodoc-process-signature", name_aliases)
    return {"parallel_read_safe": True}
