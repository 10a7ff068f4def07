"""Function calls in other processes: pickled by one, called and answered by another.

An answer is a pickled pair: whether the function returned, and what it returned or
raised. The error handling of dask and Spark is not used, because they differ.
"""

from __future__ import annotations

import atexit
import contextlib
import pickle
import traceback
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from thatch.errors import EngineError
from thatch.machine.worker_main import ParentConnection


@contextlib.contextmanager
def stack_until_exit() -> Iterator[contextlib.ExitStack]:
    """A stack that is closed at the latest when the program exits.

    A program may exit before it has taken all results: then this ends the workers,
    while threads still run and that is possible.
    """
    with contextlib.ExitStack() as stack:
        atexit.register(stack.close)
        stack.callback(atexit.unregister, stack.close)
        yield stack


def answer(function: bytes, task: bytes) -> bytes:
    """Call the function on the task; the result or the error, pickled."""
    try:
        return pickle.dumps((True, _function(function)(_loaded(task))))
    except Exception as error:
        return _failure(error)


def unpacked(reply: bytes) -> Any:
    """Return what the function returned, or raise what it raised."""
    is_returned, result = pickle.loads(reply)
    if not is_returned:
        raise result
    return result


# All tasks of a job have the same function, which may be large.
@lru_cache(maxsize=1)
def _function(pickled: bytes) -> Callable[[Any], Any]:
    return _loaded(pickled)  # type: ignore[no-any-return]


def _loaded(pickled: bytes) -> Any:
    try:
        return pickle.loads(pickled)
    except (AttributeError, ImportError) as error:
        raise EngineError(
            f"a worker cannot import the function or the task: {error}.",
            hint="Define it in a module, and install that module on every worker.",
        ) from error


def _failure(error: Exception) -> bytes:
    report = "".join(traceback.format_exception(error)).rstrip()
    error.add_note(report)
    try:
        reply = pickle.dumps((False, error))
        # Errors whose constructor has other arguments can be pickled, not unpickled.
        pickle.loads(reply)
    except Exception:
        substitute = EngineError(
            f"a task failed with {type(error).__name__}: {error}.",
            hint="See the traceback of the worker, in the notes of this error.",
        )
        substitute.add_note(report)
        return pickle.dumps((False, substitute))
    return reply


def main() -> None:
    """Call the function on each task and reply with its result."""
    parent = ParentConnection()
    requests = parent.requests()
    function = next(requests, b"")
    for task in requests:
        parent.reply(answer(function, task))
