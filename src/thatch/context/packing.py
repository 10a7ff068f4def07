"""Packing: the problem is solved, and the printed text is within the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from time import thread_time

import numpy as np

from thatch.context.selection_task import SelectionTask
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.progress import Progress
from thatch.run.result import Result, Status
from thatch.solvers import Auto, Effort
from thatch.solving import solve
from thatch.text.budget_fitting import shortened
from thatch.text.grouping import limited_result

__all__ = ["packed"]

# A text that leaves more room than this share of the budget is filled up, with at most
# so many attempts.
_MIN_ROOM, _MAX_ATTEMPTS = 0.005, 8


def packed(task: SelectionTask, *, max_seconds: float) -> Result:
    """Solve the problem of a task so that the printed text is within the budget.

    The bound holds for what chunks cost themselves; headers and companions come in
    addition.

    Parameters
    ----------
    task
        What to select from.
    max_seconds
        Time limit of the solver, in seconds of processor time.

    Raises
    ------
    InputError
        If the required chunks do not fit the budget.
    """
    solver = _solver(task, max_seconds)
    result = solver(task.problem)
    first = result.selection
    if task.has_companions:
        first = solver(task.problem.with_costs(task.charges)).selection

    def excess(selection: Selection) -> float:
        return task.size(selection.items.tolist()) - task.printing.budget

    fitting = shortened(first.without_redundant_items(), excess, solver)
    selection = _filled(task, Selection(task.problem, fitting.items))
    _require_required(task, selection)
    is_proved = selection.value >= result.selection.value
    status = result.status
    if status is Status.OPTIMAL and not is_proved:
        status = Status.FINISHED
    return replace(result, selection=selection, status=status)


def _solver(
    task: SelectionTask, max_seconds: float
) -> Callable[[CoverageProblem], Result]:
    """A function that solves a problem, with the limit per group."""
    # Time of this thread: in a busy server, the answer is the same as alone.
    end = thread_time() + max_seconds

    # A rule and no time limit: a solver uses up a limit, and mostly needs far less.
    def stop_at_limit(_: Progress) -> Status | None:
        return Status.TIME_LIMIT if thread_time() >= end else None

    def answer(problem: CoverageProblem) -> Result:
        solver = Auto(effort=Effort.fast())
        return solve(problem, solver, stop=[stop_at_limit], num_threads=1)

    per_group = task.per_group
    if per_group is None:
        return answer
    return lambda problem: limited_result(problem, task.groups, per_group, answer)


def _filled(task: SelectionTask, selection: Selection) -> Selection:
    """The selection with what fits the room that is left, as printed."""
    problem, limit = task.problem, task.per_group
    refused = np.zeros(problem.num_items, dtype=np.bool_)
    for _ in range(_MAX_ATTEMPTS):
        room = task.printing.budget - task.size(selection.items.tolist())
        if room <= _MIN_ROOM * task.printing.budget:
            break
        gains = task.gains(selection)
        is_open = (gains > 0) & (problem.costs <= room) & ~refused
        if limit is not None:
            counts = Counter(task.groups[i] for i in selection.items.tolist())
            is_free = [counts[group] < limit for group in task.groups]
            is_open &= np.array(is_free, dtype=np.bool_)
        if not is_open.any():
            break
        rates = np.where(is_open, gains / np.maximum(task.charges, 1e-12), -1.0)
        best = int(np.argmax(rates))
        larger = Selection.of(problem, [*selection.items.tolist(), best])
        if task.size(larger.items.tolist()) <= task.printing.budget:
            selection = larger
        else:
            refused[best] = True
    return selection


def _require_required(task: SelectionTask, selection: Selection) -> None:
    missing = set(task.required.tolist()) - set(selection.items.tolist())
    if not missing:
        return
    size, budget = task.size(task.required.tolist()), task.printing.budget
    if size > budget:
        raise InputError(
            f"the budget of {budget:g} {task.printing.unit.name} is too small for the "
            f"chunks in must_include, which need {size:g}.",
            hint="Raise the budget, or require fewer chunks.",
        )
    raise InputError(
        f"per_group is {task.per_group}, but must_include has more chunks of a group.",
        hint="Raise per_group, or require fewer chunks.",
    )
