"""``thatch solve``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli.options import (
    Budget,
    Format,
    Output,
    Seed,
    Threads,
    UnitCosts,
    deliver,
    number_option,
    one_line,
    opened,
    require_targets,
    whole_number_option,
)

if TYPE_CHECKING:
    from thatch.run.result import Result

# Longer selections are cut short in the text format; JSON always lists them all.
_MOST_ROWS = 40
_SOLVERS_FOR_GPU = ("auto", "bp")


File = Annotated[Path, typer.Argument(help="Coverage problem to solve; - for stdin.")]
SolverName = Annotated[
    str,
    typer.Option(
        help="auto, bp, greedy, ggreedy, static, local-search, exact, exhaustive."
    ),
]
MaxSeconds = Annotated[
    float | None, number_option("Stop after so long, with the best found.")
]
MaxIterations = Annotated[
    int | None, whole_number_option("Stop after so many iterations.")
]
InverseTemperature = Annotated[
    float | None, number_option("For bp: how much weight decides; inf is max-sum.")
]
Price = Annotated[
    str | None,
    typer.Option(
        metavar="MU|auto",
        help="For bp: weight a unit of cost must earn; auto spends the budget.",
    ),
]
DeviceName = Annotated[
    str,
    typer.Option(
        metavar="cpu|gpu", help="Where to pass messages and find bounds: cpu or gpu."
    ),
]
Damping = Annotated[
    float | None, number_option("For bp: share of the old message kept.")
]
Reinforcement = Annotated[
    float | None,
    number_option("For bp: share of its field an item is given back at the end."),
]
Paper = Annotated[
    bool,
    typer.Option("--paper", help="For bp: the paper's Algorithm 2, nothing added."),
]
HowToPrint = Annotated[Format, typer.Option(help="How to print the answer.")]
Trace = Annotated[Path | None, typer.Option(help="CSV file for one row an iteration.")]


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("solve")(solve_command)


def solve_command(
    file: File,
    budget: Budget = None,
    solver: SolverName = "auto",
    max_seconds: MaxSeconds = None,
    max_iterations: MaxIterations = None,
    seed: Seed = 0,
    inverse_temperature: InverseTemperature = None,
    price: Price = None,
    damping: Damping = None,
    reinforcement: Reinforcement = None,
    paper: Paper = False,
    threads: Threads = None,
    device: DeviceName = "cpu",
    unit_costs: UnitCosts = False,
    format: HowToPrint = Format.TEXT,
    output: Output = None,
    trace: Trace = None,
) -> None:
    """Choose items within the budget that cover the most weight."""
    from thatch.answers import Solution, as_json
    from thatch.errors import InputError
    from thatch.instances import read_instance
    from thatch.run.progress import write_trace
    from thatch.run.stopping import MaxIterations
    from thatch.solvers.solver_settings import SolverSettings
    from thatch.solving import solve

    chosen = SolverSettings(
        solver=solver,
        max_iterations=max_iterations,
        inverse_temperature=inverse_temperature,
        price=price,
        damping=damping,
        reinforcement=reinforcement,
        paper=paper or None,
    ).chosen()
    _require_device(device, solver)
    if str(trace) == "-":
        raise InputError(
            "--trace must name a file, got '-'.", hint="Name one that ends in .csv."
        )
    require_targets(None if str(output) == "-" else output, trace, source=file)
    result = solve(
        read_instance(opened(file), budget=budget, unit_costs=unit_costs),
        chosen,
        max_seconds=max_seconds,
        stop=[] if max_iterations is None else [MaxIterations(max_iterations)],
        seed=seed,
        num_threads=threads,
        device=device,
    )
    if format is Format.JSON:
        text = as_json(Solution.of(result, solver, seed))
    else:
        text = _as_text(result, solver)
    if trace is not None:
        write_trace(result.trace, trace)
    deliver(text, output)


def _require_device(device: str, solver: str) -> None:
    """Raise before a large file is read, rather than after."""
    from thatch.devices import device_named
    from thatch.errors import InputError

    if device == "gpu" and solver not in _SOLVERS_FOR_GPU:
        raise InputError(
            f"--device {device} must come with --solver auto or bp, "
            f"got --solver {solver}.",
            hint="Leave --device out: the others run on the processor.",
        )
    device_named(device)


def _as_text(result: Result, solver: str) -> str:
    selection = result.selection
    problem = selection.problem
    lines = [
        f"value    {selection.value:,.10g} of at most {result.upper_bound:,.10g} "
        f"(certified gap {result.gap:.2%})",
        f"cost     {selection.cost:,.10g} of {problem.budget:,.10g}",
        f"solver   {solver}, {result.seconds:.2g} s: {result.status.value}",
        f"items    {len(selection)} of {problem.num_items}",
    ]
    if len(selection):
        lines += ["", *_table(result)]
    return "\n".join(lines) + "\n"


def _table(result: Result) -> list[str]:
    selection = result.selection
    rows = [("item", "cost", "covers alone")]
    for i, label, alone in zip(
        selection.items.tolist()[:_MOST_ROWS],
        selection.labels,
        selection.contributions.tolist(),
        strict=False,
    ):
        cost = float(selection.problem.costs[i])
        rows.append((one_line(str(label)), f"{cost:,.10g}", f"{alone:,.10g}"))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [
        f"{label:<{widths[0]}}  {cost:>{widths[1]}}  {alone:>{widths[2]}}"
        for label, cost, alone in rows
    ]
    if len(selection) > _MOST_ROWS:
        lines.append(
            f"... and {len(selection) - _MOST_ROWS} more; --format json lists all"
        )
    return lines
