"""``thatch solve``."""

from __future__ import annotations

from os.path import exists, isdir
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from thatch.cli.output import (
    Format,
    gap_in_words,
    input_path,
    print_result,
    require_outputs,
    require_targets,
    selection_table,
)
from thatch.cli.parameters import (
    Output,
    OutputFormat,
    Resume,
    SavedCertificate,
    Scheduler,
    ShowProgress,
    Threads,
    Workers,
    argument,
    value_option,
)
from thatch.errors import InputError
from thatch.serve.answers.general import Solution, as_json
from thatch.solvers.solver_settings import ProblemSettings, RunSettings, SolverSettings

if TYPE_CHECKING:
    from thatch.errors import InputError
    from thatch.machine.engines import Engine
    from thatch.problem.coverage_problem import CoverageProblem
    from thatch.run.result import Result
    from thatch.scale import ShardedProblem

_SOLVERS_FOR_GPU = ("auto", "bp")


File = Annotated[
    str,
    argument(
        "FILE", "Coverage problem to solve, or folder of shards; - for standard input."
    ),
]
DeviceName = Annotated[
    str, value_option("cpu|gpu", "Device for message passing and bounds: cpu or gpu.")
]
ShardEngine = Annotated[
    str | None,
    value_option(
        "NAME",
        "For shards: engine, local, dask or spark.  [default: local]",
        "--engine",
    ),
]
Trace = Annotated[
    Path | None, value_option("FILE", "CSV file to write, with one row per iteration.")
]


def solve_command(
    file: File,
    problem: ProblemSettings,
    solver: SolverSettings,
    run: RunSettings,
    threads: Threads = None,
    device: DeviceName = "cpu",
    engine: ShardEngine = None,
    scheduler: Scheduler = None,
    workers: Workers = None,
    resume: Resume = False,
    format: OutputFormat = Format.TEXT,
    output: Output = None,
    trace: Trace = None,
    certificate: SavedCertificate = None,
    progress: ShowProgress = None,
) -> None:
    """Select items within the budget that cover the most weight."""
    from thatch.run.saved_results import save_result
    from thatch.run.stopping import Interruption, MaxIterations
    from thatch.solvers.solving import solve

    chosen = solver.chosen()
    _require_device(device, solver.solver)
    require_outputs(output, trace, source=Path(file))
    require_targets(certificate, source=Path(file))
    limit = solver.max_iterations
    given = _given(engine=engine, scheduler=scheduler, workers=workers, resume=resume)
    shards = _opened_shards(file, problem, given)
    if shards is not None and certificate is not None:
        raise _certificate_of_shards()
    instance = _read(file, problem) if shards is None else shards
    with Interruption() as interruption:
        result = solve(
            instance,
            chosen,
            max_seconds=run.max_seconds,
            stop=[interruption, *([] if limit is None else [MaxIterations(limit)])],
            seed=run.seed,
            num_threads=threads,
            device=device,
            engine=_engine(engine, scheduler, workers),
            resume=resume,
            progress=progress,
        )
    if certificate is not None:
        save_result(
            certificate,
            result,
            has_unit_costs=problem.unit_costs,
            budget=result.selection.problem.budget,
            upper_bound=result.upper_bound,
        )
    if format is Format.JSON:
        text = as_json(Solution.of(result, solver.solver, run.seed))
    else:
        text = _as_text(result, solver.solver, has_table=shards is None)
    advice = "" if shards is None else " Continue with --resume."
    print_result(result, text, output, trace, advice=advice)


def _read(file: str, settings: ProblemSettings) -> CoverageProblem:
    from thatch.problem.instances import read_instance

    problem = read_instance(
        input_path(Path(file)), budget=settings.budget, unit_costs=settings.unit_costs
    )
    return settings.decided(problem)


def _given(**options: object) -> list[str]:
    return [
        f"--{name}"
        for name, value in options.items()
        if value is not None and value is not False
    ]


def _opened_shards(
    file: str, settings: ProblemSettings, given: list[str]
) -> ShardedProblem | None:
    """The problem in a folder of shards, a path or an address; None if it is a file."""
    from thatch.scale import ShardedProblem

    # Unlike those of `Path`, these functions raise no error if a name is too long.
    if not ("://" in file or isdir(file)):  # noqa: PTH112
        if given:
            raise _no_folder(file, given)
        return None
    try:
        problem = ShardedProblem.open(file)
    except NotADirectoryError:  # an address of this disk, such as file:///tmp/e.csv
        raise _no_folder(file, given) from None
    for option in ("unit_costs", "require", "forbid"):
        if getattr(settings, option):
            raise InputError(
                f"--{option.replace('_', '-')} is not available for shards.",
                hint="Leave it out.",
            )
    return problem if settings.budget is None else problem.with_budget(settings.budget)


def _certificate_of_shards() -> InputError:
    return InputError(
        "--certificate is not available for shards: theirs is kept beside them.",
        hint="Check a result in Python, with thatch.verify.",
    )


def _no_folder(file: str, given: list[str]) -> InputError:
    """The error about a file, or about nothing, in place of a folder of shards."""
    if file == "-":
        place = "standard input is"
    elif "://" in file or exists(file):  # noqa: PTH110
        place = f"{file} is a file,"
    else:
        return InputError(
            f"{file} does not exist; it must be a folder of shards.",
            hint="Check the path, or make shards with thatch shard.",
        )
    if not given:
        return InputError(
            f"{place} not a folder of shards; an address must name one.",
            hint="Copy the file to this disk, or make shards with thatch shard.",
        )
    options = " and ".join(given)
    return InputError(
        f"{place} not a folder of shards, which {options} "
        f"{'needs' if len(given) == 1 else 'need'}.",
        hint=f"Leave out {options}, or make shards with thatch shard.",
    )


def _engine(
    name: str | None, scheduler: str | None, workers: int | None
) -> Engine | None:
    """The engine that options ask for; None if they ask for none."""
    from thatch.scale import engine_named

    if name is None and scheduler is None and workers is None:
        return None
    return engine_named(name or "local", scheduler=scheduler, num_workers=workers)


def _require_device(device: str, solver: str) -> None:
    """Require a device that the solver can use, before a large file is read."""
    from thatch.machine.devices import device_named

    if device == "gpu" and solver not in _SOLVERS_FOR_GPU:
        raise InputError(
            f"--device {device} requires --solver auto or bp; --solver is {solver}.",
            hint="Leave out --device: the other solvers run on the CPU.",
        )
    device_named(device)


def _as_text(result: Result, solver: str, *, has_table: bool) -> str:
    from thatch.run.progress_bar import duration

    selection = result.selection
    problem = selection.problem
    lines = [
        (
            f"value    {selection.value:,.10g} of at most {result.upper_bound:,.10g} "
            f"({gap_in_words(result.gap)})"
        ),
        f"cost     {selection.cost:,.10g} of {problem.budget:,.10g}",
        f"solver   {solver}, {duration(result.seconds)}: {result.status.value}",
        f"items    {len(selection):,} of {problem.num_items:,}",
    ]
    if len(selection) and has_table:
        lines += ["", *selection_table(selection)]
    return "\n".join(lines) + "\n"
