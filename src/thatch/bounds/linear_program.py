"""The problem as a linear or integer program in HiGHS.

One column per item, 1 if it is chosen, and one per element, 1 if it is covered; the
covered weight is maximized. One row per element: it is covered at most as often as its
items are chosen. A last row: the chosen items cost at most the budget. In the
relaxation, fractions of items may be chosen.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from math import frexp, inf, ldexp

import highspy
import numpy as np

from thatch.arrays import Floats, Ints, exact_sum
from thatch.errors import SolverFailedError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection

# HiGHS has an absolute tolerance of 1e-6. Integers up to the first number are passed on
# as they are; others are scaled to about 2^16.
_LARGEST_UNSCALED = 1e6
_LARGEST_EXPONENT = 16
_POLL_SECONDS = 0.05
_PATIENCE_SECONDS = 2.0
# HiGHS first repairs a start, whatever its time limit; with more edges that can take
# minutes.
_MAX_EDGES_FOR_START = 300_000

#: Called with the chosen items and the bound of every better selection that HiGHS
#: finds, and with None about 20 times per second; returning True stops HiGHS.
Watcher = Callable[[Ints | None, float], bool]


class LinearProgram:
    """A HiGHS model of one problem, scaled to the tolerances of HiGHS."""

    def __init__(self, problem: CoverageProblem) -> None:
        self.problem = problem
        weights = np.where(problem.reachable_elements, problem.weights, 0.0)
        #: Factor from weights of the problem to those of the model, a power of two.
        self.weight_scale = _scale(weights)
        self._highs = highspy.Highs()
        self._highs.silent()
        self._highs.setOptionValue("parallel", "off")
        lp = _build(problem, weights * self.weight_scale)
        _require_ok(self._highs.passModel(lp))

    def solve_relaxation(self, *, max_seconds: float) -> Floats | None:
        """Return one multiplier per element, or None if there was no time."""
        self._highs.setOptionValue("solver", "ipm")
        self._highs.setOptionValue("run_crossover", "off")
        self._highs.setOptionValue("time_limit", max_seconds)
        self._run(lambda items, bound: False)
        duals = np.asarray(self._highs.getSolution().row_dual, dtype=np.float64)
        num_elements = self.problem.num_elements
        if duals.size <= num_elements or not np.isfinite(duals).all():
            return None
        return np.abs(duals[:num_elements]) / self.weight_scale

    def solve(
        self, *, start: Selection, seed: int, max_seconds: float, watch: Watcher
    ) -> tuple[Ints, float]:
        """Return the items of the best selection found, and a bound on the optimum."""
        highs = self._highs
        for option, value in (("mip_rel_gap", 0.0), ("mip_abs_gap", 1e-7)):
            highs.setOptionValue(option, value)
        highs.setOptionValue("random_seed", seed % 2**31)
        columns = np.arange(self.problem.num_items, dtype=np.int32)
        whole = np.full(columns.size, highspy.HighsVarType.kInteger)
        _require_ok(highs.changeColsIntegrality(columns.size, columns, whole))
        if self.problem.num_edges <= _MAX_EDGES_FOR_START:
            self._start_from(start)
        highs.setOptionValue("time_limit", max_seconds)
        self._run(watch)
        info = highs.getInfo()
        bound = self._widened(info.mip_dual_bound)
        if not info.primal_solution_status:
            return np.zeros(0, dtype=np.int64), bound if bound > 0 else inf
        values = np.asarray(highs.getSolution().col_value)
        return self._chosen(values), bound

    def forbid(self, items: Ints) -> None:
        """Exclude a set of items, or a subset of it that exceeds the budget."""
        dearest_first = items[np.argsort(-self.problem.costs[items], kind="stable")]
        size = 1
        while size < items.size and (
            Selection.of(self.problem, dearest_first[:size]).is_feasible
        ):
            size += 1
        columns = dearest_first[:size].astype(np.int32)
        _require_ok(self._highs.addRow(-inf, size - 1.0, size, columns, np.ones(size)))

    def _widened(self, bound: float) -> float:
        """The bound of HiGHS in the problem's weights, with its tolerances added."""
        num_columns = self.problem.num_items + self.problem.num_elements
        return (bound + 1e-6 + 1e-7 * num_columns) / self.weight_scale

    def _chosen(self, values: Floats) -> Ints:
        return np.flatnonzero(values[: self.problem.num_items] > 0.5)

    def _start_from(self, start: Selection) -> None:
        solution = highspy.HighsSolution()
        values = np.zeros(self.problem.num_items + self.problem.num_elements)
        values[start.items] = 1.0
        values[self.problem.num_items :] = start.covered
        solution.col_value = values
        self._highs.setSolution(solution)

    def _run(self, watch: Watcher) -> None:
        """Run HiGHS in its own thread, so that this one can be interrupted."""
        highs = self._highs
        news: list[tuple[Ints, float]] = []
        failures: list[BaseException] = []
        is_stopping = threading.Event()

        def improved(event: highspy.HighsCallbackEvent) -> None:
            items = self._chosen(np.array(event.data_out.mip_solution))
            news.append((items, self._widened(event.data_out.mip_dual_bound)))

        def interrupt(event: highspy.HighsCallbackEvent) -> None:
            if is_stopping.is_set():
                event.interrupt()

        def work() -> None:
            try:
                _require_ok(highs.run())
            except BaseException as error:
                failures.append(error)

        highs.cbMipImprovingSolution.subscribe(improved)
        for callback in (highs.cbMipInterrupt, highs.cbIpmInterrupt):
            callback.subscribe(interrupt)
        thread = threading.Thread(target=work, name="highs", daemon=True)
        try:
            thread.start()
            while thread.is_alive():
                thread.join(_POLL_SECONDS)
                while news:
                    watch(*news.pop(0))
                if watch(None, inf):
                    is_stopping.set()
        finally:
            is_stopping.set()
            if thread.ident is not None:
                # It has ended unless this thread was interrupted. Then the caller does
                # not wait for HiGHS, which ends by itself at its next callback.
                thread.join(_PATIENCE_SECONDS)
            if not thread.is_alive():
                highs.cbMipImprovingSolution.clear()
                highs.cbMipInterrupt.clear()
                highs.cbIpmInterrupt.clear()
        for failure in failures:
            raise failure


def _build(problem: CoverageProblem, weights: Floats) -> highspy.HighsLp:
    num_items, num_elements = problem.num_items, problem.num_elements
    edges = problem.edges
    budget = min(problem.budget, exact_sum(problem.costs))
    cost_scale = _scale(np.append(problem.costs[problem.costs <= budget], budget))
    lp = highspy.HighsLp()
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.num_col_ = num_items + num_elements
    lp.num_row_ = num_elements + 1
    lp.col_cost_ = np.concatenate([np.zeros(num_items), weights])
    lp.col_lower_ = np.zeros(lp.num_col_)
    lp.col_upper_ = np.concatenate(
        [(problem.costs <= budget).astype(float), np.ones(num_elements)]
    )
    lp.row_lower_ = np.full(lp.num_row_, -inf)
    lp.row_upper_ = np.append(np.zeros(num_elements), budget * cost_scale)
    # A row contains its items, then its element, so edge e of row a is entry e + a.
    elements = np.arange(num_elements)
    own = edges.element_start[1:] + elements
    size = edges.num_edges + num_elements
    is_item = np.ones(size, dtype=bool)
    is_item[own] = False
    columns = np.empty(size + num_items, dtype=np.int32)
    values = np.full(size + num_items, -1.0)
    columns[:size][is_item] = edges.element_items
    columns[own], values[own] = num_items + elements, 1.0
    columns[size:] = np.arange(num_items)
    values[size:] = np.where(problem.costs <= budget, problem.costs, 0.0) * cost_scale
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.append(
        edges.element_start + np.arange(num_elements + 1), size + num_items
    ).astype(np.int32)
    lp.a_matrix_.index_ = columns
    lp.a_matrix_.value_ = values
    return lp


def _scale(values: Floats) -> float:
    """Power of two that brings the largest value close below 2^16.

    Moderate integers are not scaled.
    """
    largest = float(values.max(initial=0.0))
    is_integer = bool((values == np.floor(values)).all())
    if largest == 0.0 or (is_integer and largest <= _LARGEST_UNSCALED):
        return 1.0
    # Numbers below 2^-990 stay so small that HiGHS treats them as 0.
    return ldexp(1.0, min(1000, _LARGEST_EXPONENT - frexp(largest)[1]))


def _require_ok(status: highspy.HighsStatus) -> None:
    if status == highspy.HighsStatus.kError:
        raise SolverFailedError(
            "HiGHS rejected the model.", hint="Please report it with the instance."
        )
