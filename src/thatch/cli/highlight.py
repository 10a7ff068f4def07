"""``thatch highlight``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli.output import notify, print_or_write, require_targets
from thatch.cli.parameters import Only, argument
from thatch.cli.summarize import require_one_budget
from thatch.errors import InputError
from thatch.files.atomic_writes import atomic_write
from thatch.solvers.solver_settings import RunSettings
from thatch.text.summary_settings import SummaryCall, SummarySettings

if TYPE_CHECKING:
    from thatch.text.documents.document import Document
    from thatch.text.summary import Summary

_Records = tuple[SummaryCall, SummarySettings, RunSettings]


def highlight_command(
    context: typer.Context,
    source: Annotated[Path, argument("IN", "Document to summarize.")],
    target: Annotated[
        Path, argument("OUT", "File to write: .pdf, if IN is one, or .html.")
    ],
    call: Annotated[SummaryCall, Only("budget", "ratio")],
    summary: SummarySettings,
    run: RunSettings,
) -> None:
    """Highlight the sentences of a summary in the document itself.

    In a PDF they are marked by annotations, which any viewer shows and removes.
    Anything else becomes a page of HTML.
    """
    require_one_budget(context)
    require_targets(target, source=source)
    kinds = source.suffix.lower(), target.suffix.lower()
    records = (call, summary, run)
    if kinds == (".pdf", ".pdf"):
        _highlight_pdf(source, target, records)
    elif kinds[1] in (".html", ".htm"):
        _highlight_html(source, target, records)
    else:
        raise InputError(
            f"{target}: it must be an HTML page"
            + (" or a PDF." if kinds[0] == ".pdf" else "."),
            hint="Give it a name that ends in .html.",
        )


def _highlight_pdf(source: Path, target: Path, records: _Records) -> None:
    from thatch.files.reading import read_bytes
    from thatch.text.documents.pdf import highlighted, read_with_pieces

    content = read_bytes(source)
    document, pieces = read_with_pieces(content, source)
    chosen = _summary(document, *records)
    spans = [(sentence.start, sentence.end) for sentence in chosen.sentences]
    marked = highlighted(content, source, pieces=pieces, spans=spans)
    with atomic_write(target) as draft:
        draft.write_bytes(marked)


def _highlight_html(source: Path, target: Path, records: _Records) -> None:
    from thatch.text.documents.readers import read_document
    from thatch.text.report.command_lines import report_command
    from thatch.text.report.html_report import as_html

    document = read_document(source)
    command = report_command([str(source)], *records)
    chosen = _summary(document, *records)
    print_or_write(as_html(chosen, command=command), target)


def _summary(
    document: Document, call: SummaryCall, settings: SummarySettings, run: RunSettings
) -> Summary:
    summarizer = settings.summarizer()
    notify(summarizer.unit.note)
    task = call.applied_to(summarizer.task([document], 0.0))
    found = summarizer.summary_of(task, max_seconds=run.max_seconds, seed=run.seed)
    notify(found.warning and f"warning: {found.warning}")
    return found
