"""How far the shards of a problem are written, for a progress bar."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from thatch.run.progress_bar import ProgressBar, progress_bars
from thatch.sharding.table_files import Batch, TableFiles

__all__ = ["WritingProgress", "writing_progress"]


class WritingProgress:
    """What is read and written, shown by a bar if there is one."""

    def __init__(self, bar: ProgressBar | None) -> None:
        self._bar = bar

    def batches(self, table: TableFiles, kind: str) -> Iterator[Batch]:
        """All rows of a table of that kind, such as edges."""
        total = table.estimated_rows()
        for batch in table.batches():
            rows = f"{batch.first_row:,} of about {max(total, batch.first_row):,}"
            self._show({"rows": rows}, f"reading {kind}")
            yield batch

    def shards(self, num_shards: int) -> Iterator[int]:
        """The numbers of the shards, each when it is to be written.

        >>> list(WritingProgress(None).shards(2))
        [0, 1]
        """
        for number in range(num_shards):
            self._show({"shards": f"{number:,} of {num_shards:,}"}, "writing")
            yield number

    def _show(self, fields: dict[str, str], step: str) -> None:
        if self._bar is not None:
            self._bar.show(fields, step=step)


@contextmanager
def writing_progress(progress: bool | None) -> Iterator[WritingProgress]:
    """The progress of writing shards; `progress` is that of `progress_bars`."""
    with progress_bars(progress) as bars:
        yield WritingProgress(bars[0] if bars else None)
