"""Tasks in processes on this machine."""

from __future__ import annotations

import contextlib
import pickle
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Self

from thatch.machine.devices import num_cores
from thatch.machine.engines import (
    MAX_TRIES,
    TASKS_PER_WORKER,
    Engine,
    R,
    T,
    lost_task_error,
    require_workers,
)
from thatch.machine.worker_process import WorkerProcess
from thatch.scale.engines.remote_call import stack_until_exit, unpacked
from thatch.scale.engines.waiting_tasks import WaitingTasks


@dataclass(frozen=True)
class LocalEngine(Engine):
    """Worker processes on this machine.

    A process that is killed is replaced. A single worker is a separate process too, so
    that a task which runs out of memory does not end the program.

    >>> sorted(LocalEngine(num_workers=1).map(abs, [-1, 2]))
    [(-1, 1), (2, 2)]
    """

    #: Number of processes. Default: one per core.
    num_workers: int | None = None

    def __post_init__(self) -> None:
        require_workers(self.num_workers)

    @contextlib.contextmanager
    def session(
        self, function: Callable[[T], R], *, num_tasks: int
    ) -> Iterator[LocalSession]:
        """Keep the workers from one call of its `map` to the next; see `Session`."""
        num_workers = max(1, min(self.num_workers or num_cores(), num_tasks))
        with stack_until_exit() as stack:
            pool = stack.enter_context(_Pool(pickle.dumps(function), num_workers))
            yield LocalSession(pool, num_workers)


class LocalSession:
    """Worker processes that call one function on tasks, again and again."""

    def __init__(self, pool: _Pool, num_workers: int) -> None:
        self._pool = pool
        self._num_workers = num_workers
        self._last_workers: dict[int, int] = {}

    def map(self, tasks: Sequence[T]) -> Iterator[tuple[T, Any]]:
        """Tasks with their results, as they finish; see `Session`."""
        call = _Call(tasks, self._last_workers, self._num_workers)
        self._pool.begin(call)
        try:
            for _ in tasks:
                number, worker, result, error = call.finished.get()
                if error is not None:
                    raise error
                self._last_workers[number] = worker
                self._pool.allow_another(call)
                yield tasks[number], result
        finally:
            self._pool.end(call)


class _Call:
    """The tasks of one call, of which only a few may be in progress."""

    def __init__(
        self, tasks: Sequence[Any], last_workers: dict[int, int], num_workers: int
    ) -> None:
        self.tasks = tasks
        self.waiting = WaitingTasks(len(tasks), last_workers, range(num_workers))
        #: Tasks that may be started before another result is taken.
        self.num_allowed = TASKS_PER_WORKER * num_workers
        #: Numbers of tasks and of their workers, with results or errors.
        self.finished: SimpleQueue[tuple[int, int, Any, Exception | None]]
        self.finished = SimpleQueue()


class _Pool:
    """Threads, each of which waits for the replies of one worker process."""

    def __init__(self, function: bytes, num_workers: int) -> None:
        self._call: _Call | None = None
        self._is_open = True
        # Guards both, and what waits in the call.
        self._changed = threading.Condition()
        self._workers = [_Worker(function) for _ in range(num_workers)]
        # Daemons: a program that exits ends the workers instead of waiting for them.
        self._threads = [
            threading.Thread(target=self._serve, args=(number,), daemon=True)
            for number in range(num_workers)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._is_open = False
            self._changed.notify_all()
        for worker in self._workers:
            worker.stop()
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.wait()

    def begin(self, call: _Call) -> None:
        with self._changed:
            self._call = call
            self._changed.notify_all()

    def allow_another(self, call: _Call) -> None:
        """Let one more task of the call be started."""
        with self._changed:
            call.num_allowed += 1
            self._changed.notify_all()

    def end(self, call: _Call) -> None:
        """Start no more tasks of the call."""
        with self._changed:
            call.num_allowed = 0
            if self._call is call:
                self._call = None

    def _serve(self, number: int) -> None:
        worker = self._workers[number]
        while (next_task := self._next_task(number)) is not None:
            call, task = next_task
            try:
                result = _result(worker, call.tasks[task])
                call.finished.put((task, number, result, None))
            except Exception as error:
                call.finished.put((task, number, None, error))

    def _next_task(self, worker: int) -> tuple[_Call, int] | None:
        """Wait for a task; None at the end."""
        with self._changed:
            while self._is_open:
                call = self._call
                if call is not None and call.num_allowed > 0:
                    task = call.waiting.next_for(worker)
                    if task is not None:
                        call.num_allowed -= 1
                        return call, task
                self._changed.wait()
        return None


def _result(worker: _Worker, task: object) -> Any:
    request = pickle.dumps(task)
    for _ in range(MAX_TRIES):
        try:
            reply = worker.request(request)
        except (EOFError, OSError):
            continue
        return unpacked(reply)
    raise lost_task_error(task)


class _Worker:
    """A worker process that is started on its first task and restarted when lost."""

    def __init__(self, function: bytes) -> None:
        self._function = function
        self._process: WorkerProcess | None = None
        self._is_open = True
        # `stop` is called from another thread than `request`.
        self._lock = threading.Lock()

    def request(self, task: bytes) -> bytes:
        """Send a task and wait for the reply; EOFError or OSError if it is lost."""
        process, messages = self._running(task)
        try:
            return process.request(*messages)
        except (EOFError, OSError):
            # The pipes of a process close shortly before it has ended.
            with self._lock:
                self._discard()
            raise

    def _running(self, task: bytes) -> tuple[WorkerProcess, list[bytes]]:
        """A running process, and the messages to send to it."""
        with self._lock:
            if not self._is_open:
                raise EOFError
            if self._process is not None and not self._process.has_ended:
                return self._process, [task]
            self._discard()
            # Workers find modules where the program found them.
            self._process = WorkerProcess("thatch.scale.engines.remote_call", sys.path)
            return self._process, [self._function, task]

    def stop(self) -> None:
        """End the process, whatever it does, and start no other."""
        with self._lock:
            self._is_open = False
            if self._process is not None:
                self._process.stop()

    def wait(self) -> None:
        if self._process is not None:
            self._process.wait()

    def _discard(self) -> None:
        if self._process is not None:
            self._process.stop()
            self._process.wait()
            self._process = None
