"""Required and forbidden items: they are taken out, and put back into the result."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nextafter
from typing import Any

import numpy as np

from thatch.errors import InfeasibleError, InputError
from thatch.machine.devices import Device
from thatch.problem.constraints import DECIDED, LIMITS
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Restriction, Selection
from thatch.run.certificates import Certificate
from thatch.run.result import Result, Status
from thatch.solvers.base import Solver
from thatch.solvers.certifying import lifted


def require_accepted(solver: Solver, problem: CoverageProblem, device: Device) -> None:
    """Require that the solver keeps every constraint of the problem."""
    if problem.constraints is None:
        return
    accepted = DECIDED | getattr(solver, "accepts", frozenset())
    for kind in problem.constraints.kinds:
        if kind not in accepted:
            raise InputError(
                f"{type(solver).__name__} cannot handle {kind.value}.",
                hint="Use the solver auto or exact.",
            )
        if device is Device.GPU and kind not in DECIDED:
            raise InputError(
                f"device gpu cannot handle {kind.value}.", hint="Use the device cpu."
            )


def has_only_limits(problem: CoverageProblem) -> bool:
    """Whether the problem has no constraints that need an integer program."""
    if problem.constraints is None:
        return True
    return set(problem.constraints.kinds) <= LIMITS | DECIDED


def undecided(
    problem: CoverageProblem, *, max_seconds: float = inf
) -> Restriction | None:
    """The problem without its required and forbidden items; None if there are none.

    The time limit is for naming what contradicts each other.

    Raises
    ------
    InfeasibleError
        If the required items exceed the budget or the limit of a group.
    """
    constraints = problem.constraints
    if constraints is None or not DECIDED & set(constraints.kinds):
        return None
    if not has_only_limits(problem):
        return None
    required = Selection(problem, constraints.required)
    if not required.is_feasible:
        raise _too_much_required(required, max_seconds)
    is_open = np.ones(problem.num_items, dtype=bool)
    is_open[constraints.required] = False
    is_open[constraints.forbidden] = False
    return Restriction.of(problem, np.flatnonzero(is_open), constraints.required)


def _too_much_required(required: Selection, max_seconds: float) -> InfeasibleError:
    """The error for required items that exceed the budget or the limit of a group."""
    from thatch.solvers.highs.feasibility import enumerated, infeasibility_error

    problem = required.problem
    # More required items are counted, not named.
    if len(required) <= 20 or required.cost <= problem.budget:
        return infeasibility_error(problem, max_seconds=max_seconds)
    texts = (
        f"the budget of {problem.budget:g}",
        f"{len(required)} required items that cost {required.cost:g}",
    )
    return InfeasibleError(
        f"no selection meets all constraints: {enumerated(texts)} contradict each "
        "other.",
        conflict=texts,
        hint="Raise the budget, or require less.",
    )


def with_start_inside(solver: Solver, restriction: Restriction) -> Solver:
    """The solver, starting from what its start has of the smaller problem."""
    start = getattr(solver, "start", None)
    if not isinstance(start, Selection):
        return solver
    original = Selection.of(restriction.original, start.items)
    reason = next(original.violations, None)
    if reason is not None:
        raise InputError(
            f"the start is not feasible: {reason}.",
            hint="Start from a selection that meets the budget and the constraints.",
        )
    settings: dict[str, Any] = {"start": restriction.reduced(original)}
    return replace(solver, **settings)  # type: ignore[type-var]


def restored(restriction: Restriction, result: Result) -> Result:
    """The result of the smaller problem as one of the original."""
    base = restriction.base_value
    selection = restriction.restored(result.selection)
    if not selection.is_feasible:
        return restored(restriction, _without_least(result))
    bound = result.upper_bound
    if base > 0.0:
        is_exact = restriction.original.has_integer_weights
        bound = bound + base if is_exact else nextafter(bound + base, inf)
    if result.status is Status.OPTIMAL:
        # Selections were compared exactly.
        bound = selection.bound
    certificate = result.certificate
    if certificate is not None:
        certificate = Certificate(lifted(certificate.steps, restriction))
    return replace(
        result,
        selection=selection,
        upper_bound=max(bound, selection.bound),
        certificate=certificate,
        trace=tuple(
            replace(
                progress,
                value=progress.value + base,
                upper_bound=progress.upper_bound + base,
            )
            for progress in result.trace
        ),
    )


def _without_least(result: Result) -> Result:
    """The result without the item that adds least: rounding hid that it is too much."""
    selection = result.selection
    kept = np.delete(selection.items, int(np.argmin(selection.contributions)))
    return replace(
        result,
        selection=Selection(selection.problem, kept),
        status=Status.FINISHED if result.status is Status.OPTIMAL else result.status,
    )
