"""``thatch summarize``."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli import summary_report as report
from thatch.cli.options import (
    Output,
    Seed,
    deliver,
    number_option,
    one_line,
    require_targets,
    whole_number_option,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thatch.text.concepts.background import Background
    from thatch.text.documents.document import Document
    from thatch.text.summary import Summary


class SummaryFormat(enum.StrEnum):
    """How a summary is printed."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


_STANDARD_INPUT = Path("-")

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILES",
        help="Documents or folders of them; - or nothing for standard input.",
    ),
]
Budget = Annotated[float, number_option("The most that the summary may measure.")]
UnitName = Annotated[
    str,
    typer.Option(
        "--unit", metavar="UNIT", help="words, characters, sentences or tokens."
    ),
]
Tokenizer = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="For tokens: an encoding or model that tiktoken knows."
    ),
]
ByName = Annotated[
    str, typer.Option("--by", metavar="KIND", help="sentence, paragraph or file.")
]
ConceptsName = Annotated[
    str,
    typer.Option(
        "--concepts",
        metavar="NAME",
        help="salience, tf-idf, tf-idf-content or bigrams.",
    ),
]
BackgroundPath = Annotated[
    Path | None,
    typer.Option(
        "--background", help="For words: documents that say which words are rare."
    ),
]
Query = Annotated[
    str, typer.Option(metavar="TEXT", help="Words that the summary should answer.")
]
Require = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help="A passage that holds this text must be chosen; repeatable.",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT", help="No passage that holds this text is chosen; repeatable."
    ),
]
MinWords = Annotated[int | None, whole_number_option("The fewest words of a passage.")]
MaxWords = Annotated[int | None, whole_number_option("The most words of a passage.")]
Separator = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT", help="What stands between passages; \\n breaks the line."
    ),
]
Heading = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What stands above each passage; {name} names its document.",
    ),
]
Language = Annotated[
    str | None, typer.Option(metavar="CODE", help="Code such as de; guessed otherwise.")
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="How the files are encoded, if not in UTF-8."),
]
SolverName = Annotated[
    str, typer.Option("--solver", metavar="NAME", help="As for thatch solve.")
]
MaxSeconds = Annotated[
    float | None, number_option("Stop solving after so long, with the best found.")
]
Explain = Annotated[
    bool,
    typer.Option("--explain", help="Say what each sentence adds, and what was left."),
]
HowToPrint = Annotated[SummaryFormat, typer.Option(help="How to print the summary.")]
Curve = Annotated[
    str | None,
    typer.Option(
        metavar="BUDGETS", help="Print covered weight at budgets such as 50,100,200."
    ),
]


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("summarize")(summarize_command)


def summarize_command(
    files: Files = None,
    budget: Budget = 100,
    unit: UnitName = "words",
    tokenizer: Tokenizer = None,
    by: ByName = "sentence",
    concepts: ConceptsName = "salience",
    background: BackgroundPath = None,
    query: Query = "",
    require: Require = None,
    exclude: Exclude = None,
    min_words: MinWords = None,
    max_words: MaxWords = None,
    separator: Separator = None,
    heading: Heading = None,
    language: Language = None,
    encoding: Encoding = None,
    solver: SolverName = "auto",
    max_seconds: MaxSeconds = None,
    seed: Seed = 0,
    format: HowToPrint = SummaryFormat.TEXT,
    explain: Explain = False,
    curve: Curve = None,
    output: Output = None,
) -> None:
    """Choose the sentences that say the most within the budget."""
    from thatch.text.passages.passages import language_of
    from thatch.text.summary_settings import SummarySettings

    if curve is not None:
        _require_table(format, is_explained=explain)
    documents = _documents(files or [_STANDARD_INPUT], encoding, output)
    # What the background is stemmed by must be what the text is.
    language = language or language_of(documents)
    settings = SummarySettings(
        unit=unit,
        tokenizer=tokenizer,
        by=by,
        concepts=concepts,
        query=query,
        require=tuple(require or ()),
        exclude=tuple(exclude or ()),
        min_words=min_words,
        max_words=max_words,
        separator=_unescaped(separator),
        heading=_unescaped(heading),
        language=language,
        solver=solver,
    )
    summarizer = settings.summarizer(_background(background, language, encoding))
    _tell(summarizer.unit.note)
    budgets = [budget] if curve is None else _budgets(curve)
    summaries = summarizer.curve(documents, budgets, max_seconds=max_seconds, seed=seed)
    if curve is not None:
        deliver(report.curve(summaries, is_json=format is SummaryFormat.JSON), output)
    else:
        _show(summaries[0], format, solver, is_explained=explain, output=output)


def _require_table(format: SummaryFormat, *, is_explained: bool) -> None:
    from thatch.errors import InputError

    if is_explained or format is SummaryFormat.MARKDOWN:
        raise InputError(
            "--curve must come without --explain and --format markdown, got one.",
            hint="It prints a table, or JSON lines with --format json.",
        )


def _show(
    summary: Summary,
    format: SummaryFormat,
    solver: str,
    *,
    is_explained: bool,
    output: Path | None,
) -> None:
    from thatch.answers import SummaryAnswer, as_json

    _tell(summary.warning and f"warning: {summary.warning}")
    if format is SummaryFormat.JSON:
        answer = SummaryAnswer.of(summary, solver, is_explained=is_explained)
        deliver(as_json(answer), output)
    elif format is SummaryFormat.MARKDOWN and is_explained:
        deliver(report.as_markdown(summary), output)
    else:
        deliver(report.as_text(summary), output)
        if is_explained:
            sys.stderr.write("\n" + report.explanation(summary))
    if sys.stderr.isatty() and not is_explained:
        _tell(report.in_one_line(summary))


def _tell(message: str) -> None:
    if message:
        sys.stderr.write(f"{one_line(message)}\n")


def _background(path: Path | None, language: str, encoding: str | None) -> Background:
    from thatch.text.concepts.background import Background
    from thatch.text.documents.readers import read_documents

    if path is None:
        return Background()
    return Background.of(read_documents([path], encoding=encoding), language=language)


def _unescaped(text: str | None) -> str | None:
    """What was meant, where a shell passes a line break as two characters."""
    return text and text.replace("\\n", "\n").replace("\\t", "\t")


def _documents(
    files: list[Path], encoding: str | None, output: Path | None
) -> Sequence[Document]:
    """Documents of the files, none of which the output may replace."""
    from thatch.errors import InputError
    from thatch.text.documents.readers import read_documents

    if files.count(_STANDARD_INPUT) > 1:
        raise InputError(
            "standard input must be named once, got - twice.",
            hint="Leave one out.",
        )
    target = None if str(output) == "-" else output
    for file in files:
        require_targets(target, source=file)
    if _STANDARD_INPUT in files and sys.stdin is not None and sys.stdin.isatty():
        _tell("reading standard input until its end (Ctrl-D)")
    documents = read_documents(
        files,
        encoding=encoding,
        on_skip=lambda path, reason: _tell(
            f"skipped {reason if str(path) in reason else f'{path}: {reason}'}"
        ),
    )
    # What a folder holds is known only now.
    for document in documents:
        require_targets(target, source=Path(document.name))
    return documents


def _budgets(text: str) -> list[float]:
    from thatch.errors import InputError

    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--curve must be numbers with commas between them, got {text!r}.",
            hint="Try --curve 50,100,200.",
        ) from None
