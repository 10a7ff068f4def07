"""Whether any selection meets the constraints, and which of them contradict each other.

The budget and the constraints only concern items, so that a program without elements
decides: it is small, whatever the items cover.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.errors import InfeasibleError, NoTimeError
from thatch.problem.constraint_rows import (
    Row,
    budget_row,
    constraint_rows,
    excluding_row,
    highs_scale,
)
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.solvers.highs.programs import MAX_REPEATS, ONE_THREAD, followed, item_model
from thatch.solvers.highs.worker import Report, Task, run_highs


def feasible_items(
    problem: CoverageProblem, merits: Floats, *, max_seconds: float = inf
) -> Ints:
    """Items of a selection that meets the budget and all constraints.

    Parameters
    ----------
    problem
        The problem; its demands do not matter here.
    merits
        One per item: the selection has many of the best ones.
    max_seconds
        The time limit.

    Raises
    ------
    InfeasibleError
        If there is none; it names constraints that contradict each other.
    NoTimeError
        If none was found in time.

    >>> problem = CoverageProblem.from_sets([{0}, {1}], budget=1)
    >>> problem = problem.with_constraints(required=[1])
    >>> feasible_items(problem, np.ones(2))
    array([1])
    """
    rows = _rows(problem)
    last_second = time.perf_counter() + max_seconds
    for _ in range(MAX_REPEATS):
        task = _task(problem.num_items, merits, rows)
        seconds = last_second - time.perf_counter()
        found = _first_found(task, seconds)
        if found is None:
            seconds = last_second - time.perf_counter()
            raise infeasibility_error(problem, rows, max_seconds=seconds)
        if Selection(problem, found).is_feasible:
            return found
        # HiGHS exceeds limits by its tolerance.
        rows.append(excluding_row(problem, found))
    raise _no_time()


def _first_found(task: Task, max_seconds: float) -> Ints | None:
    """What HiGHS finds; None if there is nothing."""
    found: list[Ints] = []

    def take(report: Report | None) -> bool:
        if report is not None and report.chosen is not None:
            found.append(report.chosen)
        return report is not None and report.is_infeasible

    last = followed(task, max_seconds=max_seconds, take=take)
    if last is not None and last.is_infeasible:
        return None
    if not found:
        raise _no_time()
    return found[-1]


def _no_time() -> NoTimeError:
    return NoTimeError(
        "no selection that meets the constraints was found within the time limit.",
        hint="Allow more time.",
    )


def infeasibility_error(
    problem: CoverageProblem,
    rows: Sequence[Row] | None = None,
    *,
    max_seconds: float = inf,
) -> InfeasibleError:
    """The error for constraints that no selection meets, with a small set of them.

    The set is found by halving: of the constraints that are still open, the half that
    is not needed for the contradiction is left out (Junker 2004). Once the time is
    over, what is still open is part of the set.
    """
    # A second, if the time limit leaves less.
    last_second = time.perf_counter() + max(max_seconds, 1.0)

    def is_feasible(kept: Sequence[Row]) -> bool:
        is_late = time.perf_counter() > last_second
        return is_late or is_feasible_program(_task(problem.num_items, None, kept))

    given = _rows(problem) if rows is None else rows
    needed = conflicting(given, is_feasible)
    texts = tuple(dict.fromkeys(row.text for row in needed))
    return InfeasibleError(
        f"no selection meets all constraints: {enumerated(texts)} contradict each "
        "other.",
        conflict=texts,
        hint="Relax one of them.",
    )


def _rows(problem: CoverageProblem) -> list[Row]:
    return [budget_row(problem), *constraint_rows(problem)]


def conflicting(
    rows: Sequence[Row], is_feasible: Callable[[Sequence[Row]], bool]
) -> list[Row]:
    """A small part of the rows that no selection keeps; none can be left out.

    Parameters
    ----------
    rows
        Rows that contradict each other.
    is_feasible
        Whether a selection keeps some of them.
    """

    def needed(kept: list[Row], open_rows: list[Row], *, has_new: bool) -> list[Row]:
        if has_new and not is_feasible(kept):
            return []
        if len(open_rows) <= 1:
            return open_rows
        middle = len(open_rows) // 2
        one, other = open_rows[:middle], open_rows[middle:]
        second = needed([*kept, *one], other, has_new=True)
        first = needed([*kept, *second], one, has_new=bool(second))
        return [*first, *second]

    return needed([], list(rows), has_new=False)


def is_feasible_program(task: Task) -> bool:
    """Whether a program has a solution, or might have one if that takes over 2 s."""
    if not task.model.row_upper.size:
        return True
    options = {**task.options, "time_limit": 2.0}
    reports: list[Report] = []
    run_highs(replace(task, options=options), reports.append)
    last = reports[-1]
    if last.error is not None:
        raise last.error
    return not last.is_infeasible


def _task(num_items: int, merits: Floats | None, rows: Sequence[Row]) -> Task:
    if merits is None:
        merits = np.zeros(num_items)
    model = item_model(merits * highs_scale(merits), [row.scaled() for row in rows])
    # A first selection need not be good: HiGHS stops this close to the best one.
    return Task(
        model, num_integers=num_items, options=ONE_THREAD | {"mip_rel_gap": 0.1}
    )


def enumerated(texts: Sequence[str], *, max_shown: int = 6) -> str:
    """The texts as a list in a sentence, the first few of them."""
    shown = list(texts[:max_shown])
    if len(texts) > len(shown):
        shown.append(f"{len(texts) - len(shown)} more")
    if len(shown) == 1:
        return shown[0]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
