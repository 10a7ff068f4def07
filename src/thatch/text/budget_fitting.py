"""Solving a task so that the printed summary is within the budget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.result import Result, Status
from thatch.text.grouping import limited_result
from thatch.text.task import SummaryTask


def fitting_result(
    task: SummaryTask, solve: Callable[[CoverageProblem], Result]
) -> Result:
    """Solve the task's problem so that the printed text is within the budget.

    `solve` is called again with smaller budgets if the text is too long.
    """
    if task.per_group is not None:
        # With a limit per group, every item is one passage.
        groups = [task.groups[p] for p in task.choosable.tolist()]
        limit = task.per_group
        solve = partial(limited_result, groups=groups, per_group=limit, solve=solve)
    result = solve(task.problem)

    def excess(selection: Selection) -> float:
        return task.measure(selection.items.tolist()) - task.budget

    selection = shortened(result.selection.without_redundant_items(), excess, solve)
    # A solver may have chosen a passage and its antecedent one by one.
    items = task.items_of(task.passages_of(selection.items.tolist()))
    fitted = Selection.of(task.problem, items)
    require_requirements(task, fitted)
    status = result.status
    is_proved = task.adds_up and fitted.value >= result.selection.value
    if status is Status.OPTIMAL and not is_proved:
        status = Status.FINISHED
    return replace(result, selection=fitted, status=status)


def shortened(
    selection: Selection,
    excess: Callable[[Selection], float],
    solve: Callable[[CoverageProblem], Result],
) -> Selection:
    """The selection, or one of the same problem that is short enough.

    `excess` says by how much the printed text exceeds its budget.
    """
    if excess(selection) <= 0:
        return selection
    return max(
        _solved_again(selection, excess, solve),
        _trimmed(selection, excess),
        key=lambda fitting: fitting.value,
    )


def _solved_again(
    selection: Selection,
    excess: Callable[[Selection], float],
    solve: Callable[[CoverageProblem], Result],
) -> Selection:
    """Selection under a budget that is reduced by the excess until the text fits."""
    problem, reduction = selection.problem, 0.0
    # Words and characters add up, tokens only nearly: a summary that is too long is
    # solved again, at most this many times, with the budget reduced by the excess.
    for _ in range(4):
        too_much = excess(selection)
        if too_much <= 0:
            break
        reduction += too_much
        reduced = problem.with_budget(max(problem.budget - reduction, 0.0))
        selection = solve(reduced).selection.without_redundant_items()
    return _trimmed(selection, excess)


def _trimmed(selection: Selection, excess: Callable[[Selection], float]) -> Selection:
    """The selection without its least contributing items, until the text fits."""
    while len(selection) and excess(selection) > 0:
        k = int(np.argmin(selection.contributions))
        selection = Selection.of(selection.problem, np.delete(selection.items, k))
    return selection


def require_requirements(task: SummaryTask, selection: Selection) -> None:
    """Require that a selection meets all requirements of the task."""
    is_met = selection.covered[len(task.table.concepts) :]
    if not is_met.all():
        if task.per_group is not None:
            raise InputError(
                f"a budget of {task.budget:g} {task.unit.name} with {task.per_group} "
                f"per group leaves no room for the required passages: "
                f"{int(is_met.sum())} of {len(is_met)} requirements are met.",
                hint="Raise the budget or per_group, or require fewer passages.",
            )
        raise InputError(
            f"the budget of {task.budget:g} {task.unit.name} is too small for the "
            f"required passages: {int(is_met.sum())} of {len(is_met)} requirements "
            "are met.",
            hint="Raise the budget, require fewer passages, or use the solver auto.",
        )
