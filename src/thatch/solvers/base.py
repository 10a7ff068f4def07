"""The solver protocol, and selections that solvers start from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Protocol

from thatch.errors import InputError, InputTypeError, SolverFailedError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Progress, Result
from thatch.run.run import Run


class Solver(Protocol):
    """A record of settings with a method that solves any problem; it has no state.

    `solve` calls it with constraints only if its ``accepts`` names their kinds. If it
    also has a method ``solve_constrained``, that is called in place of ``solve`` where
    constraints other than required and forbidden items and limits per group remain.
    """

    def solve(self, problem: CoverageProblem, run: Run) -> Result:
        """Solve the problem, reporting every iteration to the run."""
        ...  # pragma: no cover


class SolverOfKind(Protocol):
    """What solves problems of one kind that is not held in memory, such as shards."""

    #: What a progress bar shows of a run; None for its usual fields.
    progress_fields: Callable[[Progress], dict[str, str]] | None

    def solve(self, problem: Any, run: Run) -> Result:
        """Solve the problem, reporting every iteration to the run."""
        ...  # pragma: no cover


class ProblemOfOtherKind(Protocol):
    """A problem that is not in memory, and that names the solver of its kind.

    The name is ``module:function``, imported when such a problem is solved. The
    function takes the solver that was asked for, with the keywords ``device``,
    ``engine`` and ``resume`` of `solve`, and returns a `SolverOfKind`.
    """

    solver_of_kind: ClassVar[str]


def require_problem(problem: object) -> None:
    """Require a coverage problem."""
    if not isinstance(problem, CoverageProblem):
        raise InputTypeError(
            f"problem is {problem!r}; it must be a CoverageProblem.",
            hint="Make one with CoverageProblem.from_sets, for example.",
        )


def require_functions(stop: object, observers: object, *, example: str) -> None:
    """Require stopping rules, such as the example, and observers."""
    for name, functions in (("stop", stop), ("observers", observers)):
        if not isinstance(functions, Sequence) or not all(map(callable, functions)):
            raise InputTypeError(
                f"{name} is {functions!r}; it must be a list of functions.",
                hint=f"Write stop=[{example}], for example.",
            )


def checked_result(problem: CoverageProblem, solver: Solver, result: object) -> Result:
    """What a solver returned, with value and cost that `Selection` has computed.

    Raises
    ------
    SolverFailedError
        If it is no result, of another problem, or above the budget; it names the
        solver.
    """
    name = type(solver).__name__
    if not isinstance(result, Result):
        raise solver_failed(f"{name} returned {result!r:.60}, which is not a Result.")
    if result.selection.problem is not problem:
        raise solver_failed(f"{name} returned a selection of another problem.")
    selection = result.selection
    if type(selection) is not Selection:
        selection = Selection(problem, selection.items)
    reason = next(selection.violations, None)
    if reason is not None:
        raise solver_failed(
            f"{name} returned a selection that is not feasible: {reason}."
        )
    return replace(result, selection=selection)


def solver_failed(message: str) -> SolverFailedError:
    """The error for an answer that cannot be right."""
    return SolverFailedError(
        message, hint="This is a bug in the solver: report it to its authors."
    )


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
        return checked_result(problem, start, start.solve(problem, run)).selection
    selection = Selection.of(problem, start.items)
    reason = next(selection.violations, None)
    if reason is not None:
        raise InputError(
            f"the start is not feasible: {reason}.",
            hint="Start from a selection that meets the budget and the constraints.",
        )
    return selection
