"""``thatch summarize``."""

from __future__ import annotations

import enum
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli import summary_report as report
from thatch.cli.output import notify, print_or_write, require_targets
from thatch.cli.parameters import Output, add_command
from thatch.solvers.solver_settings import RunSettings
from thatch.text.summary_settings import SummaryCall, SummarySettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thatch.text.concepts.background import Background
    from thatch.text.documents.document import Document
    from thatch.text.summary import Summary


class SummaryFormat(enum.StrEnum):
    """Output formats of a summary."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


_STANDARD_INPUT = Path("-")

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILES",
        help="Documents, or folders of documents.  [default: standard input (-)]",
    ),
]
BackgroundPath = Annotated[
    Path | None,
    typer.Option(
        "--background",
        metavar="PATH",
        help="For tf-idf: documents or folders to count word frequencies in.  "
        "[default: the documents themselves]",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Encoding of the files.  [default: UTF-8]"),
]
OutputFormat = Annotated[
    SummaryFormat, typer.Option(metavar="text|json|markdown", help="Output format.")
]
Curve = Annotated[
    str | None,
    typer.Option(
        metavar="BUDGETS",
        help="Print the covered weight at several budgets, such as 50,100,200.",
    ),
]


def add_to(program: typer.Typer) -> None:
    """Add the command to the program."""
    add_command(program, "summarize", summarize_command)


def summarize_command(
    context: typer.Context,
    files: Files = None,
    *,
    call: SummaryCall,
    summary: SummarySettings,
    run: RunSettings,
    background: BackgroundPath = None,
    encoding: Encoding = None,
    format: OutputFormat = SummaryFormat.TEXT,
    curve: Curve = None,
    output: Output = None,
) -> None:
    """Choose the sentences that cover the most within the budget."""
    from thatch.files.languages import language_code
    from thatch.text.passages.passages import language_of

    if curve is not None:
        _require_table(context, format, is_explained=call.explain)
    documents = _documents(files or [_STANDARD_INPUT], encoding, output)
    # The background must be stemmed in the language of the text.
    named = summary.language
    language = language_of(documents) if named is None else language_code(named)
    settings = replace(summary, language=language)
    summarizer = settings.summarizer(_background(background, language, encoding))
    notify(summarizer.unit.note)
    summaries = summarizer.curve(
        documents,
        [call.budget] if curve is None else _budgets(curve),
        max_seconds=run.max_seconds,
        seed=run.seed,
    )
    if curve is not None:
        is_json = format is SummaryFormat.JSON
        print_or_write(report.curve(summaries, is_json=is_json), output)
    else:
        _print_summary(
            summaries[0],
            format,
            settings.solver,
            is_explained=call.explain,
            output=output,
        )


def _require_table(
    context: typer.Context, format: SummaryFormat, *, is_explained: bool
) -> None:
    from thatch.errors import InputError

    source = context.get_parameter_source("budget")
    if source is not None and source.name != "DEFAULT":
        raise InputError(
            "--curve cannot be combined with --budget.",
            hint="Add the budget to those of --curve.",
        )
    if is_explained or format is SummaryFormat.MARKDOWN:
        raise InputError(
            "--curve cannot be combined with --explain or --format markdown.",
            hint="It prints a table, or JSON lines with --format json.",
        )


def _print_summary(
    summary: Summary,
    format: SummaryFormat,
    solver: str,
    *,
    is_explained: bool,
    output: Path | None,
) -> None:
    from thatch.answers import SummaryAnswer, as_json

    notify(summary.warning and f"warning: {summary.warning}")
    if format is SummaryFormat.JSON:
        answer = SummaryAnswer.of(summary, solver, is_explained=is_explained)
        print_or_write(as_json(answer), output)
    elif format is SummaryFormat.MARKDOWN and is_explained:
        print_or_write(report.as_markdown(summary), output)
    else:
        print_or_write(report.as_text(summary), output)
        if is_explained:
            sys.stderr.write("\n" + report.explanation(summary))
    if sys.stderr.isatty() and not is_explained:
        notify(report.in_one_line(summary))


def _background(path: Path | None, language: str, encoding: str | None) -> Background:
    from thatch.text.concepts.background import Background
    from thatch.text.documents.readers import read_documents

    if path is None:
        return Background()
    documents = read_documents([path], encoding=encoding, on_skip=_notify_skipped)
    return Background.of(documents, language=language)


def _documents(
    files: list[Path], encoding: str | None, output: Path | None
) -> Sequence[Document]:
    """Read the documents, and require that the output overwrites none of them."""
    from thatch.errors import InputError
    from thatch.text.documents.readers import read_documents

    if files.count(_STANDARD_INPUT) > 1:
        raise InputError(
            "standard input (-) is named more than once.",
            hint="Name it once.",
        )
    target = None if str(output) == "-" else output
    for file in files:
        require_targets(target, source=file)
    if _STANDARD_INPUT in files and sys.stdin is not None and sys.stdin.isatty():
        notify("reading standard input; press Ctrl-D to end")
    documents = read_documents(files, encoding=encoding, on_skip=_notify_skipped)
    # The files of a folder are known only now.
    for document in documents:
        require_targets(target, source=Path(document.name))
    return documents


def _notify_skipped(path: Path, reason: str) -> None:
    notify(f"skipped {reason if str(path) in reason else f'{path}: {reason}'}")


def _budgets(text: str) -> list[float]:
    from thatch.errors import InputError

    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--curve is {text!r}; it must be numbers separated by commas.",
            hint="For example: --curve 50,100,200",
        ) from None
