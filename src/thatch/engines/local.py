"""Work in processes on this machine."""

from __future__ import annotations

import atexit
import contextlib
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from queue import SimpleQueue
from typing import Any

from thatch.devices import num_cores
from thatch.engines.base import (
    MAX_TRIES,
    TASKS_PER_WORKER,
    R,
    T,
    lost,
    require_workers,
)
from thatch.engines.pipes import receive, send
from thatch.engines.remote_call import unpacked

__all__ = ["LocalEngine"]

# Whoever interrupts a program interrupts its whole group; workers are ended by it.
# They find modules where the program found them, and run no script of its.
_START = """
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
sys.path[:] = sys.argv[1:]
from thatch.engines.worker import main
main()
"""


@dataclass(frozen=True)
class LocalEngine:
    """Processes on this machine, one a core unless their number is given.

    A process that is killed is started again. One is used even for a single worker, so
    that work which takes all memory does not take the program with it.

    >>> sorted(LocalEngine(num_workers=1).map(abs, [-1, 2]))
    [(-1, 1), (2, 2)]
    """

    #: How many processes; one a core if None.
    num_workers: int | None = None

    def __post_init__(self) -> None:
        require_workers(self.num_workers)

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T]
    ) -> Iterator[tuple[T, R]]:
        """Tasks with their results, as they finish; see `Engine`."""
        num_workers = min(self.num_workers or num_cores(), len(tasks))
        waiting = iter(tasks)
        with contextlib.ExitStack() as stack:
            # A program may end before its results do; later, no thread runs any more.
            atexit.register(stack.close)
            stack.callback(atexit.unregister, stack.close)
            pool = stack.enter_context(_Pool(pickle.dumps(function), num_workers))
            for task in islice(waiting, TASKS_PER_WORKER * num_workers):
                pool.submit(task)
            for _ in range(len(tasks)):
                finished = pool.next()
                for task in islice(waiting, 1):
                    pool.submit(task)
                yield finished


class _Pool:
    """Threads, each of which waits for a process of its own."""

    def __init__(self, function: bytes, num_workers: int) -> None:
        self._todo: SimpleQueue[tuple[Any] | None] = SimpleQueue()
        self._done: SimpleQueue[tuple[Any, Any, Exception | None]] = SimpleQueue()
        self._workers = [_Worker(function) for _ in range(num_workers)]
        # A program that ends does not wait for them; it ends them.
        self._threads = [
            threading.Thread(target=self._serve, args=(worker,), daemon=True)
            for worker in self._workers
        ]

    def __enter__(self) -> _Pool:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.end()
            self._todo.put(None)
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.tidy_up()

    def submit(self, task: object) -> None:
        """Have a task done by the next worker that is free."""
        self._todo.put((task,))

    def next(self) -> tuple[Any, Any]:
        """The next task that is done, with its result; raise what it raised."""
        task, result, error = self._done.get()
        if error is not None:
            raise error
        return task, result

    def _serve(self, worker: _Worker) -> None:
        while (entry := self._todo.get()) is not None:
            (task,) = entry
            try:
                self._done.put((task, _result(worker, task), None))
            except Exception as error:
                self._done.put((task, None, error))


def _result(worker: _Worker, task: object) -> Any:
    request = pickle.dumps(task)
    for _ in range(MAX_TRIES):
        try:
            reply = worker.ask(request)
        except (EOFError, OSError):
            continue
        return unpacked(reply)
    raise lost(task)


class _Worker:
    """A process that is started when it is needed, and again when it is gone."""

    def __init__(self, function: bytes) -> None:
        self._function = function
        self._process: subprocess.Popen[bytes] | None = None
        self._is_open = True
        self._lock = threading.Lock()

    def ask(self, request: bytes) -> bytes:
        """Send a task and wait for the reply; EOFError or OSError if it gets lost."""
        process, is_new = self._present()
        if process.stdin is None or process.stdout is None:
            raise EOFError
        try:
            if is_new:
                send(process.stdin, self._function)
            send(process.stdin, request)
            return receive(process.stdout)
        except (EOFError, OSError):
            # Its pipes close a moment before it is gone.
            with self._lock:
                self.tidy_up()
            raise

    def _present(self) -> tuple[subprocess.Popen[bytes], bool]:
        with self._lock:
            if not self._is_open:
                raise EOFError
            if self._process is not None and self._process.poll() is None:
                return self._process, False
            self.tidy_up()
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _START, *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # Until it has set its signals, too.
                process_group=0,
            )
            return self._process, True

    def end(self) -> None:
        """End the process, whatever it is at, for good."""
        with self._lock:
            self._is_open = False
            if self._process is not None:
                self._process.kill()

    def tidy_up(self) -> None:
        """See the process out, and give back what it leaves."""
        if self._process is None:
            return
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                # What it did not read any more is lost with it.
                with contextlib.suppress(OSError):
                    stream.close()
        self._process.wait()
        self._process = None
