"""Population dynamics against enumeration, transfer matrices and single graphs."""

from itertools import product
from math import exp, log

import numpy as np
import pytest
from refusals import refused

from thatch.errors import InputError, InputTypeError
from thatch.paper.ensembles import Ensemble, Estimate, Population, ensemble_averages
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.problem.instances.randomness import Constant, EvenIntegers
from thatch.solvers.belief_propagation import PricedProblem, propagate

pytestmark = pytest.mark.slow

CONSTANT = {"costs": Constant(2.0), "weights": Constant(3.0)}


def settled(ensemble, *, beta, price, num_items=300, sweeps=200):
    population = Population(
        ensemble, inverse_temperature=beta, price=price, num_items=num_items
    )
    for _ in range(sweeps):
        population.sweep()
    return population


def star(beta, price, *, degree, cost=2.0, weight=3.0):
    """Sums over the states of one element whose items cover nothing else."""
    states = [
        (sum(items), claimed)
        for items in product((0, 1), repeat=degree)
        for claimed in (0, 1)
        if claimed <= sum(items)
    ]
    factors = [
        exp(beta * (weight * claimed - price * cost * chosen))
        for chosen, claimed in states
    ]
    total = sum(factors)
    probabilities = [factor / total for factor in factors]
    return {
        "log_partition": log(total),
        "entropy": -sum(p * log(p) for p in probabilities),
        "claimed_weight": weight
        * sum(p * y for p, (_, y) in zip(probabilities, states, strict=True)),
        "covered_weight": weight
        * sum(p * (n > 0) for p, (n, _) in zip(probabilities, states, strict=True)),
        "cost": cost
        * sum(p * n for p, (n, _) in zip(probabilities, states, strict=True)),
    }


@pytest.mark.parametrize("degree", [1, 2, 4])
@pytest.mark.parametrize(("beta", "price"), [(0.2, 0.5), (1.0, 1.0), (2.0, 0.1)])
def test_stars_agree_with_enumeration(degree, beta, price):
    ensemble = Ensemble(item_degrees=1, element_degrees=degree, **CONSTANT)
    found = settled(ensemble, beta=beta, price=price).measure()
    truth = star(beta, price, degree=degree)
    assert found.free_energy == pytest.approx(-truth["log_partition"] / beta / degree)
    for name in ("entropy", "claimed_weight", "covered_weight", "cost"):
        assert getattr(found, name) == pytest.approx(truth[name] / degree)


@pytest.mark.parametrize(("beta", "price"), [(0.2, 0.5), (1.0, 0.7), (2.0, 0.3)])
def test_rings_agree_with_the_transfer_matrix(beta, price):
    ensemble = Ensemble(item_degrees=2, element_degrees=2, **CONSTANT)
    found = settled(ensemble, beta=beta, price=price, sweeps=400).measure()
    covered = 1.0 + exp(3.0 * beta)
    chosen = exp(-beta * price * 2.0)
    # Between two items of the ring is an element; half of each item's factor per side.
    side = chosen**0.5
    matrix = np.array([[1.0, covered * side], [covered * side, covered * chosen]])
    largest = np.linalg.eigvalsh(matrix)[-1]
    assert found.free_energy == pytest.approx(-log(largest) / beta)


def test_agrees_with_belief_propagation_on_a_large_graph():
    even = EvenIntegers()
    graph = BiregularGraph(10_000, 30_000, 9, 3, costs=even, weights=even)
    problem = graph.problem(budget=10_000, seed=3)
    (beliefs,) = propagate([PricedProblem(problem, beta=0.3, mu=5.0)])
    found = ensemble_averages(
        Ensemble(costs=even, weights=even),
        inverse_temperature=0.3,
        price=5.0,
        num_sweeps=80,
    )
    claimed = problem.weights @ beliefs.element_marginals
    for estimate, value in (
        (found.claimed_weight, claimed),
        (found.cost, beliefs.expected_cost),
        (found.free_energy, beliefs.free_energy),
        (found.entropy, beliefs.entropy),
    ):
        # A graph of half the size has twice the variance of one of forty snapshots,
        # half of which count, since neighboring ones are correlated.
        error = estimate.error * np.sqrt(1 + 2 * 20)
        assert abs(value / 10_000 - estimate.mean) < 4 * error
        assert error < 0.01 * abs(estimate.mean)


def test_price_spends_the_budget():
    found = ensemble_averages(
        Ensemble(), inverse_temperature=0.5, budget=0.8, num_items=3000, num_sweeps=100
    )
    assert abs(found.cost.mean - 0.8) < 4 * found.cost.error + 0.01
    assert (found.beta, found.mu) == (0.5, found.price)


def test_symbols():
    settings = {"num_items": 200, "num_sweeps": 10}
    one = ensemble_averages(Ensemble(), inverse_temperature=0.5, price=5.0, **settings)
    two = ensemble_averages(Ensemble(), beta=0.5, mu=5.0, **settings)
    assert one.cost == two.cost
    assert (two.price, two.price_error) == (5.0, 0.0)


def test_perturbations_vanish_where_messages_are_at_their_limits():
    # No item is worth its price: every reply is the largest, whatever the others say.
    population = settled(Ensemble(), beta=50.0, price=500.0, num_items=50, sweeps=20)
    assert population.growth(8) == Estimate(0.0, 0.0)
    assert population.growth(8, is_uniform=True) == Estimate(0.0, 0.0)


# Equal costs and high degrees: a uniform perturbation grows by 6 to 7 per update.
UNIT_COSTS = Ensemble(20, 10, costs=Constant(1.0), weights=EvenIntegers())


@pytest.mark.parametrize("mu", [28.7, 60.0])
def test_populations_do_not_oscillate(mu):
    population = settled(UNIT_COSTS, beta=3.0, price=mu, num_items=500, sweeps=60)
    costs = np.array([population.sweep() for _ in range(20)])
    assert costs.std() < 0.2 * costs.mean()
    assert population.growth(10, is_uniform=True).mean > 4.0


def test_price_spends_the_budget_where_messages_oscillate():
    found = ensemble_averages(
        UNIT_COSTS, beta=1 / 5.5, budget=0.125, num_items=500, num_sweeps=60
    )
    assert found.cost.mean == pytest.approx(0.125, abs=4 * found.cost.error + 0.002)
    # A run with a tenth of the messages updated at a time gives 51.8.
    assert found.price == pytest.approx(51.8, abs=1.0)
    assert 0.0 < found.price_error < 1.0


@pytest.mark.parametrize(("degrees", "branches"), [((2, 2), 1), ((3, 4), 6)])
def test_growth_of_perturbations_on_equal_messages(degrees, branches):
    """All messages are equal: a derivative, and how many messages enter an update."""
    beta, price = 0.3, 1.0
    ensemble = Ensemble(*degrees, **CONSTANT)
    population = settled(ensemble, beta=beta, price=price, sweeps=300)
    reply = fixed_point(degrees, beta, price)
    step = 1e-6
    raised, lowered = (
        updated(reply + sign * step, degrees, beta, price) for sign in (1, -1)
    )
    derivative = abs(raised - lowered) / (2 * step)
    uniform = population.growth(40, is_uniform=True)
    assert uniform.mean == pytest.approx(derivative, rel=1e-3)
    # Signs differ, so that squares add up instead.
    expected = derivative / np.sqrt(branches)
    assert population.growth(40).mean == pytest.approx(expected, rel=0.05)


def updated(reply, degrees, beta, price):
    """The message -beta h_hat if all others are equal."""
    total = beta * price * 2.0 + (degrees[0] - 1) * reply
    out = 1.0 / (1.0 + exp(-total))
    claimed = 1.0 / (1.0 + exp(-3.0 * beta))
    return log(1.0 - claimed * out ** (degrees[1] - 1))


def fixed_point(degrees, beta, price):
    reply = 0.0
    for _ in range(2000):
        reply = 0.5 * reply + 0.5 * updated(reply, degrees, beta, price)
    return reply


def test_threads_change_nothing_and_seeds_do():
    def costs(seed, threads):
        population = Population(
            Ensemble(),
            inverse_temperature=1.0,
            price=5.0,
            num_items=6000,
            seed=seed,
            num_threads=threads,
        )
        return [population.sweep() for _ in range(4)]

    assert costs(1, 1) == costs(1, 2) != costs(2, 1)


def test_logarithms_at_low_temperature_agree_with_products():
    warm, cold = (
        ensemble_averages(
            Ensemble(),
            inverse_temperature=beta,
            price=9.0,
            num_items=2000,
            num_sweeps=40,
        )
        for beta in (15.0, 40.0)
    )
    error = np.hypot(warm.covered_weight.error, cold.covered_weight.error)
    assert abs(warm.covered_weight.mean - cold.covered_weight.mean) < 5 * error


def test_estimates_of_correlated_values():
    values = np.repeat(np.arange(10.0), 5)
    found = Estimate.of(values)
    assert found.mean == 4.5
    assert found.error == pytest.approx(np.std(np.arange(10), ddof=1) / np.sqrt(10))
    assert np.isnan(Estimate.of([1.0]).error)


def test_refusals():
    ensemble = Ensemble()
    with refused(InputError, "inverse_temperature", "inf"):
        Population(ensemble, inverse_temperature=np.inf, price=1.0)
    with refused(InputError, "price", "budget"):
        ensemble_averages(ensemble, inverse_temperature=1.0)
    with refused(InputError, "budget", "0"):
        ensemble_averages(ensemble, inverse_temperature=1.0, budget=0.0)
    with refused(InputError, "num_sweeps", "2"):
        ensemble_averages(ensemble, inverse_temperature=1.0, price=1.0, num_sweeps=2)
    with refused(InputError, "budget", "1000", "price 0"):
        ensemble_averages(ensemble, beta=1.0, budget=1000.0, num_items=200)
    with refused(InputTypeError, "inverse_temperature", "beta"):
        ensemble_averages(ensemble, beta=1.0, inverse_temperature=1.0, price=1.0)
    with refused(InputTypeError, "inverse_temperature", "not given"):
        Population(ensemble, price=1.0)
    with refused(InputTypeError, "ensemble", "9"):
        ensemble_averages(9, beta=1.0, price=1.0)
    with refused(InputTypeError, "costs", "5"):
        Ensemble(costs=5)
    with refused(InputError, "threads", "0"):
        ensemble_averages(ensemble, beta=1.0, price=1.0, num_threads=0)
    with refused(InputError, "num_sweeps", "0"):
        Population(ensemble, beta=1.0, mu=1.0, num_items=100).growth(0)
