"""Progress of a corpus job: rows, rows per second, and the remaining time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


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
