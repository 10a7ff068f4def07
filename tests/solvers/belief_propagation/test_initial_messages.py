"""Initial messages: zero, random, and given."""

import numpy as np
import pytest
import reference
from cases import for_each
from problems import moderate_problem, random_tree

from thatch import PricedProblem
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.belief_propagation import MessagePassing

SCHEDULES = ("parallel", "random-sequential")
BIREGULAR = BiregularGraph(
    num_items=200, num_elements=600, item_degree=9, element_degree=3
).problem(budget=200, seed=1)


def random_messages(problem, seed):
    rng = np.random.default_rng(seed)
    degrees = problem.edges.element_degrees
    return rng.random(problem.num_edges) * np.repeat(problem.weights, degrees)


@for_each("schedule", SCHEDULES)
@for_each("beta", [0.3, 3.0, 300.0])
@for_each("seed", range(10))
def test_every_start_leads_to_the_exact_marginals_of_a_tree(seed, beta, schedule):
    problem = random_tree(seed, max_items=10)
    exact = reference.Enumeration(problem, beta, 0.5)
    priced = PricedProblem(problem, beta=beta, mu=0.5)
    for initial in ("zero", "random", random_messages(problem, 7)):
        passing = MessagePassing(priced, schedule=schedule, initial=initial, seed=seed)
        beliefs = passing.run(300, tolerance=1e-12)
        assert passing.has_converged
        for name in ("item_marginals", "element_marginals"):
            np.testing.assert_allclose(
                getattr(beliefs, name), getattr(exact, name), atol=1e-9
            )
        assert beliefs.free_energy == pytest.approx(exact.free_energy, abs=1e-8)
        assert beliefs.entropy == pytest.approx(exact.entropy, abs=1e-6)


@for_each("schedule", SCHEDULES)
@for_each("seed", range(10))
def test_max_sum_finds_the_ground_state_of_a_tree_from_every_start(seed, schedule):
    problem = random_tree(seed, max_items=10)
    priced = PricedProblem(problem, beta=np.inf, mu=0.5)
    expected = reference.GroundState(problem, 0.5).item_fields
    for initial in ("zero", "random"):
        passing = MessagePassing(priced, schedule=schedule, initial=initial, seed=seed)
        beliefs = passing.run(200, tolerance=1e-12)
        np.testing.assert_allclose(beliefs.item_fields, expected, atol=1e-9)


def test_messages_start_at_zero():
    passing = MessagePassing(PricedProblem(BIREGULAR, mu=2.0))
    assert not passing.element_messages.any()
    assert not np.signbit(passing.element_messages).any()
    np.testing.assert_allclose(
        passing.item_messages, -2.0 * BIREGULAR.costs[passing.edge_items]
    )
    assert passing.largest_change == np.inf
    assert not passing.has_converged
    assert passing.num_iterations == 0


@pytest.mark.parametrize("beta", [0.1, 3.0, 1e5, np.inf])
def test_random_messages_are_uniform_in_the_range_of_replies(beta):
    priced = PricedProblem(BIREGULAR, beta=beta, mu=2.0)
    weights = BIREGULAR.weights
    most = weights if beta == np.inf else np.logaddexp(0, beta * weights) / beta
    passing = MessagePassing(priced, initial="random", seed=4)
    shares = passing.element_messages / most[passing.edge_elements]
    assert (shares >= 0).all() and (shares <= 1 + 1e-12).all()
    # 1800 uniform numbers: five standard errors.
    assert np.mean(shares) == pytest.approx(0.5, abs=5 * np.sqrt(1 / 12 / 1800))
    assert np.var(shares) == pytest.approx(1 / 12, rel=0.1)


def test_the_seed_decides_the_random_start_whatever_the_schedule():
    priced = PricedProblem(BIREGULAR, mu=2.0)
    one, same = (
        MessagePassing(priced, initial="random", seed=4, schedule=schedule)
        for schedule in SCHEDULES
    )
    np.testing.assert_allclose(one.element_messages, same.element_messages, rtol=1e-9)
    other = MessagePassing(priced, initial="random", seed=5)
    assert not np.allclose(one.element_messages, other.element_messages)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("beta", [0.5, np.inf])
def test_given_messages_may_lie_outside_the_range_of_replies(schedule, beta):
    problem = moderate_problem(1)
    start = np.linspace(-5.0, 5000.0, problem.num_edges)
    passing = MessagePassing(
        PricedProblem(problem, beta=beta, mu=0.7), schedule=schedule, initial=start
    )
    np.testing.assert_allclose(passing.element_messages, start, rtol=1e-15)
    if schedule == "parallel":
        h_hat, _ = reference.messages(
            problem, beta, 0.7, iterations=3, start=reference.by_edge(problem, start)
        )
        passing.run(3)
        np.testing.assert_allclose(
            passing.element_messages, list(h_hat.values()), rtol=1e-9, atol=1e-9
        )
