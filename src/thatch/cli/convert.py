"""``thatch convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thatch.cli.options import Budget, UnitCosts, opened, require_targets


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("convert")(convert_command)


def convert_command(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="File to read; - for stdin.")
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="File to write: .json, .npz, .txt, .dense or .scp (OR-Library).",
        ),
    ],
    budget: Budget = None,
    unit_costs: UnitCosts = False,
) -> None:
    """Rewrite a coverage problem in another format. The ending of OUT says which."""
    from thatch.instances import read_instance, write_instance

    require_targets(target, source=source)
    write_instance(
        read_instance(opened(source), budget=budget, unit_costs=unit_costs), target
    )
