"""The solver protocol, and selections that solvers start from."""

from __future__ import annotations

from typing import Protocol

from thatch.errors import InputError, InputTypeError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result
from thatch.run.run import Run


class Solver(Protocol):
    """A record of settings with a method that solves any problem; it has no state."""

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Solve the problem, reporting every iteration to the run."""
        ...  # pragma: no cover


def starting_selection(
    start: Solver | Selection, *, problem: CoverageProblem, run: Run
) -> Selection:
    """The given selection, checked against the budget, or what a solver finds."""
    if not isinstance(start, Selection):
        if not callable(getattr(start, "solve", None)):
            raise InputTypeError(
                f"start is {start!r}; it must be a selection or a solver.",
                hint="Pass GeneralizedGreedy(), for example.",
            )
        return start.solve(problem, run).selection
    selection = Selection.of(problem, start.items)
    if not selection.is_feasible:
        raise InputError(
            f"the start costs {selection.cost!r}, which exceeds the budget "
            f"{problem.budget!r}.",
            hint="Start from a selection within the budget.",
        )
    return selection
