"""Max-sum against the best of all sets, and against ever lower temperatures."""

import math
from dataclasses import replace

import numpy as np
import pytest
import reference
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem, random_tree

from thatch import (
    BeliefPropagation,
    CoverageProblem,
    PricedProblem,
    Run,
    propagate,
    solve,
)
from thatch.problem.instances.random_graphs import BiregularGraph


def beliefs_at(inverse_temperature, problem, price, *, device, **how):
    priced = PricedProblem(
        problem, inverse_temperature=inverse_temperature, price=price
    )
    (beliefs,) = propagate([priced], precision="double", run=Run(device=device), **how)
    return beliefs


def cold_beliefs(problem, price, **how):
    return beliefs_at(math.inf, problem, price, **how)


@given(seed=st.integers(0, 10_000), price=st.floats(0.05, 3.0))
def test_fields_on_trees_are_what_an_item_is_worth(device, seed, price):
    problem = random_tree(seed, max_items=10)
    beliefs = cold_beliefs(problem, price, device=device)
    exact = reference.GroundState(problem, price)
    np.testing.assert_allclose(beliefs.item_fields, exact.item_fields, atol=1e-9)
    assert beliefs.free_energy == pytest.approx(-exact.surplus, abs=1e-9)


@for_each("seed", range(20))
def test_marginals_on_trees_are_the_best_set(seed, device):
    problem = random_tree(seed)
    beliefs = cold_beliefs(problem, 0.7, device=device)
    best = reference.GroundState(problem, 0.7).items
    np.testing.assert_array_equal(np.flatnonzero(beliefs.item_marginals), best)
    covered = {a for i in best for a in problem.edges.elements_of(i).tolist()}
    assert set(np.flatnonzero(beliefs.element_marginals)) == covered
    assert beliefs.expected_cost == pytest.approx(problem.costs[best].sum())


@for_each("seed", range(12))
def test_all_that_is_read_is_the_limit_of_low_temperature(seed, device):
    problem = random_problem(seed, max_items=8, max_elements=10)
    scale = problem.weights.max() + 1e-9
    price = 0.3 * scale / (problem.costs.mean() + 1e-9)
    limit, low = (
        beliefs_at(beta, problem, price, device=device, max_iterations=6)
        for beta in (math.inf, 1e9 / scale)
    )
    unit = max(scale, price * problem.costs.max())
    for name in ("item_fields", "element_fields", "free_energy"):
        np.testing.assert_allclose(
            getattr(limit, name), getattr(low, name), rtol=1e-6, atol=1e-5 * unit
        )


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_the_unit_of_weight_does_not_matter(unit, device):
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=100, seed=0)
    scaled = replace(problem, weights=problem.weights * unit)
    one, other = (
        cold_beliefs(p, 8.0 * u, device=device)
        for p, u in ((problem, 1), (scaled, unit))
    )
    np.testing.assert_allclose(other.item_fields, one.item_fields * unit, rtol=1e-9)
    changes = other.largest_change, one.largest_change * unit
    assert changes[0] == pytest.approx(changes[1], abs=1e-6 * unit)


def test_two_equal_items_are_a_toss_up(device):
    problem = CoverageProblem.from_sets([{"a"}, {"a"}], budget=1)
    beliefs = cold_beliefs(problem, 1.0, device=device)
    np.testing.assert_array_equal(beliefs.item_marginals, [0.5, 0.5])
    assert math.isnan(beliefs.entropy)
    assert beliefs.inverse_temperature == math.inf


def test_the_adapted_price_comes_close_to_spending_the_budget(device):
    graph = BiregularGraph(
        num_items=1000, num_elements=3000, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=1000, seed=0)
    solver = BeliefPropagation(inverse_temperature=math.inf)
    result = solve(problem, solver, device=device)
    assert result.beliefs.expected_cost == pytest.approx(1000, rel=0.05)
