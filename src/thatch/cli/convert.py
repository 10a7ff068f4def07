"""``thatch convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from thatch.cli.output import input_path, require_targets
from thatch.cli.parameters import argument, errors_naming, number_option
from thatch.solvers.solver_settings import ProblemSettings

# These formats store no budget, and are written without one.
_WITHOUT_BUDGET = (".scp", ".rail")


def convert_command(
    source: Annotated[Path, argument("IN", "File to read; - for standard input.")],
    target: Annotated[
        Path,
        argument(
            "OUT",
            "File to write: .json, .npz, .txt, .dense, .scp, .rail (OR-Library), "
            ".mps or .lp (integer program).",
        ),
    ],
    problem: ProblemSettings,
    cover_share: Annotated[
        float | None,
        number_option(
            "For .mps and .lp: minimize the cost of covering this share of the "
            "weight, instead of covering the most within the budget."
        ),
    ] = None,
) -> None:
    """Convert a coverage problem to another file format.

    The extension of OUT decides the format.
    """
    from thatch.problem.instances import read_instance, write_instance, write_program
    from thatch.problem.instances.integer_program import partial_cover_program

    require_targets(target, source=source)
    needs_budget = cover_share is None and target.suffix.lower() not in _WITHOUT_BUDGET
    budget = problem.budget if needs_budget else problem.budget or 0.0
    instance = read_instance(
        input_path(source), budget=budget, unit_costs=problem.unit_costs
    )
    instance = problem.decided(instance)
    if cover_share is None:
        write_instance(instance, target)
    else:
        with errors_naming(share="--cover-share"):
            program = partial_cover_program(instance, cover_share)
        write_program(program, target)
