"""A call that travels: pickled on one side, made and answered on the other.

An answer is a pickled pair: whether the function returned, and what it returned or
raised. An engine's own way with errors is not used, since each has another.
"""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from thatch.errors import EngineError

__all__ = ["answer", "unpacked"]


def answer(function: bytes, task: bytes) -> bytes:
    """What becomes of a task, whatever that is.

    >>> unpacked(answer(pickle.dumps(abs), pickle.dumps(-3)))
    3
    """
    try:
        return pickle.dumps((True, _function(function)(_loaded(task))))
    except Exception as error:
        return _failure(error)


def unpacked(reply: bytes) -> Any:
    """What the function returned; or raise what it raised."""
    is_returned, result = pickle.loads(reply)
    if not is_returned:
        raise result
    return result


# One function serves all tasks of a job, and may carry much with it.
@lru_cache(maxsize=1)
def _function(pickled: bytes) -> Callable[[Any], Any]:
    return _loaded(pickled)  # type: ignore[no-any-return]


def _loaded(pickled: bytes) -> Any:
    try:
        return pickle.loads(pickled)
    except (AttributeError, ImportError) as error:
        raise EngineError(
            "functions and tasks must be importable where the work is done, "
            f"got: {error}.",
            hint="Define them in a module, and install it there.",
        ) from error


def _failure(error: Exception) -> bytes:
    account = "".join(traceback.format_exception(error)).rstrip()
    error.add_note(account)
    try:
        reply = pickle.dumps((False, error))
        # Many errors can be pickled but not read again: their arguments differ.
        pickle.loads(reply)
    except Exception:
        told = EngineError(f"a task failed with {type(error).__name__}: {error}.")
        told.add_note(account)
        return pickle.dumps((False, told))
    return reply
