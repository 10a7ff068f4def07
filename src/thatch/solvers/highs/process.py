"""HiGHS where it can be abandoned: in a process that is killed.

Some steps of HiGHS look neither at its time limit nor at an interrupt, for minutes on
symmetric models. So it runs in a process of its own, which is killed at the limit, when
the caller stops or is interrupted; it ends by itself if the caller's process dies.

Where no process can be started, as in a program without a Python interpreter of its
own, HiGHS runs in a thread. At the limit the caller leaves it behind, and it ends when
HiGHS looks at its interrupt. A relaxation without a time limit runs in a thread as
well: HiGHS looks there in every iteration, and most relaxations take less time than the
start of a process.
"""

from __future__ import annotations

import pickle
import sys
import threading
import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from math import inf
from queue import Empty, SimpleQueue
from typing import Protocol

from thatch.machine.worker_process import WorkerProcess
from thatch.solvers.highs.worker import READY, Report, Task, run_highs

#: The module whose ``main()`` the process runs.
WORKER_MODULE = "thatch.solvers.highs.worker"
_SECONDS_PER_POLL = 0.05


def reports_of(
    task: Task, *, max_seconds: float = inf, module: str = WORKER_MODULE
) -> Generator[Report | None]:
    """Reports of HiGHS as they arrive, and None about 20 times per second.

    The last one has `is_last` set, unless the time is over or the process ended before
    HiGHS did: for lack of memory, for example. Closing the iterator kills the process.

    Parameters
    ----------
    task
        What HiGHS is to do; its time limit is set here.
    max_seconds
        The time limit, including the start of the process.
    module
        The module that the process runs.
    """
    if max_seconds <= 0.0:
        return
    deadline = time.perf_counter() + max_seconds
    has_long_steps = task.num_integers > 0 or max_seconds < inf
    process = _new_process(module) if has_long_steps else None
    host: _Host = _Thread() if process is None else process
    try:
        if process is not None:
            # Longer than any start: what is not ready by then is no Python.
            start = time.perf_counter() + 60.0
            yield from process.starting(min(deadline, start))
            if not process.is_ready:
                process.abandon()
                host = _Thread()
        left = deadline - time.perf_counter()
        if left > 0.0:
            options = {**task.options, "time_limit": left}
            host.run(replace(task, options=options))
            yield from _polled(host.reports, deadline)
    finally:
        host.abandon()


def _polled(
    reports: SimpleQueue[Report | None], deadline: float
) -> Iterator[Report | None]:
    """Reports until the last one, the end of the process, or the deadline."""
    while (left := deadline - time.perf_counter()) > 0.0:
        try:
            report = reports.get(timeout=min(left, _SECONDS_PER_POLL))
        except Empty:
            yield None
            continue
        if report is None:
            return
        yield report
        if report.is_last:
            return


class _Host(Protocol):
    """Where HiGHS runs."""

    #: Reports as they arrive; None if there are no more.
    reports: SimpleQueue[Report | None]

    def run(self, task: Task) -> None:
        """Start HiGHS on a task."""

    def abandon(self) -> None:
        """End HiGHS, or leave it behind."""


def _new_process(module: str) -> _Process | None:
    """A process that has not started yet, or None if there can be none."""
    if not sys.executable or getattr(sys, "frozen", False):
        return None
    try:
        return _Process(module)
    except OSError:
        return None


class _Process:
    """A process that runs HiGHS, and a thread that exchanges messages with it."""

    def __init__(self, module: str) -> None:
        self.reports: SimpleQueue[Report | None] = SimpleQueue()
        self._tasks: SimpleQueue[Task | None] = SimpleQueue()
        self._is_ready = threading.Event()
        # Also set if the process ends before it is ready.
        self._has_begun = threading.Event()
        self._worker = WorkerProcess(module, sys.path)
        self._reader = threading.Thread(target=self._exchange, daemon=True)
        self._reader.start()

    @property
    def is_ready(self) -> bool:
        """Whether the process waits for a task."""
        return self._is_ready.is_set()

    def starting(self, deadline: float) -> Iterator[None]:
        """Wait until the process is ready or has ended; yield now and then."""
        while (left := deadline - time.perf_counter()) > 0.0:
            if self._has_begun.wait(min(left, _SECONDS_PER_POLL)):
                return
            yield None

    def run(self, task: Task) -> None:
        """Send the task, in the other thread: a large one takes a while."""
        self._tasks.put(task)

    def abandon(self) -> None:
        """Kill the process."""
        self._worker.kill()
        self._tasks.put(None)
        self._reader.join()
        self._worker.detach()

    def _exchange(self) -> None:
        """Wait until the process is ready, send the task, and queue its reports."""
        try:
            if self._worker.receive() == READY:
                self._is_ready.set()
            self._has_begun.set()
            if (task := self._tasks.get()) is not None:
                self._worker.send(pickle.dumps(task))
                while True:
                    self.reports.put(pickle.loads(self._worker.receive()))
        except (EOFError, OSError):
            self._has_begun.set()
            self.reports.put(None)


class _Thread:
    """A thread that runs HiGHS and may be left behind."""

    def __init__(self) -> None:
        self.reports: SimpleQueue[Report | None] = SimpleQueue()
        self._is_abandoned = threading.Event()

    def run(self, task: Task) -> None:
        """Start the thread."""
        threading.Thread(
            target=run_highs,
            args=(task, self.reports.put, self._is_abandoned.is_set),
            name="highs",
            daemon=True,
        ).start()

    def abandon(self) -> None:
        """Let HiGHS end when it looks at its interrupt."""
        self._is_abandoned.set()
