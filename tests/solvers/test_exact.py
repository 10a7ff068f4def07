import numpy as np
import pytest
from problems import random_problem
from refusals import refused

from thatch import (
    CoverageProblem,
    Exact,
    InputError,
    Selection,
    Status,
    TargetValue,
    solve,
)
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers import Exhaustive, StaticGreedy


def test_a_time_limit_leaves_a_selection_and_a_bound(hard):
    result = solve(hard, Exact(), max_seconds=0.3)
    assert result.status is Status.TIME_LIMIT
    assert result.selection.is_feasible
    assert result.selection.value < result.upper_bound <= hard.weights.sum()


def test_the_answer_is_never_below_the_start(hard):
    start = solve(hard, StaticGreedy()).selection
    result = solve(hard, Exact(start=start), max_seconds=0.0)
    assert result.selection.value >= start.value


@pytest.mark.slow
def test_a_target_stops_the_search_early():
    """Without the target the search would go on to a proof: no clock is needed."""
    graph = BiregularGraph(
        num_items=240, num_elements=240, item_degree=24, element_degree=24
    )
    problem = graph.problem(budget=30, seed=0)
    start = solve(problem, StaticGreedy()).selection
    target = start.value + 1
    result = solve(problem, Exact(start=start), stop=[TargetValue(target)])
    assert result.status is Status.TARGET_REACHED
    assert target <= result.selection.value < result.upper_bound


def test_a_start_above_the_budget_is_refused(hard):
    everything = Selection.of(hard, range(hard.num_items))
    with refused(InputError, "start", 60):
        solve(hard, Exact(start=everything))


@pytest.mark.parametrize("unit", [1e-12, 1e-3, 1e12])
def test_the_unit_of_costs_and_weights_does_not_matter(unit):
    for seed in range(10):
        problem = random_problem(seed)
        scaled = CoverageProblem(
            problem.costs * unit,
            problem.weights / unit,
            problem.budget * unit,
            problem.edges,
        )
        expected = solve(scaled, Exhaustive()).selection.value
        assert solve(scaled, Exact()).selection.value == pytest.approx(
            expected, rel=1e-9
        )


def test_costs_within_the_tolerance_of_highs_still_count():
    """A cost above the budget by 1e-9 of it: HiGHS would let it pass."""
    problem = CoverageProblem.from_sets(
        [["a"], ["b"], ["c"]],
        costs=[1.0, 1.0 + 1e-9, 0.5],
        budget=2.0,
        weights={"a": 5, "b": 5, "c": 1},
    )
    result = solve(problem, Exact())
    assert result.selection.is_feasible
    assert result.selection.value == 6.0
    assert result.status is Status.OPTIMAL


def test_solvers_are_plain_records():
    assert Exact() == Exact()
    assert hash(Exact()) == hash(Exact())


def test_costs_below_the_tolerance_of_highs_do_not_keep_it_busy_for_ever():
    costs = [1.0] + [1e-13] * 10
    problem = CoverageProblem.from_matrix(
        np.eye(11), costs=costs, weights=[100.0] + [1.0] * 10, budget=1 + 4.5e-13
    )
    result = solve(problem, Exact(), max_seconds=1.0)
    assert result.selection.is_feasible
    assert result.selection.value <= 104.0 <= result.upper_bound


@pytest.mark.parametrize("heavy", [1e9, 1e12, 1e18])
def test_weights_out_of_reach_do_not_drown_the_others(heavy):
    for seed in range(15):
        rng = np.random.default_rng(seed)
        matrix = np.zeros((10, 13))
        matrix[:9, :12] = rng.random((9, 12)) < 0.3
        matrix[9, 12] = 1
        problem = CoverageProblem.from_matrix(
            matrix,
            costs=[*rng.uniform(1, 5, 9), 1e6],
            weights=[*rng.uniform(0, 3, 12), heavy],
            budget=8,
        )
        optimum = solve(problem, Exhaustive()).selection.value
        result = solve(problem, Exact())
        assert result.selection.value == pytest.approx(optimum, rel=1e-9)
        assert result.upper_bound >= optimum
        assert result.status is Status.OPTIMAL


@pytest.mark.parametrize("heavy", [1e8, 1e10, 1e14])
def test_one_huge_weight_never_makes_a_false_proof(heavy):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        matrix = rng.random((9, 12)) < 0.3
        weights = rng.integers(1, 20, 12).astype(float)
        weights[0] = heavy
        problem = CoverageProblem.from_matrix(
            matrix, costs=rng.integers(1, 6, 9), weights=weights, budget=9
        )
        optimum = solve(problem, Exhaustive()).selection.value
        result = solve(problem, Exact())
        assert result.selection.value <= optimum <= result.upper_bound
        if result.status is Status.OPTIMAL:
            assert result.selection.value == optimum
