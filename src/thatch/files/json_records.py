"""Records that a job writes to its folder as JSON, and reads back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeVar

__all__ = ["record_in"]

_T = TypeVar("_T")


def record_in(content: bytes | None, kind: Callable[..., _T]) -> _T | None:
    """The record in a file; None if the file is missing, empty or damaged.

    Parameters
    ----------
    content
        A JSON object.
    kind
        Called with the members of the object; a missing or unknown one is damage.

    >>> record_in(b'{"real": 1}', complex), record_in(b'{"real', complex)
    ((1+0j), None)
    """
    try:
        return kind(**json.loads(content or b""))
    except (ValueError, TypeError, LookupError, RecursionError):
        return None
