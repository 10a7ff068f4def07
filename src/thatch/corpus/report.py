"""The outcome of a corpus job: how many rows were summarized, and the errors."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from thatch.errors import InputError
from thatch.options import require_integer

# Quoted strings, some cut off before the closing quote; bytes; other numbers.
_VALUE = re.compile(
    r"""'(?:\\.|[^'\\])*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|0x[0-9a-f]+|\d[\d.,]*"""
)

_HINT = "Pass 10 or 0.5%, for example."


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
        # Ids listed per kind of error.
        ids = (*self.ids, *other.ids)[:5]
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
        max_kinds = 1000
        for name, kind in other._kinds.items():
            if name in kinds:
                kinds[name] += kind
            elif len(kinds) < max_kinds:
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


@dataclass(frozen=True)
class ErrorLimit:
    """How many rows of a job may have errors: a number, or a share of all rows.

    >>> report = Report.of([7, 8], [None, "text is null."], ["optimal", None])
    >>> ErrorLimit.parsed("1").allows(report), ErrorLimit.parsed("10%").allows(report)
    (True, False)
    """

    #: Largest number of rows with errors.
    count: int | None = 0
    #: Largest share of rows with errors, in percent; used if `count` is None.
    percent: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        if self.count is not None:
            require_integer("max_errors", self.count, hint=_HINT)
        if not (math.isfinite(self.percent) and 0 <= self.percent <= 100):
            raise _invalid_limit(f"{self.percent}%")

    @classmethod
    def parsed(cls, text: str) -> ErrorLimit:
        """A limit such as 10 or 0.5%."""
        try:
            if text.endswith("%"):
                # Decimal: 2.3% of 1,000 rows are exactly 23.
                return cls(None, Decimal(text.removesuffix("%")))
            return cls(int(text))
        except (ValueError, InvalidOperation):
            raise _invalid_limit(text) from None

    def allows(self, report: Report) -> bool:
        """Whether the rows with errors of a report are within the limit."""
        if self.count is not None:
            return report.num_errors <= self.count
        return 100 * report.num_errors <= self.percent * report.num_rows


def _invalid_limit(value: object) -> InputError:
    return InputError(
        f"max_errors is {value!r}; it must be a number of rows or a percentage from 0% "
        "to 100%.",
        hint=_HINT,
    )
