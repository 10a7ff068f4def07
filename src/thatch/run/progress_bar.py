"""A progress bar of runs, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import inf, isnan
from typing import Any, Protocol, Self

from thatch.errors import InputTypeError
from thatch.problem.notebook import escaped, notebook_shell
from thatch.run.result import Progress

# Runs that end before this are not worth a bar.
_SECONDS_BEFORE_FIRST = 1.5
_SECONDS_BETWEEN = 0.1
_BAR_WIDTH = 24

#: What a bar shows of the state of a run: texts by name.
Fields = Callable[[Progress], Mapping[str, str]]


class ProgressBar:
    """Shows value, bound, gap and time while solvers run, and disappears at the end.

    It is drawn on standard error if that is a terminal, or below the cell of a
    notebook; elsewhere it does nothing. Whatever goes wrong while drawing, the run
    continues. Pass it as a stopping rule, so that it is also called between two
    iterations; it never stops a run.

    Parameters
    ----------
    max_seconds
        The time limit, if there is one: the bar is full when it is reached.
    seconds_before_first
        How long to wait before it is drawn for the first time.
    fields
        What is shown of a `Progress`: texts by name.

    >>> from thatch import solve
    >>> from thatch.problem.instances import toy
    >>> with ProgressBar(max_seconds=5) as bar:
    ...     result = solve(toy.star(9).problem, stop=[bar], progress=False)
    >>> result.status.label
    'optimal'
    """

    def __init__(
        self,
        *,
        max_seconds: float | None = None,
        seconds_before_first: float = _SECONDS_BEFORE_FIRST,
        fields: Fields | None = None,
    ) -> None:
        self._max_seconds = max_seconds
        self._fields = fields_of if fields is None else fields
        self._began = time.perf_counter()
        self._next = self._began + seconds_before_first
        self._display: _Display | None = None
        if not has_display():
            self._next = inf

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, progress: Progress) -> None:
        """Draw the state of a run, unless it was drawn less than 0.1 s ago."""
        if time.perf_counter() >= self._next:
            self.show(self._fields(progress), step=progress.step)

    def show(self, fields: Mapping[str, str], *, step: str = "") -> None:
        """Draw these fields and the time, unless they were drawn less than 0.1 s ago.

        Parameters
        ----------
        fields
            Texts by name, such as ``{"value": "16"}``.
        step
            What is being done.
        """
        now = time.perf_counter()
        if now < self._next:
            return
        self._next = now + _SECONDS_BETWEEN
        try:
            if self._display is None:
                self._display = _new_display(self._max_seconds)
            self._display.draw(step, fields, now - self._began)
        except Exception:
            # A closed stream or a lost kernel must not end the run.
            self._next = inf

    def close(self) -> None:
        """Remove the bar."""
        display, self._display, self._next = self._display, None, inf
        if display is not None:
            with suppress(Exception):
                display.remove()


@contextmanager
def progress_bars(
    progress: bool | None,
    *,
    max_seconds: float | None = None,
    fields: Fields | None = None,
) -> Iterator[tuple[ProgressBar, ...]]:
    """Stopping rules for a run that draw its progress: one, or none.

    Parameters
    ----------
    progress
        True for a bar from the start; None for one if the run takes long, which only
        the main thread draws; False for none.
    max_seconds
        The time limit of the run, if there is one.
    fields
        As in `ProgressBar`.

    >>> with progress_bars(False) as bars:
    ...     bars
    ()
    """
    if progress is not None and not isinstance(progress, bool):
        raise InputTypeError(
            f"progress is {progress!r}; it must be True, False or None.",
            hint="Leave it out to see a bar only if the run takes long.",
        )
    is_main = threading.current_thread() is threading.main_thread()
    if progress is False or (progress is None and not is_main) or not has_display():
        yield ()
        return
    delay = 0.0 if progress else _SECONDS_BEFORE_FIRST
    with ProgressBar(
        max_seconds=max_seconds, seconds_before_first=delay, fields=fields
    ) as bar:
        yield (bar,)


def has_display() -> bool:
    """Whether standard error is a terminal, or this is a notebook."""
    try:
        return sys.stderr.isatty() or notebook_shell() is not None
    except (AttributeError, ValueError):
        return False  # there is no standard error, or it is closed


def fields_of(progress: Progress) -> dict[str, str]:
    """What a bar shows of the state of a run; what is not known is left out.

    >>> fields_of(Progress(iteration=1, seconds=0.5, value=9.5, upper_bound=10.0))
    {'value': '9.5', 'bound': '10', 'gap': '5.00%'}
    """
    value, bound = progress.value, progress.upper_bound
    fields = {} if isnan(value) else {"value": f"{value:,.7g}"}
    if bound < inf:
        fields["bound"] = f"{bound:,.7g}"
        if not isnan(value):
            gap = max(0.0, (bound - value) / bound) if bound > 0 else 0.0
            fields["gap"] = f"{gap:.2%}"
    return fields


class TimeLeft:
    """What a bar shows of a run whose number of steps is known, with the time left.

    Steps are assumed to take as long as the last ones.

    >>> fields = TimeLeft(num_steps=100)
    >>> _ = fields(Progress(iteration=10, seconds=2.0))
    >>> fields(Progress(iteration=20, seconds=4.0, value=7.0))
    {'value': '7', 'left': '16 s'}
    """

    def __init__(self, num_steps: int) -> None:
        #: Iterations that the run reports, unless it is stopped.
        self.num_steps = num_steps
        # The time left is estimated from this many steps.
        self._seen: deque[tuple[int, float]] = deque(maxlen=20)

    def __call__(self, progress: Progress) -> dict[str, str]:
        """What is shown of the state of the run."""
        fields = fields_of(progress)
        if not self._seen or progress.iteration > self._seen[-1][0]:
            self._seen.append((progress.iteration, progress.seconds))
        (first, began), (last, ended) = self._seen[0], self._seen[-1]
        if last > first:
            pace = (ended - began) / (last - first)
            fields["left"] = duration(round(pace * max(0, self.num_steps - last)))
        return fields


def duration(seconds: float) -> str:
    """A number of seconds in words, to about two digits.

    >>> duration(0.123), duration(16.2), duration(95), duration(8000)
    ('0.12 s', '16 s', '1 min 35 s', '2 h 13 min')
    """
    if seconds < 9.95:
        return f"{seconds:.2g} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class _Display(Protocol):
    """Where a bar is drawn."""

    def draw(self, step: str, fields: Mapping[str, str], seconds: float) -> None:
        """Replace what is drawn."""

    def remove(self) -> None:
        """Remove what is drawn."""


def _new_display(max_seconds: float | None) -> _Display:
    if notebook_shell() is not None:
        return _NotebookDisplay(max_seconds)
    return _TerminalDisplay(max_seconds)


def _time(seconds: float, max_seconds: float | None) -> str:
    return f"{seconds:.1f}" + ("" if max_seconds is None else f" of {max_seconds:g}")


class _TerminalDisplay:
    """One line on standard error, drawn by rich without a thread of its own."""

    def __init__(self, max_seconds: float | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        text = TextColumn("{task.description}", markup=False)
        bars = [] if max_seconds is None else [BarColumn(_BAR_WIDTH)]
        self._max_seconds = max_seconds
        self._bars = Bars(
            *bars,
            text,
            console=Console(stderr=True),
            auto_refresh=False,
            transient=True,
            # What is printed meanwhile appears above the bar; but not what is piped.
            redirect_stdout=sys.stdout is not None and sys.stdout.isatty(),
        )
        self._task = self._bars.add_task("", total=max_seconds)
        self._is_started = False

    def draw(self, step: str, fields: Mapping[str, str], seconds: float) -> None:
        if not self._is_started:
            # Not before: an interrupt could come before `remove` can be called.
            self._is_started = True
            self._bars.start()
        named = [f"{name} {text}" for name, text in fields.items()]
        words = [*named, f"{_time(seconds, self._max_seconds)} s", step]
        self._bars.update(
            self._task,
            description="  ".join(filter(None, words)),
            completed=min(seconds, self._max_seconds or 0.0),
            refresh=True,
        )

    def remove(self) -> None:
        if self._is_started:
            self._bars.stop()


class _NotebookDisplay:
    """A line of HTML below the cell."""

    def __init__(self, max_seconds: float | None) -> None:
        from IPython.display import HTML, display

        self._max_seconds = max_seconds
        self._html: Any = HTML
        self._handle: Any = display(HTML(""), display_id=True)

    def draw(self, step: str, fields: Mapping[str, str], seconds: float) -> None:
        limit = self._max_seconds
        share = 0.0 if not limit else min(1.0, seconds / limit)
        bar = "" if limit is None else f'<progress value="{share:.3f}"></progress> '
        named = [f"{name} <b>{escaped(text)}</b>" for name, text in fields.items()]
        words = [*named, f"{_time(seconds, limit)} s", escaped(step)]
        line = " &nbsp; ".join(words)
        self._handle.update(self._html(f"<div>{bar}{line}</div>"))

    def remove(self) -> None:
        self._handle.update(self._html(""))
