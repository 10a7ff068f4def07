"""Other packages for the same problem, at their defaults, for `quality.py`.

python benchmarks/peers.py METHOD FILE SECONDS prints one JSON object: the items that
the method chose, its bound if it has one, and the seconds it took. thatch is not
imported here: OR-Tools and highspy cannot be loaded into one process.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module

import numpy as np
import scipy.sparse

# CP-SAT needs integers: real numbers are rounded to this share of their sum.
UNIT = 1e-9


@dataclass(frozen=True)
class Model:
    """The arrays of a problem; edges are grouped by element."""

    costs: np.ndarray
    weights: np.ndarray
    budget: float
    element_start: np.ndarray
    element_items: np.ndarray

    @classmethod
    def read(cls, path: str) -> Model:
        """Read the file that `quality.py` wrote."""
        with np.load(path) as arrays:
            budget = float(arrays["budget"])
            return cls(**{**dict(arrays), "budget": budget})

    @property
    def num_items(self) -> int:
        """Number of items."""
        return self.costs.size

    @property
    def num_elements(self) -> int:
        """Number of elements."""
        return self.weights.size


#: Chosen items, and the method's bound or NaN.
Answer = tuple[np.ndarray, float]


def main() -> None:
    name, path, seconds = sys.argv[1:]
    model = Model.read(path)
    package, method = METHODS[name]
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        sys.exit(f"{error.name} is not installed.")
    began = time.perf_counter()
    items, bound = method(model, float(seconds))
    took = time.perf_counter() - began
    print(json.dumps({"items": items.tolist(), "bound": bound, "seconds": took}))


def rows_of(model: Model) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Constraint rows and their upper limits: one per element, then the budget."""
    costs = scipy.sparse.csr_array(model.costs[None, :])
    covered = scipy.sparse.eye_array(model.num_elements, format="csr")
    rows = scipy.sparse.block_array(
        [[-covers_of(model), covered], [costs, None]], format="csr"
    )
    return rows, np.append(np.zeros(model.num_elements), model.budget)


def covers_of(model: Model) -> scipy.sparse.csr_array:
    """Matrix with one row per element and one column per item."""
    ones = np.ones(model.element_items.size)
    return scipy.sparse.csr_array(
        (ones, model.element_items, model.element_start),
        shape=(model.num_elements, model.num_items),
    )


def highs(model: Model, seconds: float) -> Answer:
    import highspy

    began = time.perf_counter()
    rows, limits = rows_of(model)
    num_rows, num_columns = rows.shape
    lp = highspy.HighsLp()
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.num_col_, lp.num_row_ = num_columns, num_rows
    lp.col_cost_ = np.append(np.zeros(model.num_items), model.weights)
    lp.col_lower_, lp.col_upper_ = np.zeros(num_columns), np.ones(num_columns)
    lp.row_lower_, lp.row_upper_ = np.full(num_rows, -math.inf), limits
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = rows.indptr, rows.indices
    lp.a_matrix_.value_ = rows.data
    lp.integrality_ = [highspy.HighsVarType.kInteger] * num_columns
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("threads", 1)
    solver.passModel(lp)
    solver.setOptionValue("time_limit", seconds_left(began, seconds))
    solver.run()
    chosen = np.array(solver.getSolution().col_value[: model.num_items]) > 0.5
    return np.flatnonzero(chosen), solver.getInfo().mip_dual_bound


def scipy_milp(model: Model, seconds: float) -> Answer:
    from scipy.optimize import Bounds, LinearConstraint, milp

    began = time.perf_counter()
    rows, limits = rows_of(model)
    answer = milp(
        -np.append(np.zeros(model.num_items), model.weights),
        constraints=LinearConstraint(rows, ub=limits),
        integrality=np.ones(rows.shape[1]),
        bounds=Bounds(0, 1),
        options={"time_limit": seconds_left(began, seconds)},
    )
    bound = math.nan if answer.mip_dual_bound is None else -answer.mip_dual_bound
    chosen = np.zeros(0) if answer.x is None else answer.x[: model.num_items]
    return np.flatnonzero(chosen > 0.5), bound


def cp_sat(model: Model, seconds: float, *, linearization: int = 1) -> Answer:
    from ortools.sat.python import cp_model

    began = time.perf_counter()
    weights, weight_unit = in_units(model.weights)
    costs, cost_unit = in_units(np.append(model.costs, model.budget))
    if cost_unit != 1.0:
        # Costs are rounded up and the budget down: no selection may exceed it.
        costs[:-1] = np.ceil(model.costs / cost_unit)
        costs[-1] = math.floor(model.budget / cost_unit)
    program = cp_model.CpModel()
    items = [program.new_bool_var("") for _ in range(model.num_items)]
    elements = [program.new_bool_var("") for _ in range(model.num_elements)]
    for a, element in enumerate(elements):
        covering = model.element_items[
            model.element_start[a] : model.element_start[a + 1]
        ]
        program.add_bool_or([*(items[i] for i in covering.tolist()), ~element])
    cost = cp_model.LinearExpr.weighted_sum(items, costs[:-1].tolist())
    program.add(cost <= int(costs[-1]))
    program.maximize(cp_model.LinearExpr.weighted_sum(elements, weights.tolist()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = linearization
    solver.parameters.max_time_in_seconds = seconds_left(began, seconds)
    status = solver.solve(program)
    is_found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    chosen = [is_found and solver.boolean_value(item) for item in items]
    # Rounded numbers are another problem, whose bound does not apply here.
    # A bound of 0 means that there was no time to compute one.
    bound = solver.best_objective_bound
    is_bound = weight_unit == cost_unit == 1.0 and bound > 0
    return np.flatnonzero(chosen), bound if is_bound else math.nan


def in_units(values: np.ndarray) -> tuple[np.ndarray, float]:
    """Values as integers, and their unit, which is 1 if they are integers already."""
    is_whole = bool((values == np.floor(values)).all()) and values.sum() < 2**53
    unit = 1.0 if is_whole else UNIT * float(values.sum())
    return np.round(values / unit).astype(np.int64), unit


def apricot(model: Model, seconds: float) -> Answer:
    """Greedy selection by apricot, which has costs but no weights and no time limit."""
    from apricot import MaxCoverageSelection

    if np.unique(model.weights).size > 1:
        sys.exit("apricot does not support weights.")
    if not 1 <= model.budget <= model.num_items:
        sys.exit("apricot does not support a budget above the number of items.")
    covers = scipy.sparse.csr_matrix(covers_of(model).T)
    # Its compiled loops accept only this type of index.
    covers.indices = covers.indices.astype(np.int32)
    covers.indptr = covers.indptr.astype(np.int32)
    is_counting = bool((model.costs == 1).all())
    selector = MaxCoverageSelection(int(model.budget))
    selector.fit(covers, sample_cost=None if is_counting else model.costs)
    return np.asarray(selector.ranking), math.nan


def seconds_left(began: float, seconds: float) -> float:
    return max(0.1, seconds - (time.perf_counter() - began))


METHODS: dict[str, tuple[str, Callable[[Model, float], Answer]]] = {
    "highs": ("highspy", highs),
    "scipy-milp": ("scipy.optimize", scipy_milp),
    "cp-sat": ("ortools.sat.python.cp_model", cp_sat),
    # By default a single worker does not relax clauses; at level 2 it finds far more.
    "cp-sat-relaxed": (
        "ortools.sat.python.cp_model",
        partial(cp_sat, linearization=2),
    ),
    "apricot": ("apricot", apricot),
}


if __name__ == "__main__":
    main()
