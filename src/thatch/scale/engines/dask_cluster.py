"""Tasks on a dask cluster: on this machine, or behind a running scheduler."""

from __future__ import annotations

import contextlib
import logging
import pickle
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.errors import InputError, MissingExtraError
from thatch.machine.devices import num_cores
from thatch.machine.engines import MAX_TRIES, Engine, R, T, require_scheduler_or_workers
from thatch.scale.engines.dask_session import DaskSession
from thatch.scale.engines.remote_call import stack_until_exit

if TYPE_CHECKING:
    from distributed import Client

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
                f"no dask scheduler answers at scheduler {self.scheduler!r}.",
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
