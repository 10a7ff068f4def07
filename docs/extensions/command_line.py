"""The directive ``commands``: the help of every command, as the program prints it."""

from __future__ import annotations

import os
import re
from contextlib import redirect_stdout
from io import StringIO

from docutils import nodes
from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from thatch.cli.app import run

_COLUMNS = "80"


def help_of(*command: str) -> str:
    """What ``thatch COMMAND --help`` prints on a terminal of eighty columns."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = _COLUMNS
    try:
        with redirect_stdout(StringIO()) as printed:
            run([*command, "--help"])
    finally:
        del os.environ["COLUMNS"]
        if before is not None:
            os.environ["COLUMNS"] = before
    return printed.getvalue().strip()


def command_names() -> list[str]:
    """Every command, in the order of the help."""
    _, _, listed = help_of().partition("Commands:\n")
    return re.findall(r"^  (\w+)", listed, flags=re.MULTILINE)


class Commands(SphinxDirective):
    """A section a command."""

    def run(self) -> list[Node]:
        """Build the sections, with the program's own help first."""
        return [
            nodes.literal_block(text=help_of(), language="text"),
            *(self._section(name) for name in command_names()),
        ]

    def _section(self, name: str) -> nodes.section:
        title = nodes.title("", "", nodes.literal(text=f"thatch {name}"))
        section = nodes.section("", title, ids=[name], names=[name])
        self.state.document.note_explicit_target(section, section)
        section += nodes.literal_block(text=help_of(name), language="text")
        return section


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": False}
