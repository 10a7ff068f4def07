"""``thatch score``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from thatch.cli.output import (
    Format,
    aligned,
    input_path,
    print_or_write,
    require_targets,
)
from thatch.cli.parameters import (
    Output,
    OutputFormat,
    Seed,
    argument,
    errors_naming,
    integer_option,
    number_option,
)
from thatch.errors import InputError
from thatch.rouge.score_settings import ScoreSettings
from thatch.serve.answers.general import ScoresAnswer, as_json

if TYPE_CHECKING:
    from thatch.rouge import Averages, Bootstrap, Measure

_COLUMNS = ("recall", "precision", "f_measure")


SummaryFile = Annotated[
    Path,
    argument(
        "SUMMARY",
        "Summary to score, or a .jsonl of {id, summary}; - for standard input.",
    ),
]
ReferenceFiles = Annotated[
    list[Path],
    argument("REFERENCES", "Reference summaries, or one .jsonl of {id, references}."),
]
Resamples = Annotated[
    int, integer_option("Number of bootstrap resamples for the confidence intervals.")
]
Confidence = Annotated[float, number_option("Confidence level of the intervals.")]


def score_command(
    summary: SummaryFile,
    references: ReferenceFiles,
    settings: ScoreSettings,
    resamples: Resamples = 1000,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    format: OutputFormat = Format.TEXT,
    output: Output = None,
) -> None:
    """Score a summary by ROUGE against reference summaries."""
    from thatch.rouge import Bootstrap

    measure = settings.measure()
    with errors_naming(num_resamples="--resamples"):
        bootstrap = Bootstrap(resamples, confidence, seed)
    _require_one_stdin([summary, *references])
    for file in (summary, *references):
        require_targets(None if str(output) == "-" else output, source=file)
    is_json = format is Format.JSON
    if any(file.suffix.lower() == ".jsonl" for file in (summary, *references)):
        text = _many(summary, references, measure, bootstrap, is_json=is_json)
    else:
        text = _one(summary, references, measure, is_json=is_json)
    print_or_write(text, output)


def _require_one_stdin(files: list[Path]) -> None:
    if sum(str(file) == "-" for file in files) > 1:
        raise InputError(
            "standard input (-) is named more than once.",
            hint="Name files for the other texts.",
        )


def _one(
    summary: Path, references: list[Path], measure: Measure, *, is_json: bool
) -> str:
    from thatch.rouge.files import read_text

    scores = measure.score(
        read_text(input_path(summary)),
        [read_text(input_path(file)) for file in references],
    )
    if is_json:
        return as_json(ScoresAnswer.of(scores))
    rows = [
        (metric, *(f"{getattr(score, column):.5f}" for column in _COLUMNS))
        for metric, score in scores.items()
    ]
    return _as_text(rows, scores.signature)


def _many(
    summary: Path,
    references: list[Path],
    measure: Measure,
    bootstrap: Bootstrap,
    *,
    is_json: bool,
) -> str:
    from thatch.rouge.files import read_cases

    if len(references) > 1:
        raise InputError(
            f"references has {len(references)} files; it must be a single file if the "
            "summaries are JSON Lines.",
            hint="Put all references of an id into one list.",
        )
    cases = read_cases(input_path(summary), input_path(references[0]))
    averages = measure.average(
        [case.candidate for case in cases],
        [case.references for case in cases],
        bootstrap=bootstrap,
    )
    if not is_json:
        return _averages_as_text(averages)
    answer = {
        "num_summaries": len(cases),
        "scores": {metric: asdict(each) for metric, each in averages.items()},
        "each": [
            {"id": case.id, "scores": ScoresAnswer.of(scores).scores}
            for case, scores in zip(cases, averages.scores, strict=True)
        ],
        "signature": averages.signature,
    }
    return json.dumps(answer, allow_nan=False) + "\n"


def _averages_as_text(averages: Averages) -> str:
    rows = []
    for metric, each in averages.items():
        estimates = [getattr(each, column) for column in _COLUMNS]
        rows.append(
            (metric, *(f"{e.mean:.5f} [{e.low:.5f}, {e.high:.5f}]" for e in estimates))
        )
    count = len(averages.scores)
    rows.append((f"{count} {'summary' if count == 1 else 'summaries'}", "", "", ""))
    return _as_text(rows, averages.signature)


def _as_text(rows: list[tuple[str, ...]], signature: str) -> str:
    rows = [("", *(column.replace("_", "-") for column in _COLUMNS)), *rows]
    return "\n".join([*aligned(rows, "<>>>"), "", signature]) + "\n"
