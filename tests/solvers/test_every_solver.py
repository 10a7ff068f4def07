"""Promises that every solver keeps on every problem."""

import math
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import reference
from hypothesis import HealthCheck, given, settings
from problems import problems, random_problem

from thatch import (
    Auto,
    BeliefPropagation,
    CoverageProblem,
    Exact,
    GeneralizedGreedy,
    Greedy,
    MaxIterations,
    Status,
    solve,
)
from thatch.solvers import Exhaustive, LocalSearch, StaticGreedy
from thatch.solvers.bounds import dual_bound, lp_bound
from thatch.solvers.registry import BUILT_IN, solver_named

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "write-a-solver.md"


def solver_of_the_guide():
    """The solver that the guide prints, as a reader would write it."""
    block = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    # Dataclasses look up the module in which they are defined.
    module = types.ModuleType("guide")
    sys.modules["guide"] = module
    exec(block.group(1), vars(module))
    return module.RandomOrders(max_orders=20)


EVERY_SOLVER = [
    Auto(),
    Auto(effort="fast"),
    BeliefPropagation(),
    BeliefPropagation(inverse_temperature=math.inf),
    BeliefPropagation.algorithm_2(inverse_temperature=3.0, price=0.5, damping=0.0),
    Exact(),
    Exhaustive(),
    GeneralizedGreedy(),
    GeneralizedGreedy(seed_size=2),
    Greedy(),
    LocalSearch(max_rounds=30),
    StaticGreedy(),
    solver_of_the_guide(),
]
every_solver = pytest.mark.parametrize("solver", EVERY_SOLVER, ids=repr)


def test_the_list_holds_every_solver_that_has_a_name():
    tested = {type(solver) for solver in EVERY_SOLVER}
    assert tested >= {type(solver_named(name)) for name in BUILT_IN}


@pytest.fixture(scope="module")
def cases():
    """300 problems of up to 14 items, with their optima by trying everything."""
    found = []
    for seed in range(300):
        problem = random_problem(seed)
        optimum = solve(problem, Exhaustive()).selection.value
        found.append((problem, optimum))
    return found


def test_exhaustive_finds_what_the_plain_loop_finds():
    for seed in range(120):
        problem = random_problem(seed, max_items=10)
        assert solve(problem, Exhaustive()).selection.value == reference.optimum(
            problem
        )


@pytest.mark.parametrize(
    "share", [0.2, pytest.param(1.0, marks=pytest.mark.slow)], ids="{:.0%}".format
)
@every_solver
def test_never_infeasible_never_above_the_optimum_and_bounded_rightly(
    solver, share, cases
):
    for problem, optimum in cases[: int(share * len(cases))]:
        result = solve(problem, solver)
        assert result.selection.is_feasible
        assert result.selection.value == reference.value(
            problem, result.selection.items
        )
        assert result.selection.value <= optimum <= result.upper_bound
        assert 0.0 <= result.gap <= 1.0
        if result.status is Status.OPTIMAL:
            assert result.selection.value == pytest.approx(optimum, rel=1e-9)


@pytest.mark.parametrize(
    "solver", [Exact(), Exact(start=StaticGreedy()), Auto()], ids=repr
)
def test_exact_solvers_reach_the_optimum_and_say_so(solver, cases):
    for problem, optimum in cases:
        result = solve(problem, solver)
        assert result.selection.value == pytest.approx(optimum, rel=1e-9, abs=1e-12)
        assert result.status is Status.OPTIMAL


def test_every_bound_is_at_or_above_the_optimum(cases):
    for seed, (problem, optimum) in enumerate(cases):
        rng = np.random.default_rng(seed)
        multipliers = problem.weights * rng.random(problem.num_elements)
        assert optimum <= dual_bound(problem, multipliers)
        assert optimum <= lp_bound(problem)


@every_solver
def test_same_seed_same_answer_whatever_the_threads(solver):
    for seed in range(10):
        problem = random_problem(seed)
        one, two = (solve(problem, solver, seed=5, num_threads=n) for n in (1, 2))
        np.testing.assert_array_equal(one.selection.items, two.selection.items)
        assert one.upper_bound == two.upper_bound
        if one.beliefs is not None:
            np.testing.assert_array_equal(
                one.beliefs.item_fields, two.beliefs.item_fields
            )


@every_solver
def test_the_trace_has_one_entry_per_iteration(solver):
    readings = []
    result = solve(random_problem(4), solver, observers=[readings.append])
    assert result.iterations == len(result.trace) == len(readings)
    assert [reading.iteration for reading in readings] == list(
        range(1, len(readings) + 1)
    )


@every_solver
def test_a_run_that_must_stop_at_once_has_a_result(solver):
    result = solve(random_problem(4), solver, stop=[MaxIterations(0)], max_seconds=0.0)
    assert result.selection.is_feasible


@every_solver
def test_budget_of_zero_selects_nothing_that_costs(solver):
    problem = CoverageProblem.from_sets(
        [{"a"}, {"b"}], costs=[1.0, 0.0], budget=0, weights={"a": 5.0, "b": 2.0}
    )
    assert solve(problem, solver).selection.items.tolist() == [1]


@every_solver
@pytest.mark.parametrize(("num_items", "num_elements"), [(0, 0), (0, 3), (3, 0)])
def test_problems_with_nothing_in_them_are_solved(solver, num_items, num_elements):
    problem = CoverageProblem.from_edges(
        [], costs=np.ones(num_items), weights=np.ones(num_elements), budget=2
    )
    result = solve(problem, solver)
    assert result.selection.value == 0.0
    assert result.status is Status.OPTIMAL


@every_solver
def test_a_cost_that_exceeds_the_budget_by_its_last_bit_is_refused(solver):
    """1 + 2^-53 rounds down to 1, but any more rounds up: two doubles cannot tell."""
    costs = [1.0, 2.0**-53, 1e-30]
    assert math.fsum(costs[:2]) == 1.0 < math.fsum(costs)
    problem = CoverageProblem.from_matrix(np.eye(3), costs=costs, budget=1.0)
    result = solve(problem, solver)
    assert result.selection.is_feasible
    assert result.selection.value <= 2.0 <= result.upper_bound


@every_solver
@given(problem=problems())
@settings(max_examples=25, suppress_health_check=[HealthCheck.differing_executors])
def test_any_valid_problem_is_solved_within_its_bound(solver, problem):
    result = solve(problem, solver)
    optimum = reference.optimum(problem)
    assert result.selection.is_feasible
    assert result.selection.value <= optimum <= result.upper_bound
