"""Columns of tables: their names, errors about them, and what ids they have."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from difflib import get_close_matches

from thatch.errors import FileFormatError


class IdKind(enum.Enum):
    """What the ids in a column are."""

    INTEGERS = "integers"
    TEXT = "text"


def missing_column(
    address: str, column: str, names: Sequence[str], *, hint: str = ""
) -> FileFormatError:
    """The error about a column that a file does not have, or has several times.

    Default hint: use a similar name.
    """
    listed = ", ".join(names)
    if column in names:
        return FileFormatError(
            address,
            f"it has {names.count(column)} columns {column!r}: {listed:.300}.",
            hint="Rename all but one of them.",
        )
    return FileFormatError(
        address,
        f"it has no column {column!r}; its columns are {listed:.300}.",
        hint=hint or columns_hint(column, names),
    )


def columns_hint(column: str, names: Sequence[str]) -> str:
    """What to do about a column that does not exist.

    >>> columns_hint("prize", ["name", "price"])
    'Did you mean price?'
    """
    close = get_close_matches(column, names, n=1)
    if close:
        return f"Did you mean {close[0]}?"
    most = 10
    more = ", ..." if len(names) > most else ""
    return f"The columns are {', '.join(map(repr, names[:most]))}{more}."
