"""Other packages for the same problem, at their defaults, for `quality.py`.

See `method_process.py` for how they are called. thatch is not imported here.
"""

from __future__ import annotations

import math
import sys
from functools import partial

import numpy as np
import scipy.sparse
from method_process import Answer, Methods, Model, Task, answer_as

# CP-SAT needs integers: real numbers are rounded to this share of their sum.
UNIT = 1e-9
# Numbers of seeds that both HiGHS and CP-SAT accept.
LARGEST_SEED = 2**31 - 1


def rows_of(model: Model) -> tuple[scipy.sparse.csr_array, np.ndarray]:
    """Constraint rows and their upper limits: one per element, then the budget."""
    costs = scipy.sparse.csr_array(model.costs[None, :])
    covered = scipy.sparse.eye_array(model.num_elements, format="csr")
    rows = scipy.sparse.block_array(
        [[-model.by_element, covered], [costs, None]], format="csr"
    )
    return rows, np.append(np.zeros(model.num_elements), model.budget)


def highs(task: Task) -> Answer:
    import highspy

    model = task.model
    rows, limits = rows_of(model)
    objective = np.append(np.zeros(model.num_items), model.weights)
    if model.is_cover:
        rows = -model.by_element[np.diff(model.element_start) > 0]
        limits, objective = np.full(rows.shape[0], -1.0), model.costs
    num_rows, num_columns = rows.shape
    lp = highspy.HighsLp()
    sense = highspy.ObjSense
    lp.sense_ = sense.kMinimize if model.is_cover else sense.kMaximize
    lp.num_col_, lp.num_row_ = num_columns, num_rows
    lp.col_cost_ = objective
    lp.col_lower_, lp.col_upper_ = np.zeros(num_columns), np.ones(num_columns)
    lp.row_lower_, lp.row_upper_ = np.full(num_rows, -math.inf), limits
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_, lp.a_matrix_.index_ = rows.indptr, rows.indices
    lp.a_matrix_.value_ = rows.data
    lp.integrality_ = [highspy.HighsVarType.kInteger] * num_columns
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("threads", task.threads)
    solver.setOptionValue("random_seed", task.seed % LARGEST_SEED)
    solver.cbMipImprovingSolution += lambda event: task.record(
        event.data_out.objective_function_value
    )
    solver.cbMipInterrupt += lambda event: task.record_bound(
        event.data_out.mip_dual_bound
    )
    solver.passModel(lp)
    solver.setOptionValue("time_limit", task.seconds_left)
    solver.run()
    chosen = np.array(solver.getSolution().col_value[: model.num_items]) > 0.5
    return Answer(np.flatnonzero(chosen), solver.getInfo().mip_dual_bound)


def scipy_milp(task: Task) -> Answer:
    from scipy.optimize import Bounds, LinearConstraint, milp

    model = task.model
    rows, limits = rows_of(model)
    answer = milp(
        -np.append(np.zeros(model.num_items), model.weights),
        constraints=LinearConstraint(rows, ub=limits),
        integrality=np.ones(rows.shape[1]),
        bounds=Bounds(0, 1),
        options={"time_limit": task.seconds_left},
    )
    bound = math.nan if answer.mip_dual_bound is None else -answer.mip_dual_bound
    chosen = np.zeros(0) if answer.x is None else answer.x[: model.num_items]
    return Answer(np.flatnonzero(chosen > 0.5), bound)


def cp_sat(task: Task, *, linearization: int = 1) -> Answer:
    from ortools.sat.python import cp_model

    class Recorder(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            task.record(self.objective_value * unit)

    model = task.model
    weights, weight_unit = in_units(model.weights)
    costs, cost_unit = in_units(np.append(model.costs, model.budget))
    if cost_unit != 1.0:
        # Costs are rounded up and the budget down: no selection may exceed it.
        costs[:-1] = np.ceil(model.costs / cost_unit)
        costs[-1] = math.floor(model.budget / cost_unit)
    unit = cost_unit if model.is_cover else weight_unit
    # Rounded numbers are another problem, whose bound does not apply here.
    is_exact = weight_unit == cost_unit == 1.0
    program = cp_model.CpModel()
    items = [program.new_bool_var("") for _ in range(model.num_items)]
    cost = cp_model.LinearExpr.weighted_sum(items, costs[:-1].tolist())
    coverings = np.split(model.element_items, model.element_start[1:-1])
    if model.is_cover:
        for covering in coverings:
            if covering.size:
                program.add_bool_or([items[i] for i in covering.tolist()])
        program.minimize(cost)
    else:
        elements = [program.new_bool_var("") for _ in range(model.num_elements)]
        for covering, element in zip(coverings, elements, strict=True):
            program.add_bool_or([*(items[i] for i in covering.tolist()), ~element])
        program.add(cost <= int(costs[-1]))
        program.maximize(cp_model.LinearExpr.weighted_sum(elements, weights.tolist()))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = task.threads
    solver.parameters.random_seed = task.seed % LARGEST_SEED
    solver.parameters.linearization_level = linearization
    solver.parameters.max_time_in_seconds = task.seconds_left
    if is_exact:
        solver.best_bound_callback = task.record_bound
    status = solver.solve(program, Recorder())
    is_found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    chosen = [is_found and solver.boolean_value(item) for item in items]
    # A bound of 0 means that there was no time to compute one.
    bound = solver.best_objective_bound
    return Answer(np.flatnonzero(chosen), bound if is_exact and bound > 0 else math.nan)


def in_units(values: np.ndarray) -> tuple[np.ndarray, float]:
    """Values as integers, and their unit, which is 1 if they are integers already."""
    is_whole = bool((values == np.floor(values)).all()) and values.sum() < 2**53
    unit = 1.0 if is_whole else UNIT * float(values.sum())
    return np.round(values / unit).astype(np.int64), unit


def apricot(task: Task) -> Answer:
    """Greedy selection by apricot, which has costs but no weights and no time limit."""
    from apricot import MaxCoverageSelection

    model = task.model
    if np.unique(model.weights).size > 1:
        sys.exit("apricot does not support weights.")
    if not 1 <= model.budget <= model.num_items:
        sys.exit("apricot does not support a budget above the number of items.")
    covers = scipy.sparse.csr_matrix(model.by_item)
    # Its compiled loops accept only this type of index.
    covers.indices = covers.indices.astype(np.int32)
    covers.indptr = covers.indptr.astype(np.int32)
    is_counting = bool((model.costs == 1).all())
    selector = MaxCoverageSelection(int(model.budget))
    selector.fit(covers, sample_cost=None if is_counting else model.costs)
    return Answer(np.asarray(selector.ranking))


METHODS: Methods = {
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
    answer_as(METHODS)
