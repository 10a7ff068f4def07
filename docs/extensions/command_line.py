"""The directive ``commands``: the help of every command, as the program prints it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO

from docutils import nodes
from docutils.nodes import Node
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from thatch.cli.app import run

# What fits on a page.
_COLUMNS = "90"


def help_of(*command: str) -> str:
    """What ``thatch COMMAND --help`` prints."""
    os.environ["COLUMNS"] = _COLUMNS
    with redirect_stdout(StringIO()) as printed:
        run([*command, "--help"])
    return printed.getvalue().strip()


def commands_below(*command: str) -> Iterator[tuple[str, ...]]:
    """Every command that a command has, and theirs, in the order of the help."""
    _, _, listed = help_of(*command).partition("Commands:\n")
    for name in re.findall(r"^  ([\w-]+)", listed, flags=re.MULTILINE):
        yield *command, name
        yield from commands_below(*command, name)


class Commands(SphinxDirective):
    """A section a command."""

    def run(self) -> list[Node]:
        """Build the sections, with the program's own help first."""
        return [_help(), *(self._section(command) for command in commands_below())]

    def _section(self, command: tuple[str, ...]) -> nodes.section:
        title = nodes.title("", "", nodes.literal(text=" ".join(("thatch", *command))))
        name = "-".join(command)
        section = nodes.section("", title, ids=[name], names=[name])
        self.state.document.note_explicit_target(section, section)
        section += _help(*command)
        return section


def _help(*command: str) -> nodes.literal_block:
    return nodes.literal_block(text=help_of(*command), language="text")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": False}
