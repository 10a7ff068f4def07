"""Decimal costs counted in whole steps."""

import math

import numpy as np
from cases import for_each

from thatch import CoverageProblem, Exact, Selection, Status, solve
from thatch.solvers import Exhaustive
from thatch.solvers.presolve import with_integer_costs


def decimal_problem(seed, *, decimals=1, num_items=9):
    """A small problem whose costs are multiples of a power of ten."""
    rng = np.random.default_rng(seed)
    steps = rng.integers(1, 30, num_items)
    return CoverageProblem.from_matrix(
        rng.random((num_items, 12)) < 0.3,
        costs=steps / 10.0**decimals,
        weights=rng.integers(1, 9, 12).astype(float),
        budget=float(steps[: num_items // 2].sum()) / 10.0**decimals,
    )


def test_costs_without_a_grid_have_none():
    problem = CoverageProblem.from_sets([{0}, {1}], costs=[1 / 3, 1.0], budget=1)
    assert with_integer_costs(problem) is None


def test_costs_too_large_to_count_have_none():
    problem = CoverageProblem.from_sets([{0}, {1}], costs=[0.1, 1e16], budget=1)
    assert with_integer_costs(problem) is None


@for_each("decimals", [1, 2, 5])
@for_each("seed", range(20))
def test_what_keeps_the_budget_keeps_the_grid_s_budget(seed, decimals):
    problem = decimal_problem(seed, decimals=decimals)
    counted = with_integer_costs(problem)
    rng = np.random.default_rng(seed)
    for _ in range(100):
        items = np.flatnonzero(rng.random(problem.num_items) < 0.5)
        if Selection.of(problem, items).is_feasible:
            assert Selection.of(counted, items).is_feasible


@for_each("seed", range(40))
def test_budgets_met_to_the_last_tenth_are_solved_and_proved(seed):
    problem = decimal_problem(seed)
    optimum = solve(problem, Exhaustive()).selection.value
    for solver in (None, Exact()):
        result = solve(problem, solver)
        assert result.selection.value == optimum
        assert result.status is Status.OPTIMAL


@for_each("seed", range(30))
def test_long_numbers_are_not_decimals_and_hide_nothing(seed):
    rng = np.random.default_rng(seed)
    costs = rng.uniform(600, 1000, 16)
    problem = CoverageProblem.from_matrix(
        np.eye(16),
        costs=costs,
        weights=np.array([5.0] * 3 + [4.0] * 13),
        budget=math.fsum(costs[:3]),
    )
    assert with_integer_costs(problem) is None
    optimum = solve(problem, Exhaustive()).selection.value
    for solver in (None, Exact()):
        result = solve(problem, solver)
        assert result.upper_bound >= optimum
        assert result.status is not Status.OPTIMAL or result.selection.value == optimum


def test_decimals_of_large_costs_hide_nothing():
    problem = CoverageProblem.from_sets(
        [{0, 1}, {1}], costs=[12345678.89999, 5.5], budget=12345678.89999
    )
    result = solve(problem, Exact(start=Selection.of(problem, [])))
    assert result.selection.value == 2.0
