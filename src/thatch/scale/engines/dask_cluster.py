"""Tasks on a dask cluster: on this machine, or behind a running scheduler.

In the first call of a session, dask chooses the workers and tries lost tasks again. In
later calls each task is sent to one worker, and this module does both: dask would never
run a task whose worker was lost while there was no other, even if others may run it.
"""

from __future__ import annotations

import contextlib
import logging
import pickle
import re
import time
import uuid
from asyncio import CancelledError
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self

from thatch.errors import ClusterError, InputError, MissingExtraError
from thatch.machine.devices import num_cores
from thatch.machine.engines import (
    MAX_TRIES,
    TASKS_PER_WORKER,
    Engine,
    R,
    T,
    cluster_error,
    lost_task_error,
    require_scheduler_or_workers,
)
from thatch.scale.engines.remote_call import answer, stack_until_exit, unpacked
from thatch.scale.engines.waiting_tasks import WaitingTasks

if TYPE_CHECKING:
    from distributed import Client, Future

_CLUSTER_SETTINGS = {
    "distributed.scheduler.allowed-failures": MAX_TRIES - 1,
    # Tasks wait at the scheduler, so that a lost worker costs only one task.
    "distributed.scheduler.worker-saturation": 1.0,
}
# Address of a scheduler; that of its dashboard starts with http.
_ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?[^/\s]+:\d+/?")
_SECONDS_TO_CONNECT = 10


@dataclass(frozen=True)
class DaskEngine(Engine):
    """A dask cluster: a running one, or processes on this machine.

    A cluster on this machine is stopped at the end; a running one is left running. As
    with everything that uses Python's multiprocessing, a script that starts a cluster
    on this machine needs ``if __name__ == "__main__":``.
    """

    #: Address of a running scheduler, such as ``tcp://10.0.0.1:8786``.
    scheduler: str | None = None
    #: Number of processes, if there is no scheduler. Default: one per core.
    num_workers: int | None = None

    def __post_init__(self) -> None:
        require_scheduler_or_workers(self.scheduler, self.num_workers)
        if self.scheduler is not None and not _ADDRESS.fullmatch(self.scheduler):
            raise InputError(
                f"scheduler is {self.scheduler!r}, which is not an address such as "
                "tcp://10.0.0.1:8786.",
                hint="The scheduler prints its address when it starts.",
            )

    @contextlib.contextmanager
    def session(
        self, function: Callable[[T], R], *, num_tasks: int
    ) -> Iterator[DaskSession]:
        """Keep the workers from one call of its `map` to the next; see `Session`."""
        with stack_until_exit() as stack:
            client = self._client(stack, max(1, num_tasks))
            yield stack.enter_context(DaskSession(client, pickle.dumps(function)))

    def _client(self, stack: contextlib.ExitStack, num_tasks: int) -> Client:
        distributed = _require_distributed()
        address: Any = self.scheduler
        if address is None:
            num_workers = min(self.num_workers or num_cores(), num_tasks)
            address = stack.enter_context(_local_cluster(distributed, num_workers))
        try:
            client = distributed.Client(
                address, set_as_default=False, timeout=_SECONDS_TO_CONNECT
            )
        except (OSError, ValueError) as error:
            raise InputError(
                f"scheduler is {self.scheduler!r}; no dask scheduler answers there.",
                hint="Check the address, or start one with: dask scheduler",
            ) from error
        stack.enter_context(client)
        return client


def _local_cluster(distributed: Any, num_workers: int) -> Any:
    import dask

    with dask.config.set(_CLUSTER_SETTINGS):
        return distributed.LocalCluster(
            n_workers=num_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            # None would use a fixed port, and warn if another cluster uses it.
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address=None,
            silence_logs=logging.CRITICAL,
            preload=["thatch.scale.engines.dask_preload"],
            # As with a local engine, workers have no memory limit.
            memory_limit=0,
        )


def _require_distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise MissingExtraError(
            "engine dask", package="dask.distributed", extra="dask"
        ) from error
    return distributed


_LOG = logging.getLogger("thatch.scale")
# How often the workers are counted: a cluster may grow or shrink.
_SECONDS_BETWEEN_COUNTS = 1.0
# Tasks may be large; dask must not warn about it.
_TASK_SETTINGS = {"distributed.admin.large-graph-warning-threshold": "1TB"}


class DaskSession:
    """A client of a cluster that calls one function on tasks, again and again."""

    def __init__(self, client: Client, function: bytes) -> None:
        self._client = client
        self._function = function
        self._threads = _Threads(client)
        # Addresses, by the number of the task.
        self._last_workers: dict[int, str] = {}
        self._call: _Call | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._call is not None:
            self._call.cancel()

    def map(self, tasks: Sequence[T]) -> Iterator[tuple[T, Any]]:
        """Tasks with their results, as they finish; see `Session`."""
        if not tasks:
            return
        self._call = call = _Call(self._client, self._function, tasks)
        if self._last_workers:
            results = _sent_to_workers(call, self._threads, self._last_workers)
        else:
            results = _sent_to_anyone(call, self._threads)
        try:
            for number, worker, result in results:
                self._last_workers[number] = worker
                yield tasks[number], result
        finally:
            call.cancel()


class _Call:
    def __init__(
        self, client: Client, function: bytes, tasks: Sequence[object]
    ) -> None:
        self.client = client
        self.tasks = tasks
        #: Numbers of tasks.
        self.in_progress: dict[Future, int] = {}
        self._function = function
        self._name = f"thatch-{uuid.uuid4().hex}"
        self._num_submitted = 0

    def submit(self, number: int, worker: str | None = None) -> Future:
        """Send a task to one worker, or to any."""
        import dask

        with dask.config.set(_TASK_SETTINGS):
            future = self.client.submit(
                _answered,
                self._function,
                pickle.dumps(self.tasks[number]),
                key=(self._name, self._num_submitted),
                pure=False,
                workers=None if worker is None else [worker],
            )
        self._num_submitted += 1
        self.in_progress[future] = number
        return future

    def cancel(self) -> None:
        if self.in_progress:
            with contextlib.suppress(Exception):
                self.client.cancel(list(self.in_progress))
            self.in_progress.clear()


def _sent_to_anyone(call: _Call, threads: _Threads) -> Iterator[tuple[int, str, Any]]:
    """Numbers of tasks, the workers that dask chose for them, and their results."""
    from distributed import as_completed

    waiting = iter(range(len(call.tasks)))
    finished = as_completed(loop=call.client.loop)
    for _ in call.tasks:
        # One more, from which dask learns that all tasks have the same name.
        limit = TASKS_PER_WORKER * max(1, sum(threads.recent().values())) + 1
        for number in islice(waiting, max(0, limit - len(call.in_progress))):
            finished.add(call.submit(number))
        future = next(finished)
        number = call.in_progress[future]
        worker, reply = _reply(future, call.tasks[number])
        # The cluster keeps a result until its future is deleted.
        del call.in_progress[future], future
        yield number, worker, unpacked(reply)


def _sent_to_workers(
    call: _Call, threads: _Threads, last_workers: dict[int, str]
) -> Iterator[tuple[int, str, Any]]:
    """Numbers of tasks, the workers that they were sent to, and their results."""
    placed = _PlacedTasks(call, threads, last_workers)
    for _ in call.tasks:
        number, worker, reply = placed.next()
        yield number, worker, unpacked(reply)


class _PlacedTasks:
    """Tasks that are sent to workers, at most one per thread at a time."""

    def __init__(
        self, call: _Call, threads: _Threads, last_workers: dict[int, str]
    ) -> None:
        self._call = call
        self._threads = threads
        # Tasks that must wait for one worker before another takes one of them: it may
        # have to fetch what the task reads.
        self._waiting = WaitingTasks(
            len(call.tasks), last_workers, threads.now(), min_backlog=2
        )
        self._workers: dict[Future, str] = {}
        self._finished: SimpleQueue[Future] = SimpleQueue()
        self._num_lost: Counter[int] = Counter()

    def next(self) -> tuple[int, str, bytes]:
        """The number of a task that has finished, its worker and its reply."""
        while True:
            self._submit()
            try:
                future = self._finished.get(timeout=_SECONDS_BETWEEN_COUNTS)
            except Empty:
                continue
            if future not in self._workers:
                continue  # its worker was lost
            worker = self._workers.pop(future)
            # The worker goes on while the result is fetched.
            self._submit()
            number = self._call.in_progress[future]
            reply = self._fetched(future, worker, number)
            del self._call.in_progress[future]
            if reply is not None:
                return number, worker, reply
            self._retry(number)

    def _submit(self) -> None:
        alive = self._threads.recent()
        self._waiting.free_all_but(alive)
        for future in [f for f, w in self._workers.items() if w not in alive]:
            del self._workers[future]
            future.cancel()
            self._retry(self._call.in_progress.pop(future))
        num_busy = Counter(self._workers.values())
        for worker, num_threads in alive.items():
            for _ in range(num_threads - num_busy[worker]):
                number = self._waiting.next_for(worker)
                if number is None:
                    break
                future = self._call.submit(number, worker)
                self._workers[future] = worker
                future.add_done_callback(self._finished.put)

    def _retry(self, number: int) -> None:
        """Let a task whose worker was lost run anywhere."""
        self._num_lost[number] += 1
        if self._num_lost[number] == MAX_TRIES:
            raise lost_task_error(self._call.tasks[number])
        self._waiting.add(number)

    def _fetched(self, future: Future, worker: str, number: int) -> bytes | None:
        """The reply, or None if it was lost with its worker."""
        seconds = _SECONDS_BETWEEN_COUNTS
        while True:
            try:
                return _reply(future, self._call.tasks[number], timeout=seconds)[1]
            except TimeoutError:
                if worker not in self._threads.now():
                    return None
                seconds *= 2


class _Threads:
    """How many threads each worker of a cluster has, by address."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._counted = -_SECONDS_BETWEEN_COUNTS
        self._threads: dict[str, int] = {}
        self._has_warned = False

    def now(self) -> dict[str, int]:
        """Those of the workers that are alive."""
        self._counted = time.monotonic()
        try:
            counts = self._client.nthreads()
        except (OSError, TimeoutError) as error:
            raise _connection_error() from error
        self._threads = {worker: count for worker, count in counts.items() if count}
        if not self._threads and not self._has_warned:
            _LOG.warning("the dask cluster has no workers; waiting for one")
        self._has_warned = not self._threads
        return self._threads

    def recent(self) -> dict[str, int]:
        """Those of the workers that were alive a second ago."""
        is_old = time.monotonic() - self._counted >= _SECONDS_BETWEEN_COUNTS
        return self.now() if is_old else self._threads


def _answered(function: bytes, task: bytes) -> tuple[str, bytes]:
    """The address of the worker that calls this, and its reply."""
    from distributed import get_worker

    return get_worker().address, answer(function, task)


def _reply(
    future: Future, task: object, *, timeout: float | None = None
) -> tuple[str, bytes]:
    from distributed import KilledWorker

    try:
        reply: tuple[str, bytes] = future.result(timeout=timeout)
    except KilledWorker as error:
        raise lost_task_error(task) from error
    except TimeoutError:
        raise
    except (Exception, CancelledError) as error:
        # Errors of the function are in replies; this is one of the cluster.
        if "connection-lost" in str(error):
            raise _connection_error() from error
        raise cluster_error("dask", error) from error
    return reply


def _connection_error() -> ClusterError:
    return ClusterError(
        "the connection to the dask scheduler was lost.",
        hint="Restart it. Runs on corpora and on problems in shards can be resumed.",
    )
