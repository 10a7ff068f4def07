"""What came of the rows of a corpus: how many were done, and what was wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ErrorKind", "Report"]

# Ids that are named of each kind of error.
_MOST_NAMED = 5
# Kinds that are told apart.
_MOST_KINDS = 1000


@dataclass(frozen=True)
class ErrorKind:
    """Errors that differ only in numbers and in what was got."""

    #: How many rows have one.
    count: int
    #: One of them.
    example: str
    #: Ids of the first rows.
    ids: tuple[Any, ...]

    def __add__(self, other: ErrorKind) -> ErrorKind:
        ids = (*self.ids, *other.ids)[:_MOST_NAMED]
        return ErrorKind(self.count + other.count, self.example, ids)


@dataclass(frozen=True)
class Report:
    """How many rows were done, and what was wrong with some.

    >>> report = Report.of([7, 8], [None, "It is late."], ["optimal", None])
    >>> report.num_rows, report.num_failed, report.kinds[0].ids
    (2, 1, (8,))
    """

    num_rows: int = 0
    #: Rows without a summary.
    num_failed: int = 0
    #: Rows with an error: those, and some of several texts of which some are left out.
    num_errors: int = 0
    _kinds: Mapping[str, ErrorKind] = field(default_factory=dict)

    @property
    def kinds(self) -> list[ErrorKind]:
        """Kinds of errors, the most frequent first; there may be more."""
        return sorted(self._kinds.values(), key=lambda kind: -kind.count)

    def __add__(self, other: Report) -> Report:
        kinds = dict(self._kinds)
        for name, kind in other._kinds.items():
            if name in kinds:
                kinds[name] += kind
            elif len(kinds) < _MOST_KINDS:
                kinds[name] = kind
        return Report(
            self.num_rows + other.num_rows,
            self.num_failed + other.num_failed,
            self.num_errors + other.num_errors,
            kinds,
        )

    @classmethod
    def of(
        cls, ids: list[Any], errors: list[str | None], statuses: list[str | None]
    ) -> Report:
        """Report on rows that were done."""
        kinds: dict[str, ErrorKind] = {}
        for id, error in zip(ids, errors, strict=True):
            if error is not None:
                name, kind = _name(error), ErrorKind(1, error, (id,))
                kinds[name] = kinds[name] + kind if name in kinds else kind
        num_errors = sum(kind.count for kind in kinds.values())
        return cls(len(ids), statuses.count(None), num_errors, kinds)


def _name(error: str) -> str:
    """The error without what differs from row to row."""
    return re.sub(r"\d[\d.,]*", "#", error.partition(", got ")[0])
