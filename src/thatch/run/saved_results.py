"""Results in files, with what is needed to verify them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from thatch.arrays import Ints
from thatch.errors import FileFormatError
from thatch.files.atomic_writes import atomic_write
from thatch.problem.coverage_problem import CoverageProblem


@dataclass(frozen=True, eq=False)
class SavedResult:
    """A result as it was saved; `thatch.verification.verify` reads it.

    Of a cover, the lower bound and the slack are known, and no upper bound.
    """

    items: Ints
    #: The budget, which files of problems need not have.
    budget: float
    has_unit_costs: bool
    required: tuple[int, ...]
    forbidden: tuple[int, ...]
    value: float
    certificate: dict[str, Any] | None
    upper_bound: float | None = None
    lower_bound: float | None = None
    slack: float | None = None

    @property
    def selection(self) -> SimpleNamespace:
        """The items and what they are said to cover."""
        return SimpleNamespace(items=self.items, value=self.value)

    def decided(self, problem: CoverageProblem) -> CoverageProblem:
        """The problem of a file as it was solved."""
        if not (self.required or self.forbidden):
            return problem
        return problem.with_decided(required=self.required, forbidden=self.forbidden)

    @property
    def claim(self) -> str:
        """What it says, as a sentence."""
        if self.lower_bound is not None:
            return (
                f"the items leave at most {self.slack:.15g} uncovered, "
                f"and no selection that does costs less than {self.lower_bound:.15g}."
            )
        return (
            f"the items cover {self.value:.15g} within the budget, and no selection "
            f"covers more than {self.upper_bound:.15g}."
        )


def save_result(path: Path, result: Any, **numbers: float | bool) -> None:
    """Write a result of `solve` or `cover` as JSON.

    Parameters
    ----------
    path
        The file to write.
    result
        What was found, and what shows its bound, if that is known.
    numbers
        The other fields of `SavedResult`.
    """
    selection, certificate = result.selection, result.certificate
    constraints = selection.problem.constraints
    decided = {
        name: [] if constraints is None else getattr(constraints, name).tolist()
        for name in ("required", "forbidden")
    }
    fields = {
        "items": selection.items.tolist(),
        "value": selection.value,
        **numbers,
        **decided,
        "certificate": None if certificate is None else certificate.as_dict(),
    }
    with atomic_write(path) as draft, draft.open("w", encoding="utf-8") as file:
        json.dump(fields, file, default=lambda values: values.tolist())
        file.write("\n")


def read_result(path: Path) -> SavedResult:
    """Read what `save_result` wrote."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        items = np.array(sorted(fields.pop("items")), dtype=np.int64)
        required, forbidden = (
            tuple(map(int, fields.pop(name))) for name in ("required", "forbidden")
        )
        saved = SavedResult(items, required=required, forbidden=forbidden, **fields)
        numbers = (saved.budget, saved.value, saved.upper_bound, saved.lower_bound)
        if not all(isfinite(each) for each in numbers if each is not None):
            raise ValueError("a number is not finite")
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise FileFormatError(
            str(path),
            "it is not a result with a certificate.",
            hint="thatch solve and thatch cover write one: it is called a certificate.",
        ) from error
    return saved
