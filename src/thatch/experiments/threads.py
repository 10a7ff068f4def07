"""The tasks of an experiment on several threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Task = TypeVar("_Task")
_Outcome = TypeVar("_Outcome")


def on_threads(
    function: Callable[[_Task], _Outcome],
    tasks: Iterable[_Task],
    *,
    num_threads: int,
) -> Iterator[_Outcome]:
    """The outcomes of all tasks, in their order.

    >>> list(on_threads(lambda number: number**2, range(3), num_threads=2))
    [0, 1, 4]
    """
    pool = ThreadPoolExecutor(max_workers=num_threads)
    try:
        yield from pool.map(function, tasks)
    finally:
        # After an interrupt, do not wait for the tasks that are running.
        pool.shutdown(wait=False, cancel_futures=True)
