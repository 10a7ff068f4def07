"""``thatch pack``."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from thatch.cli.output import notify, print_or_write, require_targets
from thatch.cli.parameters import Output, add_command
from thatch.context.select_settings import PackSettings

Paths = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="PATHS", help="Files and folders.  [default: the current folder]"
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Encoding of the files.  [default: UTF-8]"),
]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain", help="List all files that were left out, not only how many."
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "-q", "--quiet", help="Print no table of files, only warnings and the prompt."
    ),
]


def add_to(program: typer.Typer) -> None:
    """Add the command to the program."""
    add_command(program, "pack", pack_command)


def pack_command(
    paths: Paths = None,
    *,
    pack: PackSettings,
    encoding: Encoding = None,
    explain: Explain = False,
    quiet: Quiet = False,
    output: Output = None,
) -> None:
    """Pack the parts of files that matter into a prompt."""
    from thatch.cli.pack_output import excluded_output
    from thatch.cli.pack_report import as_text, table

    given = paths or [Path()]
    target = None if str(output) == "-" else output
    for path in given:
        require_targets(target, source=path)
    if target is not None:
        own = excluded_output(target, given)
        pack = replace(pack, exclude=(*pack.exclude, *own))
    packed = pack.packed(given, encoding=encoding)
    notify(packed.unit.note)
    for warning in packed.warnings:
        notify(f"warning: {warning}")
    print_or_write(as_text(packed), output)
    if not quiet:
        sys.stderr.write(table(packed, is_explained=explain))
