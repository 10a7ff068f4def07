"""Messages in single precision against enumeration, plain equations and doubles."""

import numpy as np
import pytest
import reference
from cases import for_each
from problems import random_problem, random_tree

from thatch import CoverageProblem, PricedProblem, Run, propagate
from thatch.problem.instances.random_graphs import BiregularGraph

TOLERANCE = 1e-4
HUB = 100_000


def beliefs_of(priced, *, device, precision="single", **settings):
    run = Run(device=device)
    (beliefs,) = propagate([priced], precision=precision, run=run, **settings)
    return beliefs


def priced_at(problem, beta, mu):
    return PricedProblem(problem, inverse_temperature=beta, price=mu)


def logistic(x):
    return np.exp(-np.logaddexp(0.0, -x))


def medium_problem(seed):
    graph = BiregularGraph(
        num_items=400, num_elements=1200, item_degree=9, element_degree=3
    )
    return graph.problem(budget=400, seed=seed)


@for_each("beta", [0.1, 1.0, 3.0, 10.0])
@for_each("seed", range(10))
def test_marginals_on_trees_are_exact_to_four_digits(seed, beta, device):
    problem = random_tree(seed, max_items=12)
    for mu in (0.0, 0.5, 2.0):
        beliefs = beliefs_of(priced_at(problem, beta, mu), device=device)
        exact = reference.Enumeration(problem, beta, mu)
        for name in ("item_marginals", "element_marginals"):
            off = np.abs(getattr(beliefs, name) - getattr(exact, name))
            assert off.max() < TOLERANCE
        assert beliefs.free_energy == pytest.approx(
            exact.free_energy, rel=TOLERANCE, abs=TOLERANCE
        )


@for_each("seed", range(8))
def test_marginals_on_graphs_with_loops_follow_the_plain_equations(seed, device):
    problem = random_problem(seed, max_items=8, max_elements=10)
    beta = 2.0 / (problem.weights.max() + 1e-9)
    mu = 0.3 * problem.weights.max() / (problem.costs.max() + 1e-9)
    priced = priced_at(problem, beta, mu)
    beliefs = beliefs_of(priced, device=device, max_iterations=30)
    h_hat, _ = reference.messages(problem, beta, mu, iterations=30)
    expected = logistic(beta * reference.item_fields(problem, h_hat, mu))
    np.testing.assert_allclose(beliefs.item_marginals, expected, atol=TOLERANCE)


@pytest.mark.parametrize("price", [6.0, 10.0, None])
def test_singles_agree_with_doubles_where_messages_settle(price, device):
    priced = priced_at(medium_problem(3), 0.5, price)
    single, double = (
        beliefs_of(priced, device=device, precision=precision)
        for precision in ("single", "double")
    )
    assert double.largest_change < 1e-3
    for name in ("item_marginals", "element_marginals"):
        one, other = getattr(single, name), getattr(double, name)
        np.testing.assert_allclose(one, other, atol=TOLERANCE)
        assert not np.array_equal(one, other)
    assert single.price == pytest.approx(double.price, rel=TOLERANCE)


@pytest.mark.parametrize("scaled_weight", [1.0, 20.0, 41.0, 79.0, 81.0, 120.0, 1e3])
def test_any_scaled_weight_agrees_with_enumeration(scaled_weight, device):
    for seed in range(4):
        problem = random_tree(seed, max_items=8)
        beta = scaled_weight / problem.weights.max()
        for mu in (0.3, 0.8, 40.0):
            beliefs = beliefs_of(priced_at(problem, beta, mu), device=device)
            exact = reference.Enumeration(problem, beta, mu)
            np.testing.assert_allclose(
                beliefs.item_marginals, exact.item_marginals, atol=TOLERANCE
            )


@pytest.mark.parametrize("scaled_weight", [81.0, 200.0, 1e4])
def test_weights_too_large_for_singles_are_passed_in_doubles(scaled_weight, device):
    problem = medium_problem(4)
    priced = priced_at(problem, scaled_weight / problem.weights.max(), 8.0)
    single, double = (
        beliefs_of(priced, device=device, precision=precision, max_iterations=20)
        for precision in ("single", "double")
    )
    np.testing.assert_array_equal(single.item_fields, double.item_fields)
    np.testing.assert_array_equal(single.element_fields, double.element_fields)


def test_singles_and_what_is_too_large_for_them_share_a_batch(device):
    problem = medium_problem(5)
    betas = (0.5, 50.0, 1.0, np.inf, 500.0, 0.7)
    priced_problems = [priced_at(problem, beta, 8.0) for beta in betas]
    run = Run(device=device)
    together = propagate(
        priced_problems, precision="single", max_iterations=20, run=run
    )
    for priced, beliefs in zip(priced_problems, together, strict=True):
        alone = beliefs_of(priced, device=device, max_iterations=20)
        assert beliefs.inverse_temperature == priced.inverse_temperature
        np.testing.assert_allclose(
            beliefs.item_marginals, alone.item_marginals, atol=1e-9
        )


@pytest.mark.parametrize("beta", [0.1, 1.0, 10.0])
def test_an_element_with_a_hundred_thousand_items_has_its_exact_marginals(beta, device):
    costs = np.random.default_rng(0).uniform(0.5, 2.0, HUB)
    problem = CoverageProblem.from_edges(
        [(i, 0) for i in range(HUB)], costs=costs, weights=[1.0], budget=1
    )
    for mu in (0.1, 1.0):
        log_none = -np.logaddexp(0.0, -beta * mu * costs).sum()
        claimed = 1.0 + np.exp(beta)
        total = np.exp(log_none) - np.expm1(log_none) * claimed
        expected = logistic(-beta * mu * costs) * claimed / total
        priced = priced_at(problem, beta, mu)
        beliefs = beliefs_of(priced, device=device, max_iterations=40)
        np.testing.assert_allclose(beliefs.item_marginals, expected, atol=TOLERANCE)


@pytest.mark.parametrize("beta", [0.01, 1.0, 5.0])
def test_an_item_with_a_hundred_thousand_elements_has_its_exact_marginal(beta, device):
    weights = np.random.default_rng(1).uniform(0.5, 2.0, HUB)
    problem = CoverageProblem.from_edges(
        [(0, a) for a in range(HUB)], costs=[1.0], weights=weights, budget=1
    )
    gain = np.logaddexp(0.0, beta * weights).sum() / beta
    for field in (-50.0, -1.0, 1.0, 50.0):
        priced = priced_at(problem, beta, gain - field / beta)
        beliefs = beliefs_of(priced, device=device, max_iterations=40)
        assert beliefs.item_marginals[0] == pytest.approx(
            logistic(field), abs=TOLERANCE
        )


@pytest.mark.parametrize("size", [900, 1_000, 1_100, 30_000])
def test_equal_edges_round_alike_and_still_do_not_add_up(size, device):
    hub = CoverageProblem.from_edges(
        [(0, a) for a in range(size)], costs=[1.0], weights=np.ones(size), budget=1
    )
    gain = size * np.logaddexp(0.0, 1.0)
    beliefs = beliefs_of(priced_at(hub, 1.0, gain), device=device, max_iterations=60)
    assert beliefs.item_marginals[0] == pytest.approx(0.5, abs=TOLERANCE)
