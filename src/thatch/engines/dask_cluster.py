"""Tasks on a dask cluster: on this machine, or behind a running scheduler."""

from __future__ import annotations

import atexit
import contextlib
import logging
import pickle
import re
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

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
from thatch.errors import ClusterError, InputError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["DaskEngine"]

_LOG = logging.getLogger("thatch.engines")
# How often the workers are counted: a cluster may grow or shrink.
_SECONDS_BETWEEN_COUNTS = 1.0
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
        if not tasks:
            return
        with contextlib.ExitStack() as stack:
            # A program may exit before it has taken all results: then this stops the
            # cluster, while that is still possible.
            atexit.register(stack.close)
            stack.callback(atexit.unregister, stack.close)
            job = _Job(self._client(stack, len(tasks)), pickle.dumps(function))
            stack.callback(job.cancel)
            yield from job.results(tasks)

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


class _Job:
    """The tasks of one function on a cluster."""

    def __init__(self, client: Client, function: bytes) -> None:
        self._client = client
        self._function = function
        self._name = f"thatch-{uuid.uuid4().hex}"
        self._in_progress: dict[Any, Any] = {}
        self._counted = -_SECONDS_BETWEEN_COUNTS
        self._limit = 0

    def cancel(self) -> None:
        """Cancel the tasks in progress."""
        with contextlib.suppress(Exception):
            self._client.cancel(list(self._in_progress))

    def results(self, tasks: Sequence[T]) -> Iterator[tuple[T, Any]]:
        """Tasks with their results, as they finish."""
        from distributed import as_completed

        finished = as_completed(loop=self._client.loop)
        waiting = enumerate(tasks)
        for _ in range(len(tasks)):
            free = self._max_in_progress() - len(self._in_progress)
            for number, task in islice(waiting, max(0, free)):
                future = self._submitted(number, task)
                self._in_progress[future] = task
                finished.add(future)
            future = next(finished)
            task = self._in_progress[future]
            result = _result(future, task)
            # The cluster keeps a result until its future is deleted.
            del self._in_progress[future], future
            yield task, result

    def _submitted(self, number: int, task: object) -> Any:
        import dask

        with dask.config.set(_TASK_SETTINGS):
            return self._client.submit(
                answer,
                self._function,
                pickle.dumps(task),
                key=(self._name, number),
                pure=False,
            )

    def _max_in_progress(self) -> int:
        now = time.monotonic()
        if now - self._counted >= _SECONDS_BETWEEN_COUNTS:
            self._counted = now
            num_threads = _num_threads(self._client)
            if num_threads == 0:
                _LOG.warning("the dask cluster has no workers; waiting for one")
            # One more, from which dask learns that all tasks have the same name.
            self._limit = TASKS_PER_WORKER * max(1, num_threads) + 1
        return self._limit


def _num_threads(client: Client) -> int:
    return sum(client.nthreads().values())


def _result(future: Any, task: object) -> Any:
    from asyncio import CancelledError

    from distributed import KilledWorker

    try:
        reply = future.result()
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
    return unpacked(reply)


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
