"""The directive ``commands``: the ``--help`` output of every command."""

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

# Width of a page in characters.
_COLUMNS = "90"


def help_of(*command: str) -> str:
    """Output of ``thatch COMMAND --help``."""
    os.environ["COLUMNS"] = _COLUMNS
    with redirect_stdout(StringIO()) as printed:
        run([*command, "--help"])
    return printed.getvalue().strip()


def commands_below(*command: str) -> Iterator[tuple[str, ...]]:
    """All subcommands of a command, recursively, in the order of the help."""
    _, _, listed = help_of(*command).partition("Commands:\n")
    for name in re.findall(r"^  ([\w-]+)", listed, flags=re.MULTILINE):
        yield *command, name
        yield from commands_below(*command, name)


class Commands(SphinxDirective):
    """One section per command."""

    def run(self) -> list[Node]:
        """Build the sections; the help of the program itself comes first."""
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
    """Register the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": False}
