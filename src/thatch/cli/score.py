"""``thatch score``."""

from __future__ import annotations

import enum
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli.options import (
    Format,
    Output,
    Seed,
    deliver,
    number_option,
    opened,
    require_targets,
    whole_number_option,
)

if TYPE_CHECKING:
    from thatch.rouge import Averages, Bootstrap, Measure

_COLUMNS = ("recall", "precision", "f_measure")


class Variant(enum.StrEnum):
    """Whose numbers to reproduce."""

    ORIGINAL = "original"
    SUMEVAL = "sumeval"


class TokensName(enum.StrEnum):
    """What counts as a word."""

    ORIGINAL = "original"
    UNICODE = "unicode"


class JoiningName(enum.StrEnum):
    """What several references become."""

    AVERAGE = "average"
    BEST = "best"


SummaryFile = Annotated[
    Path,
    typer.Argument(
        metavar="SUMMARY",
        help="Text to judge, or .jsonl of {id, summary}; - for stdin.",
    ),
]
ReferenceFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="REFERENCES...",
        help="Texts it should agree with, or one .jsonl of {id, references}.",
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Numbers, L, S4, SU4, S*, SU*; 1,2,L,SU4 unless given.",
    ),
]
LimitWords = Annotated[
    int | None, whole_number_option("Cut every text to so many words (-l).")
]
LimitBytes = Annotated[
    int | None, whole_number_option("Cut every text to so many bytes (-b).")
]
Stem = Annotated[
    bool | None,
    typer.Option("--stem/--no-stem", help="Compare stems of words (-m); on."),
]
RemoveStopWords = Annotated[
    bool | None,
    typer.Option(
        "--remove-stop-words/--keep-stop-words",
        help="Leave out the words everybody uses (-s); sumeval does, original not.",
    ),
]
JoiningOption = Annotated[
    JoiningName | None,
    typer.Option("--joining", help="Several references: average or best (-f)."),
]
Alpha = Annotated[
    float | None, number_option("Share of precision in the F-measure (-p); 0.5.")
]
TokensOption = Annotated[
    TokensName | None,
    typer.Option("--tokens", help="Words of a-z and 0-9 alone, or of any script."),
]
Language = Annotated[
    str | None,
    typer.Option(help="Snowball stems of a language; implies --tokens unicode."),
]
WhoseNumbers = Annotated[
    Variant, typer.Option(help="ROUGE-1.5.5, or SumEval as the paper used it.")
]
Resamples = Annotated[
    int, whole_number_option("How often intervals draw the summaries again.")
]
Confidence = Annotated[float, number_option("Share of draws that an interval holds.")]


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("score")(score_command)


def score_command(
    summary: SummaryFile,
    references: ReferenceFiles,
    metrics: Metrics = None,
    limit_words: LimitWords = None,
    limit_bytes: LimitBytes = None,
    stem: Stem = None,
    remove_stop_words: RemoveStopWords = None,
    joining: JoiningOption = None,
    alpha: Alpha = None,
    tokens: TokensOption = None,
    language: Language = None,
    variant: WhoseNumbers = Variant.ORIGINAL,
    resamples: Resamples = 1000,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    format: Annotated[
        Format, typer.Option(help="How to print the scores.")
    ] = Format.TEXT,
    output: Output = None,
) -> None:
    """Score a summary by ROUGE, against texts that people wrote."""
    from thatch.rouge import Bootstrap
    from thatch.rouge.score_settings import ScoreSettings

    settings = ScoreSettings(
        variant=variant.value,
        metrics=metrics,
        limit_words=limit_words,
        limit_bytes=limit_bytes,
        stem=stem,
        remove_stop_words=remove_stop_words,
        joining=joining.value if joining else None,
        alpha=alpha,
        tokens=tokens.value if tokens else None,
        language=language,
    )
    measure = settings.measure()
    bootstrap = Bootstrap(resamples, confidence, seed)
    _require_one_stdin([summary, *references])
    for file in (summary, *references):
        require_targets(None if str(output) == "-" else output, source=file)
    is_json = format is Format.JSON
    if any(file.suffix.lower() == ".jsonl" for file in (summary, *references)):
        text = _many(summary, references, measure, bootstrap, is_json=is_json)
    else:
        text = _one(summary, references, measure, is_json=is_json)
    deliver(text, output)


def _require_one_stdin(files: list[Path]) -> None:
    from thatch.errors import InputError

    if sum(str(file) == "-" for file in files) > 1:
        raise InputError(
            "standard input must be named once, got - more than once.",
            hint="Name files for the others.",
        )


def _one(
    summary: Path, references: list[Path], measure: Measure, *, is_json: bool
) -> str:
    from thatch.answers import ScoresAnswer, as_json
    from thatch.rouge.files import read_text

    scores = measure.score(
        read_text(opened(summary)), [read_text(opened(file)) for file in references]
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
    from thatch.answers import ScoresAnswer
    from thatch.errors import InputError
    from thatch.rouge.files import read_cases

    if len(references) > 1:
        raise InputError(
            "references must be one file where summaries are JSON lines, got "
            f"{len(references)}.",
            hint="Put all references of an id into one list.",
        )
    cases = read_cases(opened(summary), opened(references[0]))
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
    widths = [max(len(row[place]) for row in rows) for place in range(4)]
    lines = [
        "  ".join(
            [f"{row[0]:<{widths[0]}}"]
            + [f"{row[place]:>{widths[place]}}" for place in range(1, 4)]
        ).rstrip()
        for row in rows
    ]
    return "\n".join([*lines, "", signature]) + "\n"
