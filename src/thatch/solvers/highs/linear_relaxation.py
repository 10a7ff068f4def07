"""The linear relaxation of a problem in HiGHS: fractions of items may be chosen.

One column per item, 1 if it is chosen, and one per element, 1 if it is covered; the
covered weight is maximized. One row per element: it is covered at most as often as its
items are chosen. Further rows: the chosen items cost at most the budget, and groups
keep their upper limits. These are the rows that a dual bound has prices for.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from thatch.arrays import Floats
from thatch.problem.constraint_rows import (
    RowTable,
    budget_row,
    constraint_rows,
    highs_scale,
)
from thatch.problem.coverage_problem import CoverageProblem
from thatch.solvers.highs.programs import ONE_THREAD, covering_model, followed
from thatch.solvers.highs.worker import Model, Task


def relaxed_multipliers(
    problem: CoverageProblem, *, max_seconds: float
) -> Floats | None:
    """One multiplier per element, or None if there was no time."""
    weights = np.where(problem.reachable_elements, problem.weights, 0.0)
    scale = highs_scale(weights)
    options = ONE_THREAD | {"solver": "ipm", "run_crossover": "off"}
    task = Task(coverage_model(problem, weights * scale), options=options)
    last = followed(task, max_seconds=max_seconds)
    duals = None if last is None else last.duals
    # HiGHS has none if it failed.
    if duals is None or duals.size == 0 or not np.isfinite(duals).all():
        return None
    return np.abs(duals[: problem.num_elements]) / scale


def coverage_model(problem: CoverageProblem, weights: Floats) -> Model:
    """The model of a problem, with weights at the scale of HiGHS."""
    limits = [row for row in constraint_rows(problem) if row.kind == "at_most"]
    model = covering_model(
        problem.edges,
        np.concatenate([np.zeros(problem.num_items), weights]),
        own_values=np.ones(problem.num_elements),
        limits=np.zeros(problem.num_elements),
        rows=RowTable.of([budget_row(problem), *limits]).scaled(),
    )
    column_upper = model.column_upper.copy()
    column_upper[: problem.num_items] = problem.costs <= problem.budget
    return replace(model, column_upper=column_upper)
