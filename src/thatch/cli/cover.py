"""``thatch cover``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from thatch.cli.output import (
    Format,
    input_path,
    print_result,
    require_outputs,
    require_targets,
    selection_table,
    share_at_most,
)
from thatch.cli.parameters import (
    Only,
    Output,
    OutputFormat,
    SavedCertificate,
    ShowProgress,
    argument,
    value_option,
)
from thatch.serve.answers.general import CoverAnswer, as_json
from thatch.solvers.solver_settings import CoverSettings, ProblemSettings, RunSettings

if TYPE_CHECKING:
    from thatch.solvers.covering.covering import CoverResult

File = Annotated[
    Path,
    argument(
        "FILE", "Coverage problem, whose budget is ignored; - for standard input."
    ),
]
Trace = Annotated[
    Path | None,
    value_option(
        "FILE",
        "CSV file to write, with the bound (value) and the cost (upper_bound) of "
        "each step.",
    ),
]


def cover_command(
    file: File,
    target: CoverSettings,
    problem: Annotated[ProblemSettings, Only("unit_costs", "require", "forbid")],
    run: RunSettings,
    format: OutputFormat = Format.TEXT,
    output: Output = None,
    trace: Trace = None,
    certificate: SavedCertificate = None,
    progress: ShowProgress = None,
) -> None:
    """Find the cheapest items that cover a target."""
    from thatch.problem.instances import read_instance
    from thatch.run.saved_results import save_result
    from thatch.run.stopping import Interruption
    from thatch.solvers.covering.covering import cover

    require_outputs(output, trace, source=file)
    require_targets(certificate, source=file)
    instance = read_instance(
        input_path(file), budget=0.0, unit_costs=problem.unit_costs
    )
    instance = problem.decided(instance)
    with Interruption() as interruption:
        result = cover(
            instance,
            share=target.share,
            weight=target.weight,
            share_of=target.share_of,
            max_seconds=run.max_seconds,
            stop=[interruption],
            seed=run.seed,
            progress=progress,
        )
    if certificate is not None:
        save_result(
            certificate,
            result,
            has_unit_costs=problem.unit_costs,
            budget=instance.budget,
            lower_bound=result.lower_bound,
            slack=result.slack,
        )
    if format is Format.JSON:
        text = as_json(CoverAnswer.of(result, run.seed))
    else:
        text = _as_text(result)
    print_result(result, text, output, trace)


def _as_text(result: CoverResult) -> str:
    from thatch.run.progress_bar import duration

    selection = result.selection
    proof = (
        f"at most {share_at_most(result.gap)} of it can be saved"
        if result.gap
        else "proved cheapest"
    )
    lines = [
        (
            f"cost     {result.cost:,.10g} of at least {result.lower_bound:,.10g} "
            f"({proof})"
        ),
        (
            f"value    {selection.value:,.10g} of {result.total:,.10g} "
            f"({result.share:.2%}); the target is {result.target:,.10g}"
        ),
        f"search   {duration(result.seconds)}: {result.explanation}",
        f"items    {len(selection)} of {selection.problem.num_items}",
    ]
    if len(selection):
        lines += ["", *selection_table(selection)]
    return "\n".join(lines) + "\n"
