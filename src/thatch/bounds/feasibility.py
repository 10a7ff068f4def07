"""Whether any selection keeps the constraints, and which of them contradict each other.

The budget and the constraints only concern items, so that a program without elements
decides: it is small, whatever the items cover.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from math import inf

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.bounds.constraint_rows import (
    Row,
    budget_row,
    constraint_rows,
    highs_scale,
)
from thatch.bounds.highs_process import reports_of
from thatch.bounds.highs_worker import Model, Report, Task, run_highs
from thatch.errors import InfeasibleError, NoTimeError
from thatch.problem.coverage_problem import CoverageProblem

# A first selection need not be good: HiGHS stops this close to the best one.
_GAP = 0.1
# At most this many conflicting constraints are named, and each check takes at most
# this long; one that takes longer counts as feasible.
_MAX_NAMED = 6
_SECONDS_PER_CHECK = 2.0
_OPTIONS = {"parallel": "off", "threads": 1, "mip_rel_gap": _GAP}


def feasible_items(
    problem: CoverageProblem, merits: Floats, *, max_seconds: float = inf
) -> Ints:
    """Items of a selection that keeps the budget and all constraints.

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
    task = _task(problem.num_items, merits, rows)
    found: Ints | None = None
    is_over = False
    with closing(reports_of(task, max_seconds=max_seconds)) as reports:
        for report in reports:
            if report is None:
                continue
            if report.error is not None:
                raise report.error
            found = report.chosen if report.chosen is not None else found
            is_over = is_over or report.is_infeasible
    if found is not None:
        return found
    if not is_over:
        raise NoTimeError(
            "no selection that keeps the constraints was found within the time limit.",
            hint="Allow more time.",
        )
    raise infeasible(problem)


def infeasible(problem: CoverageProblem) -> InfeasibleError:
    """The error for constraints that no selection keeps, with a small set of them.

    The set is found by halving: of the constraints that are still open, the half that
    is not needed for the contradiction is left out (Junker 2004).
    """
    needed = conflicting(
        _rows(problem), lambda rows: _is_feasible(problem.num_items, rows)
    )
    texts = tuple(row.text for row in needed)
    return InfeasibleError(
        f"no selection keeps all constraints: {enumerated(texts)} contradict each "
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


def _is_feasible(num_items: int, rows: Sequence[Row]) -> bool:
    if not rows:
        return True
    reports: list[Report] = []
    task = _task(num_items, np.zeros(num_items), rows)
    task = Task(
        task.model,
        num_integers=task.num_integers,
        options={**task.options, "time_limit": _SECONDS_PER_CHECK},
    )
    run_highs(task, reports.append)
    last = reports[-1]
    if last.error is not None:
        raise last.error
    return last.chosen is not None or not last.is_infeasible


def _task(num_items: int, merits: Floats, rows: Sequence[Row]) -> Task:
    rows = [row.scaled() for row in rows]
    sizes = [row.items.size for row in rows]
    model = Model(
        objective=merits * highs_scale(merits),
        column_upper=np.ones(num_items),
        row_upper=np.array([row.most for row in rows]),
        row_start=np.append(0, np.cumsum(sizes)).astype(np.int32),
        columns=np.concatenate([row.items for row in rows], dtype=np.int32),
        values=np.concatenate([row.values for row in rows]),
    )
    return Task(model, num_integers=num_items, options=_OPTIONS)


def enumerated(texts: Sequence[str]) -> str:
    """The texts as a list in a sentence, the first few of them."""
    shown = list(texts[:_MAX_NAMED])
    if len(texts) > len(shown):
        shown.append(f"{len(texts) - len(shown)} more")
    if len(shown) == 1:
        return shown[0]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
