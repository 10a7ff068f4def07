"""``thatch corpus``."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli.corpus_progress import progress_on_stderr
from thatch.cli.interrupts import JobInterruptedError
from thatch.cli.output import notify, one_line
from thatch.cli.parameters import Only, add_command, integer_option
from thatch.solvers.solver_settings import RunSettings
from thatch.text.summary_settings import SummaryCall, SummarySettings

if TYPE_CHECKING:
    from thatch.corpus.job import Job
    from thatch.corpus.report import Report
    from thatch.engines import Engine
    from thatch.text.concepts.background import Background

# Kinds of errors that are printed; the output files contain all of them.
_MAX_KINDS = 10


class ChunkFormat(enum.StrEnum):
    """File formats of the chunks in an output folder."""

    PARQUET = "parquet"
    JSONL = "jsonl"


Source = Annotated[
    str,
    typer.Argument(
        metavar="IN", help="File or folder to read: .parquet, .jsonl or .csv."
    ),
]
Target = Annotated[
    str,
    typer.Argument(metavar="OUT", help="New folder, or new file: .parquet or .jsonl."),
]
EngineName = Annotated[
    str,
    typer.Option("--engine", metavar="NAME", help="Engine: local, dask or spark."),
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Address of a running dask or spark cluster."),
]
Workers = Annotated[
    int | None,
    integer_option("Number of worker processes.  [default: one per core]"),
]
IdColumn = Annotated[
    str, typer.Option("--id", metavar="COLUMN", help="Column of unique row ids.")
]
TextColumn = Annotated[
    str, typer.Option("--text", metavar="COLUMN", help="Column of the texts.")
]
GroupBy = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN", help="Column of cluster ids; each cluster gets one summary."
    ),
]
Statistics = Annotated[
    Path | None,
    typer.Option(
        "--background",
        metavar="FILE",
        help="For tf-idf: file of word frequencies, written by thatch corpus-stats.",
    ),
]
ChunkFormatOption = Annotated[
    ChunkFormat | None,
    typer.Option(
        "--format",
        metavar="parquet|jsonl",
        help="File format, if OUT is a folder.  [default: parquet]",
    ),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Resume a job that was interrupted.")
]


def add_to(program: typer.Typer) -> None:
    """Add the command to the program."""
    add_command(program, "corpus", corpus_command)


def corpus_command(
    source: Source,
    target: Target,
    call: Annotated[SummaryCall, Only("budget")],
    summary: SummarySettings,
    run: Annotated[RunSettings, Only("seed")],
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    workers: Workers = None,
    id: IdColumn = "id",
    text: TextColumn = "text",
    group_by: GroupBy = None,
    background: Statistics = None,
    format: ChunkFormatOption = None,
    resume: Resume = False,
) -> int:
    """Summarize every row of a corpus."""
    from thatch.corpus.corpus_settings import CorpusSettings
    from thatch.corpus.job import Job
    from thatch.corpus.storage import Format, Location
    from thatch.engines import engine_named

    settings = CorpusSettings(
        id=id,
        text=text,
        budget=call.budget,
        summary=summary,
        background=_background(background),
        seed=run.seed,
    )
    job = Job(
        Location(source),
        Location(target),
        settings,
        group_by=group_by,
        format=None if format is None else Format(format.value),
        resume=resume,
    )
    chosen = engine_named(engine, scheduler=scheduler, num_workers=workers)
    report = _run(job, chosen)
    _print_report(report, target)
    return 1 if report.num_errors else 0


def _run(job: Job, engine: Engine) -> Report:
    """Run the job and show its progress."""
    try:
        with progress_on_stderr() as progress:
            return job.run(
                engine,
                on_begin=progress.expect,
                on_chunk=lambda report: progress.advance(report.num_rows),
                on_notice=notify,
            )
    except KeyboardInterrupt:
        if not job.is_begun:
            raise
        raise JobInterruptedError(
            "Interrupted: finished rows are kept. Continue with: --resume"
        ) from None


def _background(path: Path | None) -> Background:
    from thatch.text.concepts.background import Background, read_background

    return Background() if path is None else read_background(path)


def _print_report(report: Report, target: str) -> None:
    done = report.num_rows - report.num_failed
    notify(f"{done:,} of {report.num_rows:,} rows summarized in {target}")
    if not report.num_errors:
        return
    plural = "rows have errors" if report.num_errors > 1 else "row has an error"
    notify(f"{report.num_errors:,} {plural}, in the column error:")
    printed = report.kinds[:_MAX_KINDS]
    for kind in printed:
        ids = ", ".join(str(id) for id in kind.ids)
        more = ", ..." if kind.count > len(kind.ids) else ""
        notify(f"  {kind.count:,} x {one_line(kind.example)} ({one_line(ids)}{more})")
    num_others = report.num_errors - sum(kind.count for kind in printed)
    if num_others:
        notify(f"  {num_others:,} x others")
