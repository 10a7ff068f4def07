"""``thatch verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from thatch.cli.output import input_path, notify
from thatch.cli.parameters import argument, number_option
from thatch.errors import VerificationFailedError


def verify_command(
    problem: Annotated[
        Path, argument("PROBLEM", "Coverage problem that was solved or covered.")
    ],
    result: Annotated[
        Path, argument("RESULT", "File that --certificate of solve or cover wrote.")
    ],
    max_seconds: Annotated[
        float | None,
        number_option(
            "Time limit in seconds; what takes longer is not verified.  [default: none]"
        ),
    ] = None,
) -> None:
    """Check a result in exact arithmetic, without the solvers."""
    from thatch.problem.instances import read_instance
    from thatch.run.saved_results import read_result
    from thatch.verification import verify

    saved = read_result(input_path(result))
    instance = read_instance(
        input_path(problem), budget=saved.budget, unit_costs=saved.has_unit_costs
    )
    found = verify(saved.decided(instance), saved, max_seconds=max_seconds)
    if not found.holds:
        raise VerificationFailedError(
            f"{result}: {found}.", hint="Do not rely on this result."
        )
    notify(f"verified: {saved.claim}")
