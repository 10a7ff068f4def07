"""``thatch tests report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thatch.cli.output import (
    Format,
    JobInterruptedError,
    one_line,
    print_or_write,
    require_targets,
)
from thatch.cli.parameters import OutputFormat, add_command, value_option
from thatch.serve.answers.general import as_json
from thatch.solvers.solver_settings import RunSettings
from thatch.suites.goals import SuiteSettings

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="Coverage recorded with test contexts: a data file of coverage.py, or a "
        "report of coverage json --show-contexts.  [default: .coverage]",
        show_default=False,
    ),
]
Durations = Annotated[
    Path | None,
    value_option(
        "FILE",
        "Durations of the tests: a file from pytest --junit-xml, or JSON with "
        "seconds by node id.  [default: those that the pytest plugin has recorded "
        "next to FILE]",
    ),
]
Lost = Annotated[
    bool, typer.Option("--lost", help="List all lines that only tests left out cover.")
]
NodeIds = Annotated[
    Path | None,
    value_option(
        "FILE",
        "File to write, with one selected test per line, for: pytest @FILE",
        "-o",
        "--output",
    ),
]


def report_command(
    goal: SuiteSettings,
    run: RunSettings,
    file: File = Path(".coverage"),
    durations: Durations = None,
    lost: Lost = False,
    format: OutputFormat = Format.TEXT,
    output: NodeIds = None,
) -> None:
    """Select the cheapest tests that keep a share of the covered lines."""
    from thatch.run.stopping import Interruption
    from thatch.suites.cheapest import SearchLimits
    from thatch.suites.coverage_files import read_recording
    from thatch.suites.durations import cached_durations, read_durations
    from thatch.suites.selecting import select_tests
    from thatch.suites.suite import Suite

    require_targets(output, source=file)
    recording = read_recording(file)
    folder = file.absolute().parent
    known = read_durations(durations) if durations else cached_durations(folder)
    suite = Suite.of(recording, durations=known, root=folder)
    share = 1.0 if goal.share is None and goal.seconds is None else goal.share
    with Interruption() as interruption:
        limits = SearchLimits.within(
            run.max_seconds, stop=[interruption], seed=run.seed
        )
        report = select_tests(suite, share=share, seconds=goal.seconds, limits=limits)
    if format is Format.JSON:
        text = as_json(report)
    else:
        lines = map(one_line, report.as_lines(max_files=20, has_all_lines=lost))
        text = "\n".join(lines) + "\n"
    if output is not None:
        print_or_write("".join(f"{test}\n" for test in report.selected), output)
    print_or_write(text, None)
    if interruption.has_occurred:
        raise JobInterruptedError("Interrupted: these are the best tests found.")


app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Select tests by the lines that they cover.",
)
add_command(app, "report", report_command)
