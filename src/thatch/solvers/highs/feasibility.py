"""Whether any selection meets the constraints, and which of them contradict each other.

The budget and the constraints only concern items, so that a program without elements
decides: it is small, whatever the items cover.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.errors import InfeasibleError, SolverFailedError
from thatch.problem.constraint_rows import (
    Row,
    RowTable,
    all_rows,
    budget_row,
    constraint_rows,
    highs_scale,
)
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.run.certificates import Certificate
from thatch.solvers.highs.programs import ONE_THREAD, followed, item_model
from thatch.solvers.highs.worker import Report, Task, run_highs


def feasible_items(
    problem: CoverageProblem, merits: Floats, *, max_seconds: float = inf
) -> Ints | None:
    """Items of a selection that meets the budget and all constraints, if HiGHS has one.

    Without an answer, there may still be one: HiGHS has tolerances.

    Parameters
    ----------
    problem
        The problem; its demands do not matter here.
    merits
        One per item: the selection has many of the best ones.
    max_seconds
        The time limit.

    >>> problem = CoverageProblem.from_sets([{0}, {1}], budget=1)
    >>> problem = problem.with_constraints(required=[1])
    >>> feasible_items(problem, np.ones(2))
    array([1])
    """
    found: Ints | None = None

    def take(report: Report | None) -> bool:
        nonlocal found
        chosen = None if report is None else report.chosen
        if chosen is not None and Selection(problem, chosen).is_feasible:
            found = chosen
        return False

    task = _task(problem.num_items, merits, all_rows(problem))
    # HiGHS only suggests: it may reject numbers of very different sizes.
    with suppress(SolverFailedError):
        followed(task, max_seconds=max_seconds, take=take)
    return found


def infeasibility_error(
    problem: CoverageProblem,
    *,
    certificate: Certificate | None = None,
    max_seconds: float = inf,
) -> InfeasibleError:
    """The error for constraints that no selection meets, with a small set of them.

    The set is found by halving: of the constraints that are still open, the half that
    is not needed for the contradiction is left out (Junker 2004). Once the time is
    over, what is still open is part of the set.
    """
    limit = naming_limit(max_seconds)

    def is_feasible(kept: Sequence[Row]) -> bool:
        task = _task(problem.num_items, None, RowTable.of(kept))
        return is_feasible_program(task, last_second=limit)

    rows = [budget_row(problem), *constraint_rows(problem)]
    needed = conflicting(rows, is_feasible, last_second=limit)
    texts = tuple(dict.fromkeys(row.text for row in needed))
    return InfeasibleError(
        f"no selection meets all constraints: {enumerated(texts)} contradict each "
        "other.",
        conflict=texts,
        hint="Relax one of them.",
        certificate=certificate,
    )


def naming_limit(max_seconds: float) -> float:
    """When naming what contradicts each other ends, by the performance counter."""
    # A tenth of a second, if the time limit leaves less: most contradictions are small.
    return time.perf_counter() + max(max_seconds, 0.1)


def conflicting(
    rows: Sequence[Row],
    is_feasible: Callable[[Sequence[Row]], bool],
    *,
    last_second: float = inf,
) -> list[Row]:
    """A small part of the rows that no selection keeps; none can be left out.

    Parameters
    ----------
    rows
        Rows that contradict each other.
    is_feasible
        Whether a selection keeps some of them.
    last_second
        When it is asked no more, by the performance counter. Then rows that could be
        left out may remain.
    """
    took = 0.0

    def needed(kept: list[Row], open_rows: list[Row], *, has_new: bool) -> list[Row]:
        nonlocal took
        began = time.perf_counter()
        # The next answer takes about as long as the one before.
        if began + took >= last_second:
            return open_rows
        if has_new:
            is_contradiction = not is_feasible(kept)
            took = time.perf_counter() - began
            if is_contradiction:
                return []
        if len(open_rows) <= 1:
            return open_rows
        middle = len(open_rows) // 2
        one, other = open_rows[:middle], open_rows[middle:]
        second = needed([*kept, *one], other, has_new=True)
        first = needed([*kept, *second], one, has_new=bool(second))
        return [*first, *second]

    return needed([], list(rows), has_new=False)


def is_feasible_program(task: Task, *, last_second: float = inf) -> bool:
    """Whether a program has a solution, or might have one if that takes over 2 s.

    It takes no longer than until the last second, by the performance counter.
    """
    if not task.model.row_upper.size:
        return True
    left = max(0.0, last_second - time.perf_counter())
    options = {**task.options, "time_limit": min(2.0, left)}
    reports: list[Report] = []
    run_highs(replace(task, options=options), reports.append)
    last = reports[-1]
    return last.error is not None or not last.is_infeasible


def _task(num_items: int, merits: Floats | None, rows: RowTable) -> Task:
    if merits is None:
        merits = np.zeros(num_items)
    model = item_model(merits * highs_scale(merits), rows.scaled())
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
