"""Examples of docstrings, set apart.

Our docstrings end with an example and no heading above it; in a docstring with
sections, the example would be read as a part of the last of them.
"""

from __future__ import annotations

from sphinx.application import Sphinx

_HEADING = ["Examples", "--------"]


def set_examples_apart(
    app: Sphinx, what: str, name: str, it: object, options: object, lines: list[str]
) -> None:
    """Put a heading above the first example, where sections come before it."""
    if not any(line.startswith("-----") for line in lines):
        return
    for k, line in enumerate(lines):
        if line.startswith(">>> "):
            lines[k:k] = _HEADING
            return


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx, and be asked before napoleon, whose turn is 500."""
    app.connect("autodoc-process-docstring", set_examples_apart, priority=400)
    return {"parallel_read_safe": True}
