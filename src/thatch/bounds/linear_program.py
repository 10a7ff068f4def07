"""The problem as a linear or integer program in HiGHS.

One column per item, 1 if it is chosen, and one per element, 1 if it is covered; the
covered weight is maximized. One row per element: it is covered at most as often as its
items are chosen. Further rows: the chosen items cost at most the budget, and they keep
the constraints. In the relaxation, fractions of items may be chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from math import inf
from typing import Any

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.bounds.constraint_rows import (
    budget_row,
    constraint_rows,
    excluding_row,
    highs_scale,
)
from thatch.bounds.highs_process import reports_of
from thatch.bounds.highs_worker import Model, Report, Task
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection

# HiGHS first repairs a start, whatever its time limit; with more edges that can take
# minutes.
_MAX_EDGES_FOR_START = 300_000
_ONE_THREAD: dict[str, Any] = {"parallel": "off", "threads": 1}
# Looking for symmetries takes minutes where there are many, as in projective planes.
_INTEGER_PROGRAM = _ONE_THREAD | {
    "mip_rel_gap": 0.0,
    "mip_abs_gap": 1e-7,
    "mip_detect_symmetry": False,
}
_RELAXATION = _ONE_THREAD | {"solver": "ipm", "run_crossover": "off"}

#: Called with the chosen items and the bound whenever HiGHS finds a better selection,
#: with None and a bound as that falls, and with None and infinity about 20 times per
#: second; returning True stops HiGHS.
Watcher = Callable[[Ints | None, float], bool]


class LinearProgram:
    """A HiGHS model of one problem, scaled to the tolerances of HiGHS."""

    def __init__(self, problem: CoverageProblem) -> None:
        self.problem = problem
        weights = np.where(problem.reachable_elements, problem.weights, 0.0)
        #: Factor from weights of the problem to those of the model, a power of two.
        self.weight_scale = highs_scale(weights)
        self._model = _build(problem, weights * self.weight_scale)

    def solve_relaxation(self, *, max_seconds: float) -> Floats | None:
        """Return one multiplier per element, or None if there was no time."""
        task = Task(self._model, options=_RELAXATION)
        last = self._watched(task, max_seconds, lambda items, bound: False)
        num_elements = self.problem.num_elements
        duals = None if last is None else last.duals
        if duals is None or duals.size <= num_elements or not np.isfinite(duals).all():
            return None
        return np.abs(duals[:num_elements]) / self.weight_scale

    def solve(
        self, *, start: Selection, seed: int, max_seconds: float, watch: Watcher
    ) -> tuple[Ints, float] | None:
        """Return the items of the optimal selection, and a bound on the optimum.

        It is None if HiGHS did not finish; what it found until then, `watch` has seen.
        """
        task = self.integer_task(start, seed=seed)
        last = self._watched(task, max_seconds, watch)
        if last is None:
            return None
        bound = self._widened(last.bound)
        if last.chosen is None:
            return np.zeros(0, dtype=np.int64), bound if bound > 0 else inf
        return last.chosen[last.chosen < self.problem.num_items], bound

    @property
    def _num_integers(self) -> int:
        """Items are integers; elements as well where some must be covered twice."""
        constraints = self.problem.constraints
        has_demands = constraints is not None and constraints.demands is not None
        return self.problem.num_items + has_demands * self.problem.num_elements

    def integer_task(self, start: Selection, *, seed: int) -> Task:
        """The integer program as HiGHS gets it."""
        return Task(
            self._model,
            num_integers=self._num_integers,
            start=self._values_of(start),
            options=_INTEGER_PROGRAM | {"random_seed": seed % 2**31},
        )

    def forbid(self, items: Ints) -> None:
        """Exclude a set of items that HiGHS took for feasible."""
        row = excluding_row(self.problem, items)
        self._model = self._model.with_row(row.items, row.most, row.values)

    def _widened(self, bound: float) -> float:
        """The bound of HiGHS in the problem's weights, with its tolerances added."""
        num_columns = self.problem.num_items + self.problem.num_elements
        return (bound + 1e-6 + 1e-7 * num_columns) / self.weight_scale

    def _values_of(self, start: Selection) -> Floats | None:
        """The selection as one value per column, unless the problem is too large."""
        if self.problem.num_edges > _MAX_EDGES_FOR_START:
            return None
        values = np.zeros(self.problem.num_items + self.problem.num_elements)
        values[start.items] = 1.0
        values[self.problem.num_items :] = start.covered
        return values

    def _watched(self, task: Task, max_seconds: float, watch: Watcher) -> Report | None:
        """Run HiGHS; return its last report, or None if it was stopped."""
        with closing(reports_of(task, max_seconds=max_seconds)) as reports:
            for report in reports:
                if report is None:
                    is_stopped = watch(None, inf)
                elif report.error is not None:
                    raise report.error
                elif report.is_last:
                    return report
                else:
                    chosen = report.chosen
                    if chosen is not None:
                        chosen = chosen[chosen < self.problem.num_items]
                    is_stopped = watch(chosen, self._widened(report.bound))
                if is_stopped:
                    return None
        return None


def _build(problem: CoverageProblem, weights: Floats) -> Model:
    num_items, num_elements = problem.num_items, problem.num_elements
    edges = problem.edges
    is_affordable = problem.costs <= problem.budget
    # A row contains its items, then its element, so edge e of row a is entry e + a.
    elements = np.arange(num_elements)
    own = edges.element_start[1:] + elements
    size = edges.num_edges + num_elements
    is_item = np.ones(size, dtype=bool)
    is_item[own] = False
    columns = np.empty(size, dtype=np.int32)
    values = np.full(size, -1.0)
    columns[is_item] = edges.element_items
    columns[own], values[own] = num_items + elements, 1.0
    if problem.constraints is not None and problem.constraints.demands is not None:
        values[own] = problem.constraints.demands
    rows = [row.scaled() for row in (budget_row(problem), *constraint_rows(problem))]
    sizes = [row.items.size for row in rows]
    return Model(
        objective=np.concatenate([np.zeros(num_items), weights]),
        column_upper=np.append(is_affordable.astype(float), np.ones(num_elements)),
        row_upper=np.append(np.zeros(num_elements), [row.most for row in rows]),
        row_start=np.append(
            edges.element_start + np.arange(num_elements + 1), size + np.cumsum(sizes)
        ).astype(np.int32),
        columns=np.concatenate([columns, *(row.items for row in rows)], dtype=np.int32),
        values=np.concatenate([values, *(row.values for row in rows)]),
    )
