"""``thatch corpus-stats``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from thatch.cli.corpus import Source, TextColumn, print_kinds, progress_on_stderr
from thatch.cli.output import notify
from thatch.cli.parameters import EngineName, Only, Scheduler, Workers, argument
from thatch.files.atomic_writes import require_writable
from thatch.text.summary_settings import SummarySettings

Target = Annotated[Path, argument("OUT", "File to write: .json.")]


def corpus_stats_command(
    source: Source,
    target: Target,
    summary: Annotated[SummarySettings, Only("language")],
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    workers: Workers = None,
    text: TextColumn = "text",
) -> None:
    """Count in how many documents of a corpus each word occurs."""
    from thatch.corpus.corpus_settings import CorpusSettings
    from thatch.corpus.report import Report
    from thatch.corpus.statistics import corpus_statistics
    from thatch.files.locations import Location
    from thatch.scale import engine_named
    from thatch.text.concepts.background import write_background

    require_writable(target)
    settings = CorpusSettings(text=text, summary=summary)
    chosen = engine_named(engine, scheduler=scheduler, num_workers=workers)
    reports = []
    with progress_on_stderr() as progress:

        def advance(report: Report) -> None:
            reports.append(report)
            progress.advance(report.num_rows)

        background = corpus_statistics(
            Location(source),
            settings,
            chosen,
            on_begin=progress.expect,
            on_chunk=advance,
        )
    write_background(background, target)
    notify(
        f"{len(background.counts):,} terms of {background.num_documents:,} documents "
        f"in {target}"
    )
    report = sum(reports, start=Report())
    if report.num_errors:
        plural = "rows were" if report.num_errors > 1 else "row was"
        part = report.num_errors - report.num_failed
        some = f" ({part:,} of them in part)" if part else ""
        notify(f"{report.num_errors:,} {plural} skipped{some}:")
        print_kinds(report)
