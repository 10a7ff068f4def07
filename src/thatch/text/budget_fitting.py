"""Solving a task so that the summary fits the budget as it is printed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.text.task import SummaryTask

__all__ = ["fitting_result", "require_requirements"]

# Words and characters add up; tokens nearly do: what is missing then is found by
# solving again, so often, under a budget cut by what was too much.
_MOST_CUTS = 4


def fitting_result(
    task: SummaryTask, solve: Callable[[CoverageProblem], Result]
) -> Result:
    """Answer to the task's problem whose printed text is within the budget."""
    result = solve(task.problem)
    selection = result.selection.without_redundant_items()
    if _excess(task, selection) > 0:
        selection = max(
            _narrowed(task, selection, solve),
            _trimmed(task, selection),
            key=lambda fitting: fitting.value,
        )
    fitted = Selection.of(task.problem, selection.items)
    require_requirements(task, fitted)
    is_proved = task.adds_up and fitted.value == result.selection.value
    status = Status.FINISHED if result.status is Status.OPTIMAL else result.status
    return replace(
        result, selection=fitted, status=result.status if is_proved else status
    )


def _narrowed(
    task: SummaryTask, selection: Selection, solve: Callable[[CoverageProblem], Result]
) -> Selection:
    """Answer under a budget that is cut by what is too much, until it fits."""
    cut = 0.0
    for _ in range(_MOST_CUTS):
        excess = _excess(task, selection)
        if excess <= 0:
            break
        cut += excess
        narrower = task.problem.with_budget(max(task.problem.budget - cut, 0.0))
        selection = solve(narrower).selection.without_redundant_items()
    return _trimmed(task, selection)


def _trimmed(task: SummaryTask, selection: Selection) -> Selection:
    """The selection less what covers the least alone, until it fits."""
    while _excess(task, selection) > 0:
        k = int(np.argmin(selection.contributions))
        selection = Selection.of(selection.problem, np.delete(selection.items, k))
    return selection


def _excess(task: SummaryTask, selection: Selection) -> float:
    return task.measure(selection.items.tolist()) - task.budget


def require_requirements(task: SummaryTask, selection: Selection) -> None:
    """Raise the error that says so if a requirement of the task is not met."""
    is_met = selection.covered[len(task.table.concepts) :]
    if not is_met.all():
        raise InputError(
            f"the required passages must fit in {task.budget:g} {task.unit.name}, got "
            f"{len(is_met)} requirements of which {int(is_met.sum())} are met.",
            hint="Raise the budget, require less, or leave the solver to auto.",
        )
