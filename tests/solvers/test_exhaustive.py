import math

import numpy as np
import pytest
from refusals import refused

from thatch import (
    CoverageProblem,
    Exact,
    GeneralizedGreedy,
    InputError,
    MaxIterations,
    Status,
    solve,
)
from thatch.problem.instances import toy
from thatch.problem.instances.random_graphs import ErdosRenyiGraph
from thatch.solvers import Exhaustive


def test_too_many_items_are_refused_with_the_way_out():
    problem = CoverageProblem.from_matrix(np.eye(31), budget=3)
    with refused(InputError, 30, 31) as caught:
        solve(problem, Exhaustive())
    assert "exact" in caught.value.hint


def test_twenty_four_items_agree_with_exact():
    graph = ErdosRenyiGraph(num_items=24, num_elements=40, probability=0.15)
    problem = graph.problem(budget=40, seed=3)
    assert (
        solve(problem, Exhaustive()).selection.value
        == solve(problem, Exact()).selection.value
    )


@pytest.mark.parametrize(
    "case", [toy.greedy_trap(), toy.cheap_crumb(), toy.path(9), toy.star(8)]
)
def test_toys_have_the_optimum_they_claim(case):
    assert solve(case.problem, Exhaustive()).selection.value == case.optimum


def test_an_item_that_costs_the_whole_budget_is_not_lost_to_rounding():
    """1 + 2^-53 + 1e-33 rounds up, though two doubles cannot hold the difference."""
    costs = [1.0, 2.0**-53, 1e-33]
    assert math.fsum(costs[:2]) == 1.0 < math.fsum(costs)
    problem = CoverageProblem.from_matrix(
        np.eye(3), costs=costs, weights=[100.0, 1.0, 1.0], budget=1.0
    )
    assert solve(problem, Exhaustive()).selection.value == 101.0
    assert solve(problem, GeneralizedGreedy()).selection.is_feasible


def test_a_long_walk_stops_when_it_must():
    graph = ErdosRenyiGraph(num_items=30, num_elements=200, probability=0.1)
    problem = graph.problem(budget=80, seed=0)
    result = solve(problem, Exhaustive(), stop=[MaxIterations(1)])
    assert result.status is Status.ITERATION_LIMIT
    assert result.iterations == 1
    assert result.selection.is_feasible


def test_a_negative_limit_is_refused():
    with refused(InputError, "max_items", -1):
        Exhaustive(max_items=-1)
