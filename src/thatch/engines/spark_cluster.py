"""Work on a Spark cluster: one of this machine's own, or one that runs elsewhere."""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import sys
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import ceil
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
    from pyspark.sql import SparkSession

__all__ = ["SparkEngine"]

# A job takes Spark hundredths of a second, so that a large cluster gets several tasks
# in each, and so few jobs, each with a thread that waits for it, are under way.
_MOST_JOBS = 32
# Of one message, in MiB: a task may hold a problem.
_LARGEST_MESSAGE = 1024
# What Spark says of a worker that is gone, as against one that could not begin.
_SIGNS_OF_LOSS = "Python worker exited unexpectedly", "ExecutorLostFailure"


@dataclass(frozen=True)
class SparkEngine:
    """A Spark cluster: that of a master's address, or processes on this machine.

    A session that is there already is used and left running; one that is started here
    is stopped in the end. Its Java process ends with the program.
    """

    #: Address of a running master, such as ``spark://10.0.0.1:7077``.
    scheduler: str | None = None
    #: How many tasks at a time if there is no master; one a core if None.
    num_workers: int | None = None

    def __post_init__(self) -> None:
        require_scheduler_or_workers(self.scheduler, self.num_workers)

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T]
    ) -> Iterator[tuple[T, R]]:
        """Tasks with their results, as they finish; see `Engine`."""
        if not tasks:
            return
        with contextlib.ExitStack() as stack:
            # A program may end before its results do; later, nothing can be stopped.
            atexit.register(stack.close)
            stack.callback(atexit.unregister, stack.close)
            job = _Job(self._session(stack), pickle.dumps(function))
            stack.callback(job.cancel)
            yield from _results(job, tasks)

    def _session(self, stack: contextlib.ExitStack) -> SparkSession:
        sql = _require_spark()
        active: SparkSession | None = sql.SparkSession.getActiveSession()
        if active is not None:
            self._require_master(active.sparkContext.master)
            return active
        builder = self._settings(sql.SparkSession.builder)
        try:
            with _same_python(self.scheduler is None):
                session: SparkSession = builder.getOrCreate()
        except Exception as error:
            raise EngineError(
                f"engine spark must start, got: {str(error).splitlines()[0]}",
                hint="It needs Java 17, and a running master if one is named.",
            ) from error
        stack.callback(session.stop)
        session.sparkContext.setLogLevel("ERROR")
        return session

    def _require_master(self, master: str) -> None:
        if self.scheduler not in (None, master):
            raise InputError(
                f"scheduler must be that of the session which runs here, {master}, "
                f"got {self.scheduler!r}.",
                hint="Stop that session first, or leave the scheduler out.",
            )

    def _settings(self, builder: Any) -> Any:
        settings = {
            "spark.app.name": "thatch",
            "spark.ui.enabled": False,
            "spark.ui.showConsoleProgress": False,
            "spark.task.maxFailures": MAX_TRIES,
            "spark.rpc.message.maxSize": _LARGEST_MESSAGE,
        }
        if self.scheduler is None:
            settings |= {
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
                # Workers find modules where the program found them.
                "spark.executorEnv.PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            }
        for name, value in settings.items():
            builder = builder.config(name, value)
        num_workers = self.num_workers or num_cores()
        return builder.master(self.scheduler or f"local[{num_workers},{MAX_TRIES}]")


@contextlib.contextmanager
def _same_python(is_local: bool) -> Iterator[None]:
    """Have workers of this machine run by this Python, unless another is named.

    Spark looks nowhere else for its name than among the variables of its environment.
    """
    name = "PYSPARK_PYTHON"
    if not is_local or name in os.environ:
        yield
        return
    os.environ[name] = sys.executable
    try:
        yield
    finally:
        del os.environ[name]


class _Job:
    """One function's tasks in a session."""

    def __init__(self, session: SparkSession, function: bytes) -> None:
        self._session = session
        self._function = function
        self._name = f"thatch-{uuid.uuid4().hex}"
        num_workers = max(1, session.sparkContext.defaultParallelism)
        #: Tasks that are sent together.
        self.num_together = ceil(TASKS_PER_WORKER * num_workers / _MOST_JOBS)
        #: How many times that may be under way.
        self.most_under_way = ceil(TASKS_PER_WORKER * num_workers / self.num_together)

    def replies(self, tasks: Sequence[object]) -> list[tuple[Any, bytes]]:
        """What becomes of some tasks, each in a partition of its own."""
        from pyspark.errors import PySparkException

        try:
            return list(zip(tasks, self._collected(tasks), strict=True))
        except (PySparkException, _java_error()) as error:
            if not any(sign in str(error) for sign in _SIGNS_OF_LOSS):
                raise cannot_work("Spark", error) from error
            if len(tasks) == 1:
                raise lost(tasks[0]) from error
        # One of them is at fault: alone, it is found, and the others are done.
        return [pair for task in tasks for pair in self.replies([task])]

    def _collected(self, tasks: Sequence[object]) -> list[bytes]:
        context = self._session.sparkContext
        context.setJobGroup(self._name, "thatch", interruptOnCancel=True)
        rows = [(number, pickle.dumps(task)) for number, task in enumerate(tasks)]
        table = self._session.createDataFrame(rows, "number int, task binary")
        replies = table.coalesce(len(rows)).mapInArrow(
            partial(_answered, self._function), "number int, reply binary"
        )
        found = {row.number: bytes(row.reply) for row in replies.collect()}
        return [found[number] for number in range(len(rows))]

    def cancel(self) -> None:
        """End what is under way."""
        with contextlib.suppress(Exception):
            self._session.sparkContext.cancelJobGroup(self._name)


def _results(job: _Job, tasks: Sequence[T]) -> Iterator[tuple[T, Any]]:
    """Keep so many jobs under way, and pass on what comes of them."""
    waiting = iter(tasks)
    under_way: set[Future[list[tuple[Any, bytes]]]] = set()
    threads = ThreadPoolExecutor(job.most_under_way)
    try:
        while True:
            while len(under_way) < job.most_under_way:
                together = list(islice(waiting, job.num_together))
                if not together:
                    break
                under_way.add(threads.submit(job.replies, together))
            if not under_way:
                return
            finished, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in finished:
                for task, reply in future.result():
                    yield task, unpacked(reply)
    finally:
        job.cancel()
        threads.shutdown(cancel_futures=True)


def _answered(function: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """What a worker makes of its part of the table."""
    import pyarrow as pa

    for batch in batches:
        replies = [answer(function, task.as_py()) for task in batch["task"]]
        yield pa.RecordBatch.from_arrays(
            [batch["number"], pa.array(replies, type=pa.binary())],
            names=["number", "reply"],
        )


def _require_spark() -> Any:
    try:
        # mapInArrow asks for both, and says so only once there is something to do.
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
        import pyspark.sql
    except ImportError as error:
        raise MissingExtraError(
            "engine spark", package="pyspark[sql]", extra="spark"
        ) from error
    return pyspark.sql


def _java_error() -> type[Exception]:
    from py4j.protocol import Py4JError

    return Py4JError  # type: ignore[no-any-return]
