"""``thatch pack``."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from thatch.cli.output import notify, print_or_write, require_targets
from thatch.cli.parameters import Only, Output, add_command
from thatch.context.select_settings import PackSettings
from thatch.solvers.solver_settings import RunSettings

_GLOB_SIGNS = re.compile(r"([*?\[\]\\! #])")

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
    run: Annotated[RunSettings, Only("max_seconds")],
    encoding: Encoding = None,
    explain: Explain = False,
    quiet: Quiet = False,
    output: Output = None,
) -> None:
    """Pack the parts of files that matter into a prompt."""
    from thatch.cli.pack_report import as_text, table

    given = paths or [Path()]
    target = None if str(output) == "-" else output
    for path in given:
        require_targets(target, source=path)
    if target is not None:
        # The prompt of an earlier run is not part of the next one.
        pack = replace(pack, exclude=(*pack.exclude, *_pattern_of(target, given)))
    packed = pack.packed(given, encoding=encoding, max_seconds=run.max_seconds)
    notify(packed.unit.note)
    notify(packed.warning and f"warning: {packed.warning}")
    print_or_write(as_text(packed), output)
    if not quiet:
        sys.stderr.write(table(packed, is_explained=explain))


def _pattern_of(output: Path, paths: list[Path]) -> list[str]:
    """Pattern that matches the output file, if it is below the folders."""
    absolute = [Path(os.path.normpath(path.expanduser().absolute())) for path in paths]
    folders = [path if path.is_dir() else path.parent for path in absolute]
    try:
        root = Path(os.path.commonpath(folders))
        below = Path(os.path.normpath(output.absolute())).relative_to(root)
    except ValueError:  # elsewhere
        return []
    return ["/" + _GLOB_SIGNS.sub(r"\\\1", below.as_posix())]
