"""Tasks on a dask cluster: on this machine, or behind a running scheduler."""

from __future__ import annotations

import atexit
import contextlib
import logging
import pickle
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from thatch.devices import num_cores
from thatch.engines.base import (
    MAX_TRIES,
    TASKS_PER_WORKER,
    R,
    T,
    cluster_error,
    lost_task_error,
    require_scheduler_or_workers,
)
from thatch.engines.remote_call import answer, unpacked
from thatch.engines.waiting_tasks import WaitingTasks
from thatch.errors import ClusterError, InputError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["DaskEngine"]

_LOG = logging.getLogger("thatch.engines")
# How often the workers are counted: a cluster may grow or shrink.
_SECONDS_BETWEEN_COUNTS = 1.0
# Tasks that must wait for one worker before another takes one of them: it may have to
# fetch what the task reads.
_MIN_BACKLOG = 2
_CLUSTER_SETTINGS = {
    "distributed.scheduler.allowed-failures": MAX_TRIES - 1,
    # Tasks wait at the scheduler, so that a lost worker costs only one task.
    "distributed.scheduler.worker-saturation": 1.0,
}
# Address of a scheduler; that of its dashboard starts with http.
_ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?[^/\s]+:\d+/?")
_SECONDS_TO_CONNECT = 10
# Tasks may be large; dask must not warn about it.
_TASK_SETTINGS = {"distributed.admin.large-graph-warning-threshold": "1TB"}


@dataclass(frozen=True)
class DaskEngine:
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

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T]
    ) -> Iterator[tuple[T, R]]:
        """Tasks with their results, as they finish; see `Engine`."""
        if tasks:
            with self.session(function, num_tasks=len(tasks)) as session:
                yield from session.map(tasks)

    @contextlib.contextmanager
    def session(
        self, function: Callable[[T], R], *, num_tasks: int
    ) -> Iterator[DaskSession]:
        """Keep the workers from one call of its `map` to the next; see `Session`."""
        with contextlib.ExitStack() as stack:
            # A program may exit before it has taken all results: then this stops the
            # cluster, while that is still possible.
            atexit.register(stack.close)
            stack.callback(atexit.unregister, stack.close)
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
                f"no dask scheduler answers at scheduler {self.scheduler!r}.",
                hint="Check the address, or start one with: dask scheduler",
            ) from error
        stack.enter_context(client)
        return client


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
        try:
            for number, worker, result in call.results(
                self._threads, self._last_workers
            ):
                self._last_workers[number] = worker
                yield tasks[number], result
        finally:
            call.cancel()


class _Call:
    """The tasks of one call."""

    def __init__(
        self, client: Client, function: bytes, tasks: Sequence[object]
    ) -> None:
        self._client = client
        self._function = function
        self._tasks = tasks
        self._name = f"thatch-{uuid.uuid4().hex}"
        # Numbers of tasks, and the workers that they were sent to.
        self._in_progress: dict[Any, tuple[int, str | None]] = {}

    def cancel(self) -> None:
        """Cancel the tasks in progress."""
        if self._in_progress:
            with contextlib.suppress(Exception):
                self._client.cancel(list(self._in_progress))
            self._in_progress.clear()

    def results(
        self, threads: _Threads, last_workers: dict[int, str]
    ) -> Iterator[tuple[int, str, Any]]:
        """Numbers of tasks, their workers and their results, as they finish."""
        from distributed import as_completed

        waiting = WaitingTasks(
            len(self._tasks), last_workers, threads.now(), min_backlog=_MIN_BACKLOG
        )
        next_tasks = self._tasks_of_workers if last_workers else self._tasks_of_anyone
        finished = as_completed(loop=self._client.loop)
        for _ in self._tasks:
            for number, worker in next_tasks(waiting, threads):
                future = self._submitted(number, worker)
                self._in_progress[future] = number, worker
                finished.add(future)
            future = next(finished)
            number, _ = self._in_progress[future]
            address, reply = _reply(future, self._tasks[number])
            # The cluster keeps a result until its future is deleted.
            del self._in_progress[future], future
            yield number, address, unpacked(reply)

    def _tasks_of_anyone(
        self, waiting: WaitingTasks, threads: _Threads
    ) -> Iterator[tuple[int, None]]:
        """Tasks to submit now, if the scheduler chooses the workers."""
        # One more, from which dask learns that all tasks have the same name.
        limit = TASKS_PER_WORKER * max(1, sum(threads.recent().values())) + 1
        while len(self._in_progress) < limit:
            number = waiting.next_for(None)
            if number is None:
                return
            yield number, None

    def _tasks_of_workers(
        self, waiting: WaitingTasks, threads: _Threads
    ) -> Iterator[tuple[int, str | None]]:
        """Tasks to submit now, with the worker that each should run on.

        Each worker has as many as it can run: dask regards every task that waits for a
        lost worker as one that may have killed it.
        """
        num_busy = Counter(worker for _, worker in self._in_progress.values())
        alive = threads.recent()
        waiting.free_all_but(alive)
        for worker, num_threads in alive.items():
            for _ in range(num_threads - num_busy[worker]):
                number = waiting.next_for(worker)
                if number is None:
                    break
                yield number, worker
        if not self._in_progress:
            # There are no workers: the scheduler waits for one.
            number = waiting.next_for(None)
            if number is not None:
                yield number, None

    def _submitted(self, number: int, worker: str | None) -> Any:
        import dask

        with dask.config.set(_TASK_SETTINGS):
            return self._client.submit(
                _answered,
                self._function,
                pickle.dumps(self._tasks[number]),
                key=(self._name, number),
                pure=False,
                workers=None if worker is None else [worker],
                # If it is lost, another worker runs the task.
                allow_other_workers=worker is not None,
            )


class _Threads:
    """How many threads each worker of a cluster has, by address."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._counted = -_SECONDS_BETWEEN_COUNTS
        self._threads: dict[str, int] = {}

    def now(self) -> dict[str, int]:
        """Those that are alive now."""
        self._counted = time.monotonic()
        self._threads = {w: num for w, num in self._client.nthreads().items() if num}
        if not self._threads:
            _LOG.warning("the dask cluster has no workers; waiting for one")
        return self._threads

    def recent(self) -> dict[str, int]:
        """Those that were alive a short time ago."""
        is_old = time.monotonic() - self._counted >= _SECONDS_BETWEEN_COUNTS
        return self.now() if is_old else self._threads


def _answered(function: bytes, task: bytes) -> tuple[str, bytes]:
    """The address of the worker that calls this, and its reply."""
    from distributed import get_worker

    return get_worker().address, answer(function, task)


def _reply(future: Any, task: object) -> tuple[str, bytes]:
    from asyncio import CancelledError

    from distributed import KilledWorker

    try:
        address, reply = future.result()
    except KilledWorker as error:
        raise lost_task_error(task) from error
    except (Exception, CancelledError) as error:
        # Errors of the function are in replies; this is one of the cluster.
        if "connection-lost" in str(error):
            raise ClusterError(
                "the connection to the dask scheduler is lost.",
                hint="Restart it. A corpus job can be resumed with --resume.",
            ) from error
        raise cluster_error("dask", error) from error
    return address, reply


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
            preload=["thatch.engines.dask_preload"],
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
