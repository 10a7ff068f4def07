"""A cover problem as an integer program in HiGHS.

One column per item, 1 if it is chosen, and one per element that may stay uncovered, 1
if it does. One row per element: it is covered, or left out. A last row: what is left
out weighs at most the slack. The model maximizes the negative cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.problem import tolerances
from thatch.problem.constraint_rows import Row, highs_scale
from thatch.problem.edges import Edges
from thatch.problem.selection import Selection
from thatch.solvers.covering.cover_task import CoverTask
from thatch.solvers.highs.programs import (
    covering_model,
    error_of,
    followed,
    integer_options,
)
from thatch.solvers.highs.worker import Model, Report, Task

#: Called with the items of a cover, or None, and a lower bound, or 0, about 20 times
#: per second; returning True stops HiGHS.
CoverWatcher = Callable[[Ints | None, float], bool]


def solve_program(
    task: CoverTask,
    start: Ints | None,
    *,
    cost: float,
    seed: int,
    max_seconds: float,
    max_nodes: int,
    watch: CoverWatcher,
) -> float:
    """Let HiGHS solve the task; return a lower bound on the cost of its covers.

    Parameters
    ----------
    task
        What to solve. Items that cost more than `cost` must not be in it.
    start
        A cover to start from, if there is one.
    cost
        Covers of this cost or more are of no interest.
    seed, max_seconds, max_nodes
        Limits of HiGHS.
    watch
        Called with what HiGHS finds.
    """
    scale = highs_scale(np.append(task.problem.costs, cost))
    highs_task = _highs_task(task, start, scale=scale, seed=seed, max_nodes=max_nodes)
    num_columns = highs_task.model.objective.size

    def take(report: Report | None) -> bool:
        if report is None:
            return watch(None, 0.0)
        return watch(report.chosen, _lower_bound(report.bound, scale, num_columns))

    last = followed(highs_task, max_seconds=max_seconds, take=take)
    return 0.0 if last is None else _lower_bound(last.bound, scale, num_columns)


def _highs_task(
    task: CoverTask, start: Ints | None, *, scale: float, seed: int, max_nodes: int
) -> Task:
    """The model, the cover to start from, and the options of HiGHS."""
    problem = task.problem
    model = cover_model(
        problem.edges,
        problem.costs * scale,
        problem.weights,
        slack=task.slack,
        optional=~task.mandatory,
        demands=np.ones(problem.num_elements),
    )
    # A gap of less than one unit is closed by rounding up.
    gap = max(tolerances.HIGHS_GAP, 0.99 * scale if task.is_integral else 0.0)
    return Task(
        model,
        num_integers=task.items.size,
        start=None if start is None else _values_of(task, start, model.objective.size),
        options=integer_options(seed, gap=gap, max_nodes=max_nodes),
    )


def _lower_bound(bound: float, scale: float, num_columns: int) -> float:
    """The least cost by a bound of HiGHS, less its tolerances; 0 without a bound."""
    if not -bound > 0.0:
        return 0.0
    return max(0.0, (-bound - error_of(num_columns)) / scale)


def _values_of(task: CoverTask, start: Ints, num_columns: int) -> Floats:
    values = np.zeros(num_columns)
    values[start] = 1.0
    uncovered = ~Selection(task.problem, start).covered
    values[task.items.size :] = uncovered[~task.mandatory]
    return values


def cover_model(
    edges: Edges,
    costs: Floats,
    weights: Floats,
    *,
    slack: float,
    optional: Flags,
    demands: Floats,
    rows: Sequence[Row] = (),
) -> Model:
    """The model of the cheapest cover; its costs are scaled already.

    Elements that are optional may stay uncovered, up to the slack. The others are
    covered as often as they demand. Constraints are further rows.
    """
    left_out = edges.num_items + np.arange(np.count_nonzero(optional))
    if left_out.size:
        weights = weights[optional]
        scale = highs_scale(np.append(weights, slack))
        slack_row = Row("slack", "", "", left_out, weights * scale, slack * scale)
        rows = [slack_row, *rows]
    return covering_model(
        edges,
        np.concatenate([-costs, np.zeros(left_out.size)]),
        own=optional,
        own_values=-demands[optional],
        limits=-demands,
        rows=rows,
    )
