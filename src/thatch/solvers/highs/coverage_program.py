"""The problem as a linear or integer program in HiGHS.

One column per item, 1 if it is chosen, and one per element, 1 if it is covered; the
covered weight is maximized. One row per element: it is covered at most as often as its
items are chosen. Further rows: the chosen items cost at most the budget, and they keep
the constraints. In the relaxation, fractions of items may be chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.problem.constraint_rows import (
    budget_row,
    constraint_rows,
    excluding_row,
    highs_scale,
)
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection
from thatch.solvers.highs.programs import (
    ONE_THREAD,
    covering_model,
    error_of,
    followed,
    integer_options,
    with_rows,
)
from thatch.solvers.highs.worker import Model, Report, Task

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
        options = ONE_THREAD | {"solver": "ipm", "run_crossover": "off"}
        last = followed(Task(self._model, options=options), max_seconds=max_seconds)
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

        def take(report: Report | None) -> bool:
            if report is None:
                return watch(None, inf)
            if report.is_last:
                return True
            chosen = report.chosen
            if chosen is not None:
                chosen = chosen[chosen < self.problem.num_items]
            return watch(chosen, self._widened(report.bound))

        task = self.integer_task(start, seed=seed)
        last = followed(task, max_seconds=max_seconds, take=take)
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
            options=integer_options(seed),
        )

    def forbid(self, items: Ints) -> None:
        """Exclude a set of items that HiGHS took for feasible."""
        row = excluding_row(self.problem, items)
        self._model = with_rows(self._model, [row])

    def _widened(self, bound: float) -> float:
        """The bound of HiGHS in the problem's weights, with its tolerances added."""
        num_columns = self.problem.num_items + self.problem.num_elements
        return (bound + error_of(num_columns)) / self.weight_scale

    def _values_of(self, start: Selection) -> Floats | None:
        """The selection as one value per column, unless the problem is too large."""
        # HiGHS first repairs a start, whatever its time limit; with more edges that can
        # take minutes.
        if self.problem.num_edges > 300_000:
            return None
        values = np.zeros(self.problem.num_items + self.problem.num_elements)
        values[start.items] = 1.0
        values[self.problem.num_items :] = start.covered
        return values


def _build(problem: CoverageProblem, weights: Floats) -> Model:
    constraints = problem.constraints
    demands: Floats = np.ones(problem.num_elements)
    if constraints is not None and constraints.demands is not None:
        demands = constraints.demands.astype(np.float64)
    model = covering_model(
        problem.edges,
        np.concatenate([np.zeros(problem.num_items), weights]),
        own=np.ones(problem.num_elements, dtype=np.bool_),
        own_values=demands,
        limits=np.zeros(problem.num_elements),
        rows=[row.scaled() for row in (budget_row(problem), *constraint_rows(problem))],
    )
    column_upper = model.column_upper
    column_upper[: problem.num_items] = problem.costs <= problem.budget
    return model
