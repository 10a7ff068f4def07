import math

import numpy as np
import pytest
import reference
from cases import for_each
from hypothesis import given
from problems import problems, random_problem

from thatch import CoverageProblem, Exact, MaxIterations, Run, solve
from thatch.problem.edges import Edges
from thatch.solvers import Exhaustive
from thatch.solvers.components import solve_by_components


def union(components, budget):
    """Problems side by side as one, under one budget."""
    return CoverageProblem(
        np.concatenate([component.costs for component in components]),
        np.concatenate([component.weights for component in components]),
        budget,
        Edges.union([component.edges for component in components]),
    )


def scattered(seed, *, num_components, max_items=4):
    """A problem of many small parts, whole or real."""
    rng = np.random.default_rng(seed)
    components = [
        random_problem(rng.integers(2**31), max_items=max_items, max_elements=6)
        for _ in range(num_components)
    ]
    if rng.random() < 0.5:
        components = [
            component.with_costs(rng.integers(1, 30, component.num_items))
            for component in components
        ]
    total = math.fsum(float(component.costs.sum()) for component in components)
    return union(components, float(rng.choice([0.1, 0.3, 0.6, 1.0])) * total)


def check(problem, optimum):
    result = solve_by_components(problem, Run())
    if result is None:
        return False
    assert result.gap < 1e-10
    assert result.selection.is_feasible
    assert result.selection.value <= optimum <= result.upper_bound
    assert result.selection.value == pytest.approx(optimum, rel=1e-10)
    if problem.has_integer_weights:
        assert result.selection.value == result.upper_bound == optimum
    return True


@for_each("block", range(4))
def test_a_single_part_is_solved(block):
    num_solved = 0
    for seed in range(100 * block, 100 * block + 100):
        problem = random_problem(seed)
        num_solved += check(problem, solve(problem, Exhaustive()).selection.value)
    assert num_solved >= 95


@for_each("block", range(4))
def test_many_parts_are_solved(block):
    num_solved = 0
    for seed in range(50 * block, 50 * block + 50):
        problem = scattered(seed, num_components=5)
        num_solved += check(problem, solve(problem, Exhaustive()).selection.value)
    assert num_solved >= 45


@given(problem=problems())
def test_any_valid_problem_is_solved_or_left(problem):
    check(problem, reference.optimum(problem))


@pytest.mark.slow
@for_each("seed", range(5))
def test_hundreds_of_parts_agree_with_branch_and_bound(seed):
    rng = np.random.default_rng(seed)
    components = [
        CoverageProblem.from_matrix(
            rng.random((4, 6)) < 0.5,
            costs=rng.integers(1, 20, 4),
            weights=rng.integers(1, 20, 6),
            budget=1,
        )
        for _ in range(200)
    ]
    problem = union(components, 1500.0)
    exact = solve(problem, Exact())
    assert exact.gap < 1e-10
    assert check(problem, exact.selection.value)


@pytest.mark.slow
def test_ten_thousand_parts_are_solved():
    rng = np.random.default_rng(0)
    costs = rng.integers(1, 100, 10_000)
    weights = rng.integers(1, 100, 10_000)
    pairs = np.column_stack([np.arange(10_000), np.arange(10_000)])
    problem = CoverageProblem.from_edges(
        pairs, costs=costs, weights=weights, budget=100_000
    )
    result = solve_by_components(problem, Run())
    assert result.selection.value == knapsack(costs, weights, 100_000)


def knapsack(costs, weights, budget):
    """Optimum of a knapsack of whole numbers, by the table over all budgets."""
    best = np.zeros(budget + 1)
    for cost, weight in zip(costs, weights, strict=True):
        best[cost:] = np.maximum(best[cost:], best[:-cost] + weight)
    return best[-1]


def test_a_part_too_large_is_left_to_others():
    problem = CoverageProblem.from_sets([{0, i} for i in range(1, 18)], budget=3)
    assert solve_by_components(problem, Run()) is None
    smaller = CoverageProblem.from_sets([{0, i} for i in range(1, 17)], budget=3)
    assert solve_by_components(smaller, Run()).selection.value == 4.0


def test_too_many_parts_of_many_items_are_left_to_others():
    sets = [{20 * p, 20 * p + 1 + k} for p in range(40) for k in range(16)]
    problem = CoverageProblem.from_sets(sets, budget=3)
    assert solve_by_components(problem, Run()) is None


def test_a_run_that_may_not_go_on_is_left():
    run = Run(stop=[MaxIterations(0)])
    problem = CoverageProblem.from_sets([{0}, {1}], budget=1)
    assert solve_by_components(problem, run) is None


def test_ten_tenths_fit_into_one():
    problem = CoverageProblem.from_matrix(np.eye(12), costs=[0.1] * 12, budget=1.0)
    assert solve_by_components(problem, Run()).selection.value == 10.0


def test_nothing_is_claimed_where_only_the_last_bit_decides():
    """Both of these cost 1 as a plain sum; the exact sum is above it."""
    problem = CoverageProblem.from_matrix(
        np.eye(3), costs=[1.0, 2.0**-53, 1e-30], budget=1.0
    )
    result = solve_by_components(problem, Run())
    assert result is None or result.selection.is_feasible


def test_the_run_is_told_once():
    problem = CoverageProblem.from_sets([{0}, {1}], weights=[3, 1], budget=1)
    result = solve_by_components(problem, Run())
    assert [reading.step for reading in result.trace] == ["components"]
    assert result.trace[0].upper_bound == result.selection.value == 3.0
