"""Tasks on a Spark cluster: on this machine, or behind a running master."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# In Spark's error if a worker was killed, but not if it could not start.
_SIGNS_OF_LOSS = "Python worker exited unexpectedly", "ExecutorLostFailure"


@dataclass(frozen=True)
class SparkEngine(Engine):
    """A Spark cluster: a running one, or processes on this machine.

    An active session is used and left running; otherwise a session is started, and
    stopped at the end. Its Java process ends with the program.
    """

    #: Address of a running master, such as ``spark://10.0.0.1:7077``.
    scheduler: str | None = None
    #: Tasks that run at a time, if there is no master. Default: one per core.
    num_workers: int | None = None

    def __post_init__(self) -> None:
        require_scheduler_or_workers(self.scheduler, self.num_workers)

    @contextlib.contextmanager
    def session(
        self, function: Callable[[T], R], *, num_tasks: int
    ) -> Iterator[SparkTaskSession]:
        """Keep the cluster from one call of its `map` to the next; see `Session`.

        Spark runs each task where it wants, so that a worker may have to read again
        what another has read. The number of tasks is not used.
        """
        with stack_until_exit() as stack:
            session = SparkTaskSession(self._session(stack), pickle.dumps(function))
            yield stack.enter_context(session)

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
            raise ClusterError(
                f"Spark did not start: {str(error).splitlines()[0]}",
                hint="It needs Java 17, and a running master if scheduler is set.",
            ) from error
        stack.callback(session.stop)
        session.sparkContext.setLogLevel("ERROR")
        return session

    def _require_master(self, master: str) -> None:
        if self.scheduler not in (None, master):
            raise InputError(
                f"scheduler is {self.scheduler!r}, but the active Spark session uses "
                f"{master}.",
                hint="Stop that session, or leave the scheduler out.",
            )

    def _settings(self, builder: Any) -> Any:
        # Tasks may be large.
        settings = {
            "spark.app.name": "thatch",
            "spark.ui.enabled": False,
            "spark.ui.showConsoleProgress": False,
            "spark.task.maxFailures": MAX_TRIES,
            "spark.rpc.message.maxSize": 1024,
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
    """Run workers on this machine with this Python, unless the environment names one.

    Spark reads the name of the interpreter only from the environment.
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


class SparkTaskSession:
    """A Spark session that calls one function on tasks, again and again."""

    def __init__(self, session: SparkSession, function: bytes) -> None:
        self._session = session
        self._function = function
        self._job: _Job | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._job is not None:
            self._job.cancel()

    def map(self, tasks: Sequence[T]) -> Iterator[tuple[T, Any]]:
        """Tasks with their results, as they finish; see `Session`."""
        if tasks:
            self._job = _Job(self._session, self._function)
            yield from _results(self._job, tasks)


class _Job:
    def __init__(self, session: SparkSession, function: bytes) -> None:
        self._session = session
        self._function = function
        self._name = f"thatch-{uuid.uuid4().hex}"
        num_workers = max(1, session.sparkContext.defaultParallelism)
        #: Tasks per Spark job.
        # Spark jobs in progress, each with a thread that waits for it. A job has an
        # overhead of some 10 ms, so on a large cluster each job has several tasks.
        self.num_together = ceil(TASKS_PER_WORKER * num_workers / 32)
        #: Spark jobs in progress at a time.
        self.max_jobs = ceil(TASKS_PER_WORKER * num_workers / self.num_together)

    def replies(self, tasks: Sequence[object]) -> list[tuple[Any, bytes]]:
        """Run some tasks, each in a separate partition; tasks with their replies."""
        from pyspark.errors import PySparkException

        try:
            return list(zip(tasks, self._collected(tasks), strict=True))
        except (PySparkException, _java_error()) as error:
            if not any(sign in str(error) for sign in _SIGNS_OF_LOSS):
                raise cluster_error("Spark", error) from error
            if len(tasks) == 1:
                raise lost_task_error(tasks[0]) from error
        # Run alone, the task at fault is identified, and the others succeed.
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
        with contextlib.suppress(Exception):
            self._session.sparkContext.cancelJobGroup(self._name)


def _results(job: _Job, tasks: Sequence[T]) -> Iterator[tuple[T, Any]]:
    """Keep up to `max_jobs` jobs in progress; tasks with their results."""
    waiting = iter(tasks)
    in_progress: set[Future[list[tuple[Any, bytes]]]] = set()
    threads = ThreadPoolExecutor(job.max_jobs)
    try:
        while True:
            while len(in_progress) < job.max_jobs:
                together = list(islice(waiting, job.num_together))
                if not together:
                    break
                in_progress.add(threads.submit(job.replies, together))
            if not in_progress:
                return
            finished, in_progress = wait(in_progress, return_when=FIRST_COMPLETED)
            for future in finished:
                for task, reply in future.result():
                    yield task, unpacked(reply)
    finally:
        job.cancel()
        threads.shutdown(cancel_futures=True)


def _answered(function: bytes, batches: Iterator[Any]) -> Iterator[Any]:
    """Replies to the tasks of one partition; called by a worker."""
    import pyarrow as pa

    for batch in batches:
        replies = [answer(function, task.as_py()) for task in batch["task"]]
        yield pa.RecordBatch.from_arrays(
            [batch["number"], pa.array(replies, type=pa.binary())],
            names=["number", "reply"],
        )


def _require_spark() -> Any:
    try:
        # mapInArrow needs both, but fails only when it is called.
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
