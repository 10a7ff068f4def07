"""The protocol of engines, their limits, and the errors that they share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from thatch.errors import ClusterError, InputError, LostTaskError, shortened
from thatch.options import require_integer

T = TypeVar("T")
R = TypeVar("R")

#: How many times a task is tried if the process that runs it is lost.
MAX_TRIES = 3
#: Tasks in progress per worker: one that runs, one that waits for it.
TASKS_PER_WORKER = 2


class Session(Protocol):
    """Calls one function on tasks, again and again, on workers that stay.

    The k-th task of a call goes to the worker that ran the k-th task of the call
    before, if it is alive, so that it can keep in memory what it has read. Only a
    worker that has nothing else to do takes tasks of another. On Spark there is no such
    choice: Spark runs a task where it wants.

    A session lasts until the end of its ``with`` block. If a call raises an error, or
    is left before its last result, the tasks that wait are dropped, and those that run
    may end later, without a result; then there may be another call. There can only be
    one call at a time.
    """

    def map(self, tasks: Sequence[T]) -> Iterator[tuple[T, Any]]:
        """Tasks with their results, as they finish, in any order."""
        ...  # pragma: no cover


class Engine(Protocol):
    """Calls one function on many tasks, in parallel.

    Every engine returns the result of every task exactly once, and keeps only a few
    tasks per worker in progress, however many there are. If a worker is killed, its
    task is tried again, three times in all; then `LostTaskError` is raised. Errors that
    the function raises are raised unchanged. Any error ends all tasks.
    """

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T]
    ) -> Iterator[tuple[T, R]]:
        """Tasks with their results, as they finish, in any order.

        Parameters
        ----------
        function
            The function to call. Workers must be able to import it: a function of a
            module, or a `functools.partial` of one. Clusters send it with every task,
            so it should be small when pickled.
        tasks
            Its arguments, one per call.
        """
        if tasks:
            with self.session(function, num_tasks=len(tasks)) as session:
                yield from session.map(tasks)

    def session(
        self, function: Callable[[T], R], *, num_tasks: int
    ) -> AbstractContextManager[Session]:
        """Keep the workers from one call of `Session.map` to the next.

        Parameters
        ----------
        function
            The function to call, as in `map`.
        num_tasks
            Tasks of one call: no more workers are started on this machine.
        """
        ...  # pragma: no cover


def lost_task_error(task: object) -> LostTaskError:
    """The error for a task that ended every process that ran it."""
    name = shortened(repr(task), 200)
    return LostTaskError(
        f"all {MAX_TRIES} processes that ran the task {name} ended unexpectedly.",
        task=task,
        hint="The usual cause is a lack of memory: use fewer workers or smaller tasks.",
    )


def cluster_error(cluster: str, error: BaseException) -> ClusterError:
    """The error for a cluster that fails before or after the function is called."""
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return ClusterError(
        f"{cluster} cannot run tasks: {reason}",
        hint="Check the log of the cluster, and that its workers have this version of "
        "thatch.",
    )


def require_workers(num_workers: int | None) -> None:
    """Require at least one worker, or None for the default."""
    if num_workers is not None:
        hint = "Leave it out for one worker per core."
        require_integer("workers", num_workers, least=1, hint=hint)


def require_scheduler_or_workers(
    scheduler: str | None, num_workers: int | None
) -> None:
    """Require that the number of workers is not set for a running cluster."""
    require_workers(num_workers)
    if scheduler is not None and num_workers is not None:
        raise InputError(
            f"workers is {num_workers}, but scheduler names a running cluster, which "
            "has its own number of workers.",
            hint="Leave workers out, and start more of them on the cluster if needed.",
        )
