"""Which tests were selected, and what is lost: plain data, and as text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from math import ceil

from thatch.options import counted


@dataclass(frozen=True, slots=True)
class LostLines:
    """Lines of a file that tests cover, but not the selected ones."""

    file: str
    lost: int
    covered: int
    #: The lost lines, ascending.
    lines: list[int]

    @property
    def ranges(self) -> str:
        """The lost lines, with runs of them as ranges.

        >>> LostLines("a.py", 4, 9, [1, 2, 3, 7]).ranges
        '1-3, 7'
        """
        runs = (
            [line for _, line in run]
            for _, run in groupby(
                enumerate(self.lines), key=lambda pair: pair[1] - pair[0]
            )
        )
        return ", ".join(
            f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs
        )


@dataclass(frozen=True, slots=True)
class SuiteReport:
    """The selected tests, with a bound on what any other selection could do."""

    #: Node ids, or names of functions where the recording has no node ids.
    selected: list[str]
    num_tests: int
    #: How long the selected tests take, and all of them; None without durations.
    seconds: float | None
    total_seconds: float | None
    lines: int
    #: Lines that all tests that may run cover together.
    covered_lines: int
    #: What was asked for: a share of the lines, or at most this many seconds.
    share: float | None
    budget: float | None
    #: With a share, no selection that keeps it takes less time, or has fewer tests
    #: without durations; with a number of seconds, no selection covers more lines.
    bound: float
    #: Share of the time that may be saved, or of the lines that may be gained.
    gap: float
    lost: list[LostLines]
    #: What else there is to know, such as tests without data.
    notes: list[str]

    @property
    def kept_share(self) -> float:
        """Share of the lines that the selected tests cover; 1 of nothing."""
        return self.lines / self.covered_lines if self.covered_lines else 1.0

    def as_lines(
        self, *, max_files: int = 5, has_all_lines: bool = False
    ) -> Iterator[str]:
        """The report as text, with the files that lost the most, or all lost lines."""
        yield f"tests    {len(self.selected):,} of {self.num_tests:,}"
        yield from self._lines_about_time()
        most = "" if self.share is not None else self._most_lines()
        yield (
            f"lines    {self.lines:,} of {self.covered_lines:,} "
            f"({self.kept_share:.2%}){most}"
        )
        yield from (f"note     {note}" for note in self.notes)
        if self.lost:
            yield ""
            yield from self._lost_lines(max_files, has_all_lines)

    def _lines_about_time(self) -> Iterator[str]:
        if self.seconds is not None:
            yield f"time     {time(self.seconds)} of {time(self.total_seconds)}"
        if self.share is None:
            return
        if self.seconds is None:
            least = f"has fewer than {counted(ceil(self.bound - 1e-6), 'test')}"
        else:
            least = f"takes less than {time(self.bound)}"
        yield (
            f"bound    no selection that keeps {100 * self.share:.6g}% {least} "
            f"(gap {self.gap:.2%})"
        )

    def _most_lines(self) -> str:
        return (
            f"; no selection within {time(self.budget)} covers more than "
            f"{self.bound:,.0f} (gap {self.gap:.2%})"
        )

    def _lost_lines(self, max_files: int, has_all_lines: bool) -> Iterator[str]:
        shown = self.lost if has_all_lines else self.lost[:max_files]
        rows = [("file", "lost", "covered")]
        rows += [(each.file, f"{each.lost:,}", f"{each.covered:,}") for each in shown]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        for row, each in zip(rows, [None, *shown], strict=True):
            ranges = f"  {each.ranges}" if each and has_all_lines else ""
            yield (
                f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  "
                f"{row[2]:>{widths[2]}}{ranges}"
            )
        if len(shown) < len(self.lost):
            others = sum(each.lost for each in self.lost[max_files:])
            yield f"... and {others:,} lines of {len(self.lost) - max_files:,} files"


def time(number: float | None) -> str:
    """A time for readers.

    >>> time(0.01234), time(75.04), time(5000.0)
    ('0.0123 s', '75 s', '5,000 s')
    """
    number = number or 0.0
    return f"{number:,.0f} s" if number >= 1000 else f"{number:.3g} s"
