"""What every engine is, and what is said when one fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from thatch.devices import num_cores
from thatch.errors import EngineError, InputError, LostTaskError

T = TypeVar("T")
R = TypeVar("R")

#: How often a task is tried if the process that works on it is lost.
MAX_TRIES = 3
#: Tasks under way for each worker: one at work, one that waits for it.
TASKS_PER_WORKER = 2
_LONGEST_NAME = 200


class Engine(Protocol):
    """A place where one function is called on many tasks.

    Whichever it is, every task's result comes exactly once; only a few tasks a worker
    are under way at a time, however many there are; a worker that is killed costs
    another try of what it had, three at most, then there is a `LostTaskError`; an
    error of the function is raised as it is. Either ends everything.
    """

    def map(
        self, function: Callable[[T], R], tasks: Sequence[T]
    ) -> Iterator[tuple[T, R]]:
        """Tasks with what the function makes of them, as they finish, in any order.

        Parameters
        ----------
        function
            What to call; it must be importable where the work is done: one of a module,
            or a `functools.partial` of one. Clusters send it with every task, so that
            it should carry little.
        tasks
            What to call it on, one at a time.
        """
        ...  # pragma: no cover


def lost(task: object) -> LostTaskError:
    """What to say of a task that ended every process that tried it."""
    name = repr(task)
    if len(name) > _LONGEST_NAME:
        name = name[: _LONGEST_NAME - 1] + "…"
    return LostTaskError(
        f"every worker must outlive its tasks, got {MAX_TRIES} that were lost "
        f"with {name}.",
        task=task,
        hint="Most often the memory did not suffice: use fewer workers or less a task.",
    )


def cannot_work(cluster: str, error: BaseException) -> EngineError:
    """What to say of a cluster that fails before or after the function is called."""
    reason = (str(error).strip() or type(error).__name__).splitlines()[0]
    return EngineError(
        f"{cluster} must be able to run its tasks, got: {reason}",
        hint="Is this version of thatch installed where the work is done? See its log.",
    )


def require_workers(num_workers: int | None) -> None:
    """Raise the error that says so if there is not one worker."""
    if num_workers is None:
        return
    if not isinstance(num_workers, int) or num_workers < 1:
        raise InputError(
            f"workers must be a whole number >= 1, got {num_workers!r}.",
            hint="Leave it out for one a core.",
        )


def require_scheduler_or_workers(
    scheduler: str | None, num_workers: int | None
) -> None:
    """Raise the error that says so if a cluster that runs is told its size."""
    require_workers(num_workers)
    if scheduler is not None and num_workers is not None:
        raise InputError(
            "workers must be left out with a scheduler, which has its own, "
            f"got {num_workers}.",
            hint="Start more workers beside the scheduler.",
        )


def num_workers_of(engine: Engine) -> int:
    """How many tasks an engine does at a time, as far as is known from here."""
    return getattr(engine, "num_workers", None) or num_cores()
