"""Whole solutions on either device: feasible, good, and with a bound that holds."""

import math
from dataclasses import replace

import numpy as np
import pytest
from cases import for_each

from thatch import Auto, BeliefPropagation, CoverageProblem, Exact, solve
from thatch.problem.instances.random_graphs import BiregularGraph, PowerLawGraph
from thatch.solvers.bounds import first_order_bound

SEEDS = range(3)


def fig2_problems():
    biregular = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    power_law = PowerLawGraph(num_items=100, num_elements=300, mean_item_degree=9)
    return [
        g.problem(budget=100, seed=k) for g in (biregular, power_law) for k in SEEDS
    ]


@pytest.fixture(scope="module")
def fig2():
    """Problems like the paper's, each with its optimum."""
    problems = fig2_problems()
    results = [solve(problem, Exact()) for problem in problems]
    assert all(result.gap == 0 for result in results)
    optima = [result.selection.value for result in results]
    return list(zip(problems, optima, strict=True))


@pytest.mark.parametrize("solver", [BeliefPropagation(), Auto()], ids=["bp", "auto"])
def test_selections_are_good_and_bounds_hold(fig2, solver, device):
    for problem, optimum in fig2:
        result = solve(problem, solver, device=device)
        assert result.selection.is_feasible
        assert 0.99 * optimum <= result.selection.value <= optimum
        assert result.upper_bound >= optimum


@pytest.mark.parametrize("precision", ["double", "single"])
@pytest.mark.parametrize("inverse_temperature", [None, 1.0, math.inf])
def test_messages_of_any_kind_are_good(fig2, inverse_temperature, precision, device):
    solver = BeliefPropagation(
        inverse_temperature=inverse_temperature, precision=precision
    )
    for problem, optimum in fig2[:: len(SEEDS)]:
        result = solve(problem, solver, device=device)
        assert result.selection.is_feasible
        assert 0.985 * optimum <= result.selection.value <= optimum


def test_bounds_found_by_descent_hold(fig2, device):
    for problem, optimum in fig2:
        bound = first_order_bound(problem, device=device)
        assert optimum <= bound <= 1.03 * optimum


@pytest.mark.parametrize("reinforcement", [0.0, 0.9])
def test_many_fillings_are_worth_no_less_than_one_at_the_end(
    fig2, reinforcement, device
):
    once = BeliefPropagation(
        reinforcement=reinforcement,
        iterations_per_rounding=0,
        has_greedy_completion=False,
    )
    often = replace(once, iterations_per_rounding=3)
    for problem, _ in fig2:
        last, best = (
            solve(problem, solver, device=device).selection.value
            for solver in (once, often)
        )
        assert best >= last


@pytest.mark.parametrize("solver", [BeliefPropagation(), Auto()], ids=["bp", "auto"])
def test_decimal_costs_stay_within_the_budget(solver, device):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        problem = CoverageProblem.from_matrix(
            rng.random((60, 90)) < 0.1,
            costs=rng.choice([0.1, 0.2, 0.25, 0.3, 0.7], 60),
            weights=rng.integers(1, 10, 90),
            budget=rng.choice([1.1, 2.3, 3.0]),
        )
        selection = solve(problem, solver, device=device).selection
        assert math.fsum(problem.costs[selection.items]) <= problem.budget
        assert selection.value > 0


def test_ten_items_at_a_tenth_fit_into_one(device):
    problem = CoverageProblem.from_matrix(np.eye(20), costs=np.full(20, 0.1), budget=1)
    result = solve(problem, BeliefPropagation(), device=device)
    assert result.selection.value == 10.0


@for_each(("num_items", "num_elements"), [(0, 0), (0, 3), (3, 0)])
def test_problems_with_nothing_in_them_are_solved(num_items, num_elements, device):
    problem = CoverageProblem.from_edges(
        [], costs=np.ones(num_items), weights=np.ones(num_elements), budget=2
    )
    for solver in (BeliefPropagation(), Auto()):
        result = solve(problem, solver, device=device)
        assert (result.selection.value, result.upper_bound) == (0.0, 0.0)


@pytest.mark.gpu
def test_three_hundred_thousand_items_get_a_small_gap(gpu):
    graph = BiregularGraph(
        num_items=300_000, num_elements=900_000, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=300_000, seed=0)
    result = solve(problem, device=gpu)
    assert result.selection.is_feasible
    assert result.selection.value <= result.upper_bound
    assert result.gap < 0.002
