"""A cover problem as an integer program in HiGHS.

One column per item, 1 if it is chosen, and one per element that may stay uncovered, 1
if it does. One row per element: it is covered, or left out. A last row: what is left
out weighs at most the slack. The model maximizes the negative cost.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.bounds.constraint_rows import highs_scale
from thatch.bounds.highs_process import reports_of
from thatch.bounds.highs_worker import Model, Task
from thatch.covering.cover_task import CoverTask
from thatch.problem.selection import Selection

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
    with closing(reports_of(highs_task, max_seconds=max_seconds)) as reports:
        for report in reports:
            if report is None:
                if watch(None, 0.0):
                    return 0.0
                continue
            if report.error is not None:
                raise report.error
            found = _lower_bound(report.bound, scale, num_columns)
            is_stopped = watch(report.chosen, found)
            if report.is_last:
                return found
            if is_stopped:
                return 0.0
    return 0.0


def _highs_task(
    task: CoverTask, start: Ints | None, *, scale: float, seed: int, max_nodes: int
) -> Task:
    """The model, the cover to start from, and the options of HiGHS."""
    model = _model(task, scale)
    options = {
        "parallel": "off",
        "threads": 1,
        "mip_rel_gap": 0.0,
        # A gap of less than one unit is closed by rounding up.
        "mip_abs_gap": max(1e-7, 0.99 * scale if task.is_integral else 0.0),
        "mip_detect_symmetry": False,
        "random_seed": seed % 2**31,
    }
    if max_nodes >= 0:
        options["mip_max_nodes"] = max_nodes
    return Task(
        model,
        num_integers=task.items.size,
        start=None if start is None else _values_of(task, start, model.objective.size),
        options=options,
    )


def _lower_bound(bound: float, scale: float, num_columns: int) -> float:
    """The least cost by a bound of HiGHS, less its tolerances; 0 without a bound."""
    if not -bound > 0.0:
        return 0.0
    return max(0.0, (-bound - 1e-6 - 1e-7 * num_columns) / scale)


def _values_of(task: CoverTask, start: Ints, num_columns: int) -> Floats:
    values = np.zeros(num_columns)
    values[start] = 1.0
    uncovered = ~Selection(task.problem, start).covered
    values[task.items.size :] = uncovered[~task.mandatory]
    return values


def _model(task: CoverTask, scale: float) -> Model:
    problem, edges = task.problem, task.problem.edges
    num_items, num_elements = problem.num_items, problem.num_elements
    optional = np.flatnonzero(~task.mandatory)
    # A row contains its items and, if it may be left out, its own column.
    is_optional = np.zeros(num_elements, dtype=np.int64)
    is_optional[optional] = 1
    shift = np.concatenate([[0], np.cumsum(is_optional)])
    row_start = edges.element_start + shift
    size = int(row_start[-1])
    own = row_start[optional + 1] - 1
    is_item = np.ones(size, dtype=np.bool_)
    is_item[own] = False
    columns = np.empty(size + optional.size, dtype=np.int32)
    columns[:size][is_item] = edges.element_items
    columns[own] = columns[size:] = num_items + np.arange(optional.size)
    values = np.full(size + optional.size, -1.0)
    row_upper = np.full(num_elements, -1.0)
    if optional.size:
        weight_scale = highs_scale(np.append(problem.weights[optional], task.slack))
        values[size:] = problem.weights[optional] * weight_scale
        row_start = np.append(row_start, size + optional.size)
        row_upper = np.append(row_upper, task.slack * weight_scale)
    return Model(
        objective=np.concatenate([-problem.costs * scale, np.zeros(optional.size)]),
        column_upper=np.ones(num_items + optional.size),
        row_upper=row_upper,
        row_start=row_start.astype(np.int32),
        columns=columns,
        values=values,
    )
