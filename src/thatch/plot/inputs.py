"""What pictures are drawn of."""

from __future__ import annotations

from thatch.covering.cover_result import CoverResult
from thatch.errors import InputTypeError
from thatch.problem.selection import Selection
from thatch.run.result import Result

#: What has a selection, or is one.
Chosen = Selection | Result | CoverResult


def selection_of(chosen: Chosen) -> Selection:
    """The selection of a result, or the selection itself.

    Raises
    ------
    InputTypeError
        If it is something else, such as a problem.

    >>> from thatch import solve
    >>> from thatch.instances import toy
    >>> selection_of(solve(toy.greedy_trap().problem)).value
    16.0
    """
    found = chosen if isinstance(chosen, Selection) else None
    if isinstance(chosen, Result | CoverResult):
        found = chosen.selection
    if found is None:
        raise InputTypeError(
            f"result is {chosen!r}; it must be a result or a selection.",
            hint="Pass what solve or cover returned.",
        )
    return found
