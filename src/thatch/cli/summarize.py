"""``thatch summarize``."""

from __future__ import annotations

import enum
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli import summary_report as report
from thatch.cli.memory import Memory
from thatch.cli.output import notify, notify_skipped, print_or_write, require_targets
from thatch.cli.parameters import Encoding, Output, ShowProgress, argument, value_option
from thatch.errors import InputError
from thatch.serve.answers.general import as_json
from thatch.solvers.solver_settings import RunSettings
from thatch.text.choices import CitationStyle
from thatch.text.summary_settings import SummaryCall, SummarySettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from thatch.text.concepts.background import Background
    from thatch.text.documents.document import Document
    from thatch.text.summary import Summary


class SummaryFormat(enum.StrEnum):
    """Output formats of a summary."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"
    HTML = "html"


_STANDARD_INPUT = Path("-")

Files = Annotated[
    list[Path] | None,
    argument(
        "FILES", "Documents, or folders of documents.  [default: standard input (-)]"
    ),
]
BackgroundPath = Annotated[
    Path | None,
    value_option(
        "PATH",
        "For tf-idf: documents or folders to count word frequencies in.  "
        "[default: the documents themselves]",
        "--background",
    ),
]
OutputFormat = Annotated[
    SummaryFormat,
    value_option(
        "text|json|markdown|html",
        "Output format; html marks the passages in their sources.",
    ),
]
Known = Annotated[
    list[Path] | None,
    value_option(
        "PATH",
        "What you have already read: files, folders or what --remember wrote; "
        "repeatable. Repetitions are left out, and what is new counts more.",
        "--known",
    ),
]
Remember = Annotated[
    Path | None,
    value_option(
        "FILE",
        "Write what is known afterwards to a .json file, for the next --known.",
        "--remember",
    ),
]
FollowLinks = Annotated[
    bool,
    typer.Option(
        "--follow-links", help="Follow links in a folder that point outside it."
    ),
]
Cite = Annotated[
    CitationStyle | None,
    value_option(
        "numbers|footnotes|inline",
        "Name the source of each passage; not counted in the budget.",
    ),
]
Curve = Annotated[
    str | None,
    value_option(
        "BUDGETS", "Print the covered weight at several budgets, such as 50,100,200."
    ),
]


def summarize_command(
    context: typer.Context,
    files: Files = None,
    *,
    call: SummaryCall,
    summary: SummarySettings,
    run: RunSettings,
    known: Known = None,
    remember: Remember = None,
    background: BackgroundPath = None,
    encoding: Encoding = None,
    follow_links: FollowLinks = False,
    format: OutputFormat = SummaryFormat.TEXT,
    cite: Cite = None,
    curve: Curve = None,
    output: Output = None,
    progress: ShowProgress = None,
) -> None:
    """Choose the sentences that cover the most within the budget."""
    from thatch.run.progress_bar import progress_bars

    require_one_budget(context, has_curve=curve is not None)
    if curve is not None:
        _require_table(format, is_explained=call.explain or cite is not None)
    _require_citable(cite, format)
    documents = documents_of(
        files, encoding, output, remember, follow_links=follow_links
    )
    summarizer = summary.summarizer(_background(background, summary.language, encoding))
    notify(summarizer.unit.note)
    memory = Memory.of(known, remember, summary.language, encoding)
    summarizer = replace(summarizer, known=memory.known)
    task = summarizer.task(documents, 0.0)
    if curve is None:
        tasks = [call.applied_to(task)]
    else:
        tasks = [task.with_budget(budget) for budget in _budgets(curve)]
    with progress_bars(progress, max_seconds=run.max_seconds) as bars:
        summaries = summarizer.summaries_of(
            tasks, max_seconds=run.max_seconds, stop=bars, seed=run.seed
        )
    if curve is not None:
        is_json = format is SummaryFormat.JSON
        print_or_write(report.curve(summaries, is_json=is_json), output)
    else:
        more = {"--known": known, "--background": background, "--encoding": encoding}
        _print_summary(
            summaries[0],
            format,
            summary.solver,
            command=_command(files, call, summary, run, more=more),
            cite=cite,
            is_explained=call.explain,
            output=output,
        )
    memory.write(documents)


def _command(
    files: list[Path] | None, *records: object, more: Mapping[str, object]
) -> str:
    """The command that makes a page of the summary."""
    from thatch.text.report.command_lines import report_command

    given = {
        flag: value if isinstance(value, list) else [value]
        for flag, value in more.items()
        if value is not None
    }
    return report_command(
        [str(file) for file in files or [_STANDARD_INPUT]], *records, more=given
    )


def require_one_budget(context: typer.Context, *, has_curve: bool = False) -> None:
    """Require that the budget is set in one way only."""
    given = [name for name in ("budget", "ratio") if _is_given(context, name)]
    named = [f"--{name}" for name in given] + ["--curve"] * has_curve
    if len(named) > 1:
        raise InputError(
            f"{named[0]} cannot be combined with {named[1]}.",
            hint="Each of them sets the budget: keep one.",
        )


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _require_table(format: SummaryFormat, *, is_explained: bool) -> None:
    if is_explained or format not in (SummaryFormat.TEXT, SummaryFormat.JSON):
        raise InputError(
            "--curve cannot be combined with --explain, --cite, or --format markdown "
            "or html.",
            hint="Leave them out: --curve prints a table, or JSON lines with "
            "--format json.",
        )


def _require_citable(cite: CitationStyle | None, format: SummaryFormat) -> None:
    if cite is not None and format in (SummaryFormat.JSON, SummaryFormat.HTML):
        raise InputError(
            f"--cite cannot be combined with --format {format}.",
            hint="That format always contains the sources: leave out --cite.",
        )


def _print_summary(
    summary: Summary,
    format: SummaryFormat,
    solver: str,
    *,
    command: str,
    cite: CitationStyle | None,
    is_explained: bool,
    output: Path | None,
) -> None:
    from thatch.serve.answers.summaries import SummaryAnswer
    from thatch.text.citations import cited
    from thatch.text.report.html_report import as_html

    notify(summary.warning and f"warning: {summary.warning}")
    if format is SummaryFormat.JSON:
        answer = SummaryAnswer.of(summary, solver, is_explained=is_explained)
        print_or_write(as_json(answer), output)
    elif format is SummaryFormat.HTML:
        print_or_write(as_html(summary, command=command), output)
    elif format is SummaryFormat.MARKDOWN:
        text = (
            summary.markdown if cite is None else cited(summary, cite, is_markdown=True)
        )
        if is_explained:
            text = report.as_markdown(summary, text)
        print_or_write(text and text.rstrip("\n") + "\n", output)
    else:
        text = report.as_text(summary)
        if cite is not None and summary.sentences:
            text = cited(summary, cite) + "\n"
        print_or_write(text, output)
        if is_explained:
            sys.stderr.write("\n" + report.explanation(summary))
    if sys.stderr.isatty() and not is_explained:
        notify(report.in_one_line(summary))


def _background(
    path: Path | None, language: str | None, encoding: str | None
) -> Background:
    from thatch.text.concepts.background import Background
    from thatch.text.documents.readers import read_documents

    if path is None:
        return Background()
    documents = read_documents([path], encoding=encoding, on_skip=notify_skipped)
    return Background.of(documents, language=language)


def documents_of(
    given: list[Path] | None,
    encoding: str | None,
    *outputs: Path | None,
    follow_links: bool = False,
) -> Sequence[Document]:
    """Read the documents, and require that no output overwrites one of them."""
    from thatch.text.documents.readers import read_documents

    files = given or [_STANDARD_INPUT]
    if files.count(_STANDARD_INPUT) > 1:
        raise InputError(
            "standard input (-) is named more than once.", hint="Name it once."
        )
    targets = [None if str(output) == "-" else output for output in outputs]
    for file in files:
        require_targets(*targets, source=file)
    if _STANDARD_INPUT in files and sys.stdin is not None and sys.stdin.isatty():
        notify("reading standard input; press Ctrl-D to end")
    documents = read_documents(
        files, encoding=encoding, follow_links=follow_links, on_skip=notify_skipped
    )
    # The files of a folder are known only now.
    for document in documents:
        require_targets(*targets, source=Path(document.name))
    return documents


def _budgets(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"--curve is {text!r}; it must be numbers separated by commas.",
            hint="For example: --curve 50,100,200",
        ) from None
