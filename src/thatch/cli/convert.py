"""``thatch convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thatch.cli.output import input_path, require_targets
from thatch.cli.parameters import add_command
from thatch.solvers.solver_settings import ProblemSettings


def add_to(program: typer.Typer) -> None:
    """Add the command to the program."""
    add_command(program, "convert", convert_command)


def convert_command(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="File to read; - for standard input.")
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="File to write: .json, .npz, .txt, .dense or .scp (OR-Library).",
        ),
    ],
    problem: ProblemSettings,
) -> None:
    """Convert a coverage problem to another file format.

    The extension of OUT decides the format.
    """
    from thatch.instances import read_instance, write_instance

    require_targets(target, source=source)
    instance = read_instance(
        input_path(source), budget=problem.budget, unit_costs=problem.unit_costs
    )
    write_instance(instance, target)
