"""How far a job over a corpus is: rows, rows a second, and the time that is left."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@dataclass(frozen=True)
class RowProgress:
    """A bar that fills as rows are done."""

    _progress: Progress
    _task: TaskID

    def expect(self, num_rows: int) -> None:
        """Say how many rows there are."""
        self._progress.update(self._task, description="rows", total=num_rows)

    def advance(self, num_rows: int) -> None:
        """Say that so many more are done."""
        self._progress.advance(self._task, num_rows)


@contextmanager
def shown() -> Iterator[RowProgress]:
    """A bar on standard error, if that is a terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn("{task.speed:.0f} rows/s", show_speed=True),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=not sys.stderr.isatty(),
    ) as progress:
        yield RowProgress(progress, progress.add_task("looking", total=None))
