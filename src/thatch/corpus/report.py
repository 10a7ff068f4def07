"""The outcome of a corpus job: how many rows were summarized, and the errors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ErrorKind", "Report"]

# Ids listed per kind of error.
_MAX_IDS = 5
# Kinds of errors listed per report.
_MAX_KINDS = 1000
# Quoted strings, some cut off before the closing quote; bytes; other numbers.
_VALUE = re.compile(
    r"""'(?:\\.|[^'\\])*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|0x[0-9a-f]+|\d[\d.,]*"""
)


@dataclass(frozen=True)
class ErrorKind:
    """Errors that differ only in the values that they name."""

    #: Number of rows with such an error.
    count: int
    #: The error of the first row.
    example: str
    #: Ids of the first few rows.
    ids: tuple[Any, ...]

    def __add__(self, other: ErrorKind) -> ErrorKind:
        ids = (*self.ids, *other.ids)[:_MAX_IDS]
        return ErrorKind(self.count + other.count, self.example, ids)


@dataclass(frozen=True)
class Report:
    """How many rows were summarized, and the errors of the others.

    >>> report = Report.of([7, 8], [None, "text is null."], ["optimal", None])
    >>> report.num_rows, report.num_failed, report.kinds[0].ids
    (2, 1, (8,))
    """

    num_rows: int = 0
    #: Rows without a summary.
    num_failed: int = 0
    #: Rows with an error, also those with a summary of only some of their texts.
    num_errors: int = 0
    _kinds: Mapping[str, ErrorKind] = field(default_factory=dict)

    @property
    def kinds(self) -> list[ErrorKind]:
        """Kinds of errors, the most frequent first; at most 1,000."""
        return sorted(self._kinds.values(), key=lambda kind: -kind.count)

    def __add__(self, other: Report) -> Report:
        kinds = dict(self._kinds)
        for name, kind in other._kinds.items():
            if name in kinds:
                kinds[name] += kind
            elif len(kinds) < _MAX_KINDS:
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
        """Report on rows of the result."""
        kinds: dict[str, ErrorKind] = {}
        for id, error in zip(ids, errors, strict=True):
            if error is not None:
                name, kind = _name(error), ErrorKind(1, error, (id,))
                kinds[name] = kinds[name] + kind if name in kinds else kind
        num_errors = sum(kind.count for kind in kinds.values())
        return cls(len(ids), statuses.count(None), num_errors, kinds)


def _name(error: str) -> str:
    """The error without the values that differ from row to row."""
    return _VALUE.sub("#", error.partition(", got ")[0])
