"""``thatch corpus``."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal

from thatch.cli.output import JobInterruptedError, notify, one_line
from thatch.cli.parameters import (
    EngineName,
    Only,
    Resume,
    Scheduler,
    Workers,
    argument,
    errors_naming,
    value_option,
)
from thatch.solvers.solver_settings import RunSettings
from thatch.text.summary_settings import SummaryCall, SummarySettings

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from thatch.corpus.job import Job
    from thatch.corpus.report import Report
    from thatch.machine.engines import Engine
    from thatch.text.concepts.background import Background


class ChunkFormat(enum.StrEnum):
    """File formats of the chunks in an output folder."""

    PARQUET = "parquet"
    JSONL = "jsonl"


Source = Annotated[
    str, argument("IN", "File or folder to read: .parquet, .jsonl or .csv.")
]
Target = Annotated[str, argument("OUT", "New folder, or new file: .parquet or .jsonl.")]
IdColumn = Annotated[str, value_option("COLUMN", "Column of unique row ids.", "--id")]
TextColumn = Annotated[str, value_option("COLUMN", "Column of the texts.", "--text")]
Keep = Annotated[
    list[str] | None,
    value_option(
        "COLUMN,...", "Other columns to copy to the output, or all; repeatable."
    ),
]
GroupBy = Annotated[
    str | None,
    value_option("COLUMN", "Column of cluster ids; each cluster gets one summary."),
]
Statistics = Annotated[
    Path | None,
    value_option(
        "FILE",
        "For tf-idf: file of word frequencies, written by thatch corpus-stats.",
        "--background",
    ),
]
ChunkFormatOption = Annotated[
    ChunkFormat | None,
    value_option(
        "parquet|jsonl",
        "File format, if OUT is a folder.  [default: parquet]",
        "--format",
    ),
]
MaxErrors = Annotated[
    str, value_option("N|P%", "Exit with code 1 if more rows than this have errors.")
]


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
    keep: Keep = None,
    group_by: GroupBy = None,
    background: Statistics = None,
    format: ChunkFormatOption = None,
    max_errors: MaxErrors = "0",
    resume: Resume = False,
) -> int:
    """Summarize every row of a corpus."""
    from thatch.corpus.corpus_settings import CorpusSettings
    from thatch.corpus.job import Job
    from thatch.corpus.report import ErrorLimit
    from thatch.files.locations import Format, Location
    from thatch.scale import engine_named

    with errors_naming(max_errors="--max-errors"):
        limit = ErrorLimit.parsed(max_errors)
    settings = CorpusSettings(
        id=id,
        text=text,
        keep=_kept(keep),
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
    return 0 if limit.allows(report) else 1


def _run(job: Job, engine: Engine) -> Report:
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


def _kept(given: list[str] | None) -> tuple[str, ...] | Literal["all"]:
    """Names of columns: some per option, separated by commas."""
    names = [name for each in given or () for name in each.split(",") if name]
    return "all" if names == ["all"] else tuple(names)


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
    print_kinds(report)


def print_kinds(report: Report) -> None:
    """Print the most frequent kinds of errors, each on a line."""
    # Kinds of errors that are printed; the output files contain all of them.
    printed = report.kinds[:10]
    for kind in printed:
        ids = ", ".join(dict.fromkeys(str(id) for id in kind.ids))
        more = ", ..." if kind.count > len(kind.ids) else ""
        notify(f"  {kind.count:,} x {one_line(kind.example)} ({one_line(ids)}{more})")
    num_others = report.num_errors - sum(kind.count for kind in printed)
    if num_others:
        notify(f"  {num_others:,} x others")


@contextmanager
def progress_on_stderr() -> Iterator[Lines | _Bar]:
    """Show a bar on standard error, or print lines if that is not a terminal."""
    if not sys.stderr.isatty():
        yield Lines()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as progress:
        yield _Bar(progress, progress.add_task("scanning", total=None, speed=""))


@dataclass(frozen=True)
class _Bar:
    _progress: Progress
    _task: TaskID

    def expect(self, num_rows: int) -> None:
        self._progress.update(self._task, description="rows", total=num_rows)

    def advance(self, num_rows: int) -> None:
        self._progress.advance(self._task, num_rows)
        speed = self._progress.tasks[0].speed
        if speed is not None:
            self._progress.update(self._task, speed=f"{speed:,.0f} rows/s")


@dataclass
class Lines:
    """Progress as lines of a log.

    >>> lines = Lines(seconds_between=0.0)
    >>> lines.expect(20)
    >>> lines.line(num_done=10, seconds=5.0)
    '10 of 20 rows, 2 per second, 0:00:05 left'
    """

    # Without a terminal, lines in a log replace the bar.
    seconds_between: float = 30.0
    _num_rows: int = 0
    _num_done: int = 0
    _start: float = field(default_factory=monotonic)
    _last: float = field(default_factory=monotonic)

    def expect(self, num_rows: int) -> None:
        """Set the total number of rows."""
        self._num_rows = num_rows
        self._start = self._last = monotonic()

    def advance(self, num_rows: int) -> None:
        """Add finished rows."""
        self._num_done += num_rows
        now = monotonic()
        if now - self._last >= self.seconds_between:
            self._last = now
            line = self.line(num_done=self._num_done, seconds=now - self._start)
            sys.stderr.write(f"{line}\n")

    def line(self, *, num_done: int, seconds: float) -> str:
        """The line after this number of rows and seconds."""
        speed = num_done / max(seconds, 1e-9)
        left = max(0, self._num_rows - num_done) / max(speed, 1e-9)
        return (
            f"{num_done:,} of {self._num_rows:,} rows, {speed:,.0f} per second, "
            f"{timedelta(seconds=round(left))} left"
        )
