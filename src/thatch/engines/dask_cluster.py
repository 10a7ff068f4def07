"""Work on a dask cluster: one of this machine's own, or one that runs elsewhere."""

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
    cannot_work,
    lost,
    require_scheduler_or_workers,
)
from thatch.engines.remote_call import answer, unpacked
from thatch.errors import EngineError, InputError, MissingExtraError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["DaskEngine"]

_LOG = logging.getLogger("thatch.engines")
# How often a cluster that may grow or shrink is asked how large it is.
_SECONDS_BETWEEN_COUNTS = 1.0
_CLUSTER_SETTINGS = {
    "distributed.scheduler.allowed-failures": MAX_TRIES - 1,
    # What waits, waits at the scheduler: a worker that is lost takes one task with it.
    "distributed.scheduler.worker-saturation": 1.0,
}
# Of a scheduler; those of its dashboard are others.
_ADDRESS = re.compile(r"((tcp|tls|ucx|wss?)://)?[^/\s]+:\d+/?")
_SECONDS_TO_CONNECT = 10
# A task may hold a problem; that it is large is no reason to warn.
_TASK_SETTINGS = {"distributed.admin.large-graph-warning-threshold": "1TB"}


@dataclass(frozen=True)
class DaskEngine:
    """A dask cluster: that of a scheduler's address, or processes on this machine.

    A cluster of this machine is stopped in the end; another's is left running. As with
    anything that starts processes through Python's multiprocessing, a script that
    lets it start some says ``if __name__ == "__main__":``.
    """

    #: Address of a running scheduler, such as ``tcp://10.0.0.1:8786``.
    scheduler: str | None = None
    #: How many processes if there is no scheduler; one a core if None.
    num_workers: int | None = None

    def __post_init__(self) -> None:
        require_scheduler_or_workers(self.scheduler, self.num_workers)
        if self.scheduler is not None and not _ADDRESS.fullmatch(self.scheduler):
            raise InputError(
                "scheduler must be an address such as tcp://10.0.0.1:8786, "
                f"got {self.scheduler!r}.",
                hint="The scheduler prints its own when it starts.",
            )

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T]
    ) -> Iterator[tuple[T, R]]:
        """Tasks with their results, as they finish; see `Engine`."""
        if not tasks:
            return
        with contextlib.ExitStack() as stack:
            # A program may end before its results do; later, nothing can be closed.
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
                "scheduler must be the address of a running dask scheduler, "
                f"got {self.scheduler!r}.",
                hint="Start one with: dask scheduler",
            ) from error
        stack.enter_context(client)
        return client


class _Job:
    """One function's tasks on a cluster."""

    def __init__(self, client: Client, function: bytes) -> None:
        self._client = client
        self._function = function
        self._name = f"thatch-{uuid.uuid4().hex}"
        self._under_way: dict[Any, Any] = {}
        self._counted = -_SECONDS_BETWEEN_COUNTS
        self._room = 0

    def cancel(self) -> None:
        """Have what is under way forgotten."""
        with contextlib.suppress(Exception):
            self._client.cancel(list(self._under_way))

    def results(self, tasks: Sequence[T]) -> Iterator[tuple[T, Any]]:
        """Tasks with their results, as they finish."""
        from distributed import as_completed

        finished = as_completed(loop=self._client.loop)
        waiting = enumerate(tasks)
        for _ in range(len(tasks)):
            room = self._most_under_way() - len(self._under_way)
            for number, task in islice(waiting, max(0, room)):
                future = self._submitted(number, task)
                self._under_way[future] = task
                finished.add(future)
            future = next(finished)
            task = self._under_way[future]
            result = _result(future, task)
            # The cluster keeps a result for as long as somebody holds its future.
            del self._under_way[future], future
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

    def _most_under_way(self) -> int:
        now = time.monotonic()
        if now - self._counted >= _SECONDS_BETWEEN_COUNTS:
            self._counted = now
            num_threads = _num_threads(self._client)
            if num_threads == 0:
                _LOG.warning("dask has no worker: waiting for one")
            # One more than dask needs to see that they are alike.
            self._room = TASKS_PER_WORKER * max(1, num_threads) + 1
        return self._room


def _num_threads(client: Client) -> int:
    return sum(client.nthreads().values())


def _result(future: Any, task: object) -> Any:
    from asyncio import CancelledError

    from distributed import KilledWorker

    try:
        reply = future.result()
    except KilledWorker as error:
        raise lost(task) from error
    except (Exception, CancelledError) as error:
        # Not the function's: those come as replies.
        if "connection-lost" in str(error):
            raise EngineError(
                "the scheduler must run until all is done, got a connection that is "
                "lost.",
                hint="Start it again. A job over a corpus goes on with --resume.",
            ) from error
        raise cannot_work("dask", error) from error
    return unpacked(reply)


def _local_cluster(distributed: Any, num_workers: int) -> Any:
    import dask

    with dask.config.set(_CLUSTER_SETTINGS):
        return distributed.LocalCluster(
            n_workers=num_workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            # None would ask for a port that another cluster may have, and warn.
            dashboard_address="127.0.0.1:0",
            worker_dashboard_address=None,
            silence_logs=logging.CRITICAL,
            preload=["thatch.engines.dask_preload"],
            # As on a local engine: no worker is ended for what others use.
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
