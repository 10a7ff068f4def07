"""Marginals, fields and thermodynamics against enumeration and closed forms."""

import numpy as np
import pytest
import reference
from cases import for_each
from problems import random_problem, random_tree
from refusals import refused

from thatch import CoverageProblem, InputError, PricedProblem, Run, propagate


def priced_at(problem, beta, mu):
    return PricedProblem(problem, inverse_temperature=beta, price=mu)


def propagate_on(device, priced_problems, **settings):
    return propagate(
        priced_problems, precision="double", run=Run(device=device), **settings
    )


def beliefs_of(problem, beta, mu, *, device, **settings):
    (beliefs,) = propagate_on(device, [priced_at(problem, beta, mu)], **settings)
    return beliefs


@for_each("beta", [0.1, 1.0, 3.0, 10.0, 25.0, 50.0])
@for_each("seed", range(10))
def test_marginals_on_trees_are_exact(seed, beta, device):
    problem = random_tree(seed)
    for mu in (0.0, 0.5, 2.0):
        beliefs = beliefs_of(problem, beta, mu, device=device)
        exact = reference.Enumeration(problem, beta, mu)
        assert np.abs(beliefs.item_marginals - exact.item_marginals).max() < 1e-10
        assert np.abs(beliefs.element_marginals - exact.element_marginals).max() < 1e-10
        assert beliefs.free_energy == pytest.approx(
            exact.free_energy, rel=1e-10, abs=1e-10
        )
        assert beliefs.entropy == pytest.approx(exact.entropy, abs=1e-8)


@for_each("seed", range(8))
def test_fields_follow_equations_bp3_and_bp4(seed, device):
    problem = random_problem(seed, max_items=8, max_elements=10)
    beta = 4.0 / (problem.weights.mean() + 1e-9)
    beliefs = beliefs_of(problem, beta, 0.3, device=device, max_iterations=20)
    h_hat, changes = reference.messages(problem, beta, 0.3, iterations=20)
    scale = problem.weights.max() + 1e-9
    for fields, expected in (
        (beliefs.item_fields, reference.item_fields(problem, h_hat, 0.3)),
        (beliefs.element_fields, reference.element_fields(problem, h_hat, beta, 0.3)),
    ):
        np.testing.assert_allclose(fields, expected, rtol=1e-9, atol=1e-10 * scale)
    assert beliefs.largest_change == pytest.approx(
        changes[-1], rel=1e-6, abs=1e-12 * scale
    )


@for_each("scaled_weight", [1.0, 300.0, 400.0, 1e4, 1e6])
@for_each("mu", [-1e6, -1.0, 0.0, 0.3, 0.8, 40.0, 1e6])
def test_extreme_temperatures_and_prices_are_finite_and_exact_on_trees(
    scaled_weight, mu, device
):
    for seed in range(4):
        problem = random_tree(seed, max_items=8)
        beta = scaled_weight / problem.weights.max()
        beliefs = beliefs_of(problem, beta, mu, device=device)
        exact = reference.Enumeration(problem, beta, mu)
        np.testing.assert_allclose(
            beliefs.item_marginals, exact.item_marginals, atol=1e-8
        )
        np.testing.assert_allclose(
            beliefs.element_marginals, exact.element_marginals, atol=1e-8
        )
        for numbers in (beliefs.item_fields, beliefs.element_fields):
            assert np.isfinite(numbers).all()
        assert beliefs.free_energy == pytest.approx(
            exact.free_energy, rel=1e-9, abs=1e-9
        )
        assert np.isfinite(beliefs.entropy)


@pytest.mark.parametrize("beta", [0.01, 1.0, 1e6])
def test_an_item_with_a_hundred_thousand_elements_has_its_exact_marginal(beta, device):
    size = 100_000
    problem = CoverageProblem.from_edges(
        [(0, a) for a in range(size)], costs=[1.0], weights=np.full(size, 1.0), budget=1
    )
    gain = size * np.logaddexp(0.0, beta) / beta
    for mu, expected in ((gain - 1.0 / beta, 1 / (1 + np.exp(-1))), (0.5 * gain, 1.0)):
        beliefs = beliefs_of(problem, beta, mu, device=device, max_iterations=60)
        # The field is the small difference of two numbers of the size of the gain.
        assert beliefs.item_marginals[0] == pytest.approx(
            expected, abs=1e-15 * beta * gain + 1e-9
        )


@pytest.mark.parametrize("beta", [0.1, 1.0, 300.0, 1e6])
def test_an_element_with_a_hundred_thousand_items_has_its_exact_marginal(beta, device):
    size = 100_000
    problem = CoverageProblem.from_edges(
        [(i, 0) for i in range(size)], costs=np.ones(size), weights=[1.0], budget=1
    )
    for mu in (0.1, 1.0, 20.0):
        log_z1 = -beta * mu
        log_none = -size * np.logaddexp(0.0, log_z1)
        log_some = (
            np.log(size) + log_z1 if log_none == 0 else np.log(-np.expm1(log_none))
        )
        log_weight = np.logaddexp(0.0, beta)
        # P(x_i = 1) = z (1 + z)^(n - 1) (1 + e^beta) / Z over (1 + z)^n
        log_in = log_z1 - np.logaddexp(0.0, log_z1) + log_weight
        log_all = np.logaddexp(log_none, log_some + log_weight)
        expected = np.exp(log_in - log_all)
        marginals = beliefs_of(
            problem, beta, mu, device=device, max_iterations=60
        ).item_marginals
        np.testing.assert_allclose(marginals, expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(
    ("beta", "mu"), [(None, -1e200), (None, 1e200), (1e-308, 1.0), (1e-300, 1e300)]
)
def test_extreme_parts_disturb_neither_the_log_nor_their_neighbours(beta, mu, device):
    problem = CoverageProblem.from_sets([{"a"}], costs=[1e200], budget=1)
    ordinary = priced_at(random_tree(3), 1.0, 0.5)
    run = Run(device=device)
    _, beliefs = propagate([priced_at(problem, beta, mu), ordinary], run=run)
    (alone,) = propagate([ordinary], run=run)
    np.testing.assert_array_equal(beliefs.item_marginals, alone.item_marginals)
    assert beliefs.entropy == alone.entropy


def test_elements_nobody_covers_are_never_claimed_and_idle_items_follow_their_price(
    device,
):
    problem = CoverageProblem.from_edges(
        [(0, 0)], costs=[1.0, 2.0, 0.0], weights=[1.0, 9.0], budget=0
    )
    beliefs = beliefs_of(problem, 2.0, 0.5, device=device)
    assert beliefs.element_marginals[1] == 0.0
    np.testing.assert_allclose(beliefs.item_marginals[1:], [1 / (1 + np.exp(2.0)), 0.5])
    assert np.isfinite(beliefs.element_fields).all()


def test_a_batch_gives_every_part_what_it_gets_alone():
    priced_problems = [
        priced_at(random_problem(seed), beta, mu)
        for seed in range(5)
        for beta, mu in ((0.5, 0.0), (2.0, 0.7), (3.0, -1.0))
    ]
    together = propagate(priced_problems)
    for priced, beliefs in zip(priced_problems, together, strict=True):
        (alone,) = propagate([priced])
        np.testing.assert_array_equal(beliefs.item_fields, alone.item_fields)
        np.testing.assert_array_equal(
            beliefs.element_marginals, alone.element_marginals
        )
        assert beliefs.free_energy == pytest.approx(alone.free_energy, rel=1e-12)
        assert beliefs.largest_change == alone.largest_change


def test_a_batch_with_extreme_parts_still_agrees(device):
    problem = random_problem(1)
    mild, extreme = priced_at(problem, 1.0, 0.5), priced_at(problem, 1e6, 0.5)
    (alone,) = propagate_on(device, [mild])
    cold = priced_at(problem, np.inf, 0.5)
    _, together, _ = propagate_on(device, [cold, mild, extreme])
    np.testing.assert_allclose(
        together.item_marginals, alone.item_marginals, atol=1e-10
    )


def test_unweighted_coverage_is_the_case_of_unit_costs_and_weights(device):
    matrix = np.eye(4) + np.eye(4, k=1)
    plain = CoverageProblem.from_matrix(matrix, budget=2)
    explicit = CoverageProblem.from_matrix(
        matrix, budget=2, costs=np.ones(4), weights=np.ones(4)
    )
    one, two = (
        beliefs_of(p, 2.0, 0.5, device=device).item_fields for p in (plain, explicit)
    )
    np.testing.assert_array_equal(one, two)


def test_problems_without_items_elements_or_edges_have_beliefs(device):
    for num_items, num_elements in ((0, 0), (0, 2), (2, 0)):
        problem = CoverageProblem.from_edges(
            [], costs=np.ones(num_items), weights=np.ones(num_elements), budget=1
        )
        priced_problems = [
            priced_at(problem, 1.0, 1.0),
            priced_at(random_problem(2), 1.0, 1.0),
        ]
        first, second = propagate_on(device, priced_problems)
        (alone,) = propagate_on(device, priced_problems[1:])
        assert first.item_marginals.size == num_items
        np.testing.assert_allclose(second.item_marginals, alone.item_marginals)


@pytest.mark.parametrize(
    ("beta", "mu", "facts"),
    [
        (0.0, 1.0, ("inverse_temperature", 0.0)),
        (float("nan"), 1.0, ("inverse_temperature", "nan")),
        (float("-inf"), 1.0, ("inverse_temperature", "-inf")),
        (1.0, float("inf"), ("price", "inf")),
    ],
)
def test_impossible_temperatures_and_prices_are_refused(beta, mu, facts):
    with refused(InputError, *facts):
        priced_at(random_problem(0), beta, mu)
