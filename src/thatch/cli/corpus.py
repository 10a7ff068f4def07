"""``thatch corpus``."""

from __future__ import annotations

import enum
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thatch.cli import JobInterruptedError
from thatch.cli.corpus_progress import shown
from thatch.cli.options import Seed, number_option, one_line, whole_number_option

if TYPE_CHECKING:
    from thatch.corpus.job import Job
    from thatch.corpus.report import Report
    from thatch.engines import Engine
    from thatch.text.concepts.background import Background

# Kinds of errors that are told; files of answers have them all.
_MOST_ERRORS = 10


class PartFormat(enum.StrEnum):
    """How answers in a folder are written."""

    PARQUET = "parquet"
    JSONL = "jsonl"


Source = Annotated[
    str, typer.Argument(metavar="IN", help="File or folder: .parquet, .jsonl, .csv.")
]
Target = Annotated[
    str,
    typer.Argument(metavar="OUT", help="New folder, or file: .parquet, .jsonl."),
]
EngineName = Annotated[
    str, typer.Option("--engine", metavar="NAME", help="local, dask or spark.")
]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Of a cluster that runs, for dask or spark."),
]
Workers = Annotated[int | None, whole_number_option("Processes; one a core.")]
IdColumn = Annotated[
    str, typer.Option("--id", metavar="COLUMN", help="Column that tells rows apart.")
]
TextColumn = Annotated[
    str, typer.Option("--text", metavar="COLUMN", help="Column of the texts.")
]
GroupBy = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="Column of clusters, summarized as one."),
]
Budget = Annotated[float, number_option("The most that a summary may measure.")]
UnitName = Annotated[
    str, typer.Option("--unit", metavar="UNIT", help="As for thatch summarize.")
]
ByName = Annotated[
    str, typer.Option("--by", metavar="KIND", help="As for thatch summarize.")
]
ConceptsName = Annotated[
    str, typer.Option("--concepts", metavar="NAME", help="As for thatch summarize.")
]
Statistics = Annotated[
    Path | None,
    typer.Option("--background", help="For words: a file of thatch corpus-stats."),
]
Query = Annotated[
    str, typer.Option(metavar="TEXT", help="Words that summaries should answer.")
]
Language = Annotated[
    str | None, typer.Option(metavar="CODE", help="Code such as de; guessed otherwise.")
]
SolverName = Annotated[
    str, typer.Option("--solver", metavar="NAME", help="As for thatch solve.")
]
HowToWrite = Annotated[
    PartFormat | None,
    typer.Option("--format", help="Of the parts, where OUT is a folder; parquet."),
]
Resume = Annotated[
    bool, typer.Option("--resume", help="Go on with a job that was ended.")
]


def add_to(program: typer.Typer) -> None:
    """Make this one of the program's commands."""
    program.command("corpus")(corpus_command)


def corpus_command(
    source: Source,
    target: Target,
    engine: EngineName = "local",
    scheduler: Scheduler = None,
    workers: Workers = None,
    id: IdColumn = "id",
    text: TextColumn = "text",
    group_by: GroupBy = None,
    budget: Budget = 100,
    unit: UnitName = "words",
    by: ByName = "sentence",
    concepts: ConceptsName = "salience",
    background: Statistics = None,
    query: Query = "",
    language: Language = None,
    solver: SolverName = "auto",
    seed: Seed = 0,
    format: HowToWrite = None,
    resume: Resume = False,
) -> int:
    """Summarize every row of a corpus."""
    from thatch.corpus.corpus_settings import CorpusSettings
    from thatch.corpus.job import Job
    from thatch.corpus.storage import Format, Place
    from thatch.engines import engine_named
    from thatch.text.summary_settings import SummarySettings

    settings = CorpusSettings(
        id=id,
        text=text,
        budget=budget,
        summary=SummarySettings(
            unit=unit,
            by=by,
            concepts=concepts,
            query=query,
            language=language,
            solver=solver,
        ),
        background=_background(background),
        seed=seed,
    )
    job = Job(
        Place(source),
        Place(target),
        settings,
        group_by=group_by,
        format=None if format is None else Format(format.value),
        resume=resume,
    )
    chosen = engine_named(engine, scheduler=scheduler, num_workers=workers)
    report = _report(job, chosen)
    _tell(report, target)
    return 1 if report.num_errors else 0


def _report(job: Job, engine: Engine) -> Report:
    """Do the job, and show how far it is."""
    try:
        with shown() as progress:
            return job.run(
                engine,
                on_begin=progress.expect,
                on_part=lambda chunk: progress.advance(chunk.num_rows),
            )
    except KeyboardInterrupt:
        if not job.is_begun:
            raise
        raise JobInterruptedError(
            "Interrupted: what is done is kept. Go on with: --resume"
        ) from None


def _background(path: Path | None) -> Background:
    from thatch.text.concepts.background import Background, read_background

    return Background() if path is None else read_background(path)


def _tell(report: Report, target: str) -> None:
    done = report.num_rows - report.num_failed
    sys.stderr.write(f"{done:,} of {report.num_rows:,} rows summarized in {target}\n")
    if not report.num_errors:
        return
    plural = "rows have errors" if report.num_errors > 1 else "row has an error"
    sys.stderr.write(f"{report.num_errors:,} {plural}, in the column error:\n")
    for kind in report.kinds[:_MOST_ERRORS]:
        named = ", ".join(str(id) for id in kind.ids)
        more = ", ..." if kind.count > len(kind.ids) else ""
        told = f"{one_line(kind.example)} ({one_line(named)}{more})"
        sys.stderr.write(f"  {kind.count:,} x {told}\n")
    num_told = sum(kind.count for kind in report.kinds[:_MOST_ERRORS])
    if report.num_errors > num_told:
        sys.stderr.write(f"  {report.num_errors - num_told:,} x others\n")
