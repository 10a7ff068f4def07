"""Single messages: schedules, initial conditions and traces."""

import itertools

import numpy as np
import pytest
import reference
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from problems import moderate_problem, problems, random_problem, random_tree
from refusals import refused

from thatch import CoverageProblem, PricedProblem, propagate
from thatch.errors import InputError, InputTypeError
from thatch.problem.instances import toy
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.belief_propagation import MessagePassing
from thatch.solvers.belief_propagation.messages import SequentialMessages

SCHEDULES = ("parallel", "random-sequential")
BIREGULAR = BiregularGraph(
    num_items=200, num_elements=600, item_degree=9, element_degree=3
).problem(budget=200, seed=1)


def random_messages(problem, seed):
    rng = np.random.default_rng(seed)
    degrees = problem.edges.element_degrees
    return rng.random(problem.num_edges) * np.repeat(problem.weights, degrees)


def assert_equal(one, other):
    for name in type(one).__dataclass_fields__:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)


@for_each("beta", [None, 0.05, 3.0, 1e6, np.inf])
@for_each("mu", [None, 0.3])
@for_each("damping", [0.0, 0.3, 0.5])
def test_parallel_updates_are_those_of_propagate_to_the_last_bit(beta, mu, damping):
    for problem in (random_problem(3), moderate_problem(0), BIREGULAR):
        priced = PricedProblem(problem, beta=beta, mu=mu)
        (beliefs,) = propagate([priced], damping=damping, max_iterations=25)
        passing = MessagePassing(priced, damping=damping)
        assert_equal(passing.run(25, tolerance=0), beliefs)
        assert passing.price == beliefs.price
        assert passing.largest_change == beliefs.largest_change


@for_each("beta", [0.3, 3.0, 200.0, np.inf])
@for_each("seed", range(4))
def test_parallel_messages_follow_the_equations_edge_by_edge(seed, beta):
    problem = moderate_problem(seed)
    start = random_messages(problem, seed)
    passing = MessagePassing(
        PricedProblem(problem, beta=beta, mu=0.7), initial=start, damping=0.3
    )
    passing.run(12, tolerance=0)
    h_hat, changes = reference.messages(
        problem,
        beta,
        0.7,
        damping=0.3,
        iterations=12,
        start=reference.by_edge(problem, start),
    )
    expected = np.array(list(h_hat.values()))
    np.testing.assert_allclose(passing.element_messages, expected, atol=1e-9)
    assert passing.largest_change == pytest.approx(changes[-1], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize("beta", [0.3, 1e4, np.inf])
def test_item_messages_follow_equation_bp1(schedule, beta):
    problem = moderate_problem(5)
    priced = PricedProblem(problem, beta=beta, mu=0.7)
    passing = MessagePassing(priced, schedule=schedule, initial="random", seed=2)
    for _ in range(3):
        h_i = reference.item_fields(
            problem, reference.by_edge(problem, passing.element_messages), 0.7
        )
        expected = h_i[passing.edge_items] - passing.element_messages
        np.testing.assert_allclose(passing.item_messages, expected, atol=1e-9)
        np.testing.assert_allclose(passing.beliefs.item_fields, h_i, atol=1e-9)
        passing.step()


@for_each("beta", [0.3, 3.0, 200.0, np.inf])
@for_each("damping", [0.0, 0.4])
@for_each("seed", range(4))
def test_a_sweep_updates_elements_in_the_given_order(seed, damping, beta):
    problem = moderate_problem(seed)
    rng = np.random.default_rng(seed)
    start = random_messages(problem, seed)
    messages = SequentialMessages(PricedProblem(problem, beta=beta, mu=0.7))
    messages.start_from(start)
    h_hat = reference.by_edge(problem, start)
    for _ in range(5):
        order = rng.permutation(problem.num_elements)
        messages.sweep(order, damping)
        h_hat = reference.sweep(problem, beta, 0.7, h_hat, order, damping=damping)
        np.testing.assert_allclose(
            messages.element_messages(), list(h_hat.values()), atol=1e-9
        )


def test_random_sequential_orders_are_all_orders():
    problem = CoverageProblem.from_sets(
        [{0, 1}, {1, 2}, {2, 0}], weights=[1.0, 2.0, 3.0], budget=2
    )
    start = reference.by_edge(problem, np.zeros(6))
    outcomes = {
        order: list(reference.sweep(problem, 1.0, 0.6, start, order).values())
        for order in itertools.permutations(range(3))
    }
    found = set()
    for seed in range(60):
        passing = MessagePassing(
            PricedProblem(problem, beta=1.0, mu=0.6),
            schedule="random-sequential",
            seed=seed,
        )
        passing.step()
        found |= {
            order
            for order, expected in outcomes.items()
            if np.allclose(passing.element_messages, expected, atol=1e-12)
        }
    assert found == set(outcomes)


def test_schedules_agree_at_a_fixed_point():
    priced = PricedProblem(BIREGULAR, beta=0.3, mu=5.0)
    parallel = MessagePassing(priced, initial="random")
    parallel.run(500, tolerance=1e-13)
    assert parallel.has_converged
    sequential = MessagePassing(
        priced, schedule="random-sequential", initial=parallel.element_messages
    )
    sequential.step()
    assert sequential.largest_change < 1e-10
    np.testing.assert_allclose(
        sequential.element_messages, parallel.element_messages, atol=1e-10
    )


def test_an_undamped_sweep_goes_further_than_a_parallel_update():
    # Along a path, a sweep in the right order carries a message from end to end.
    priced = PricedProblem(toy.path(60).problem, beta=3.0, mu=1.0)
    iterations = {}
    for schedule in SCHEDULES:
        passing = MessagePassing(priced, schedule=schedule, damping=0.0)
        passing.run(1000, tolerance=1e-12)
        assert passing.has_converged
        iterations[schedule] = passing.num_iterations
    assert iterations["random-sequential"] < iterations["parallel"]


@pytest.mark.parametrize("mu", [1.0, 5.0])
def test_only_parallel_updates_need_damping(mu):
    """Two of the ten graphs of the table in docs/concepts/messages.md."""
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    for seed in range(2):
        problem = graph.problem(budget=100, seed=seed)
        iterations = {}
        for schedule, damping in itertools.product(SCHEDULES, (0.0, 0.5)):
            priced = PricedProblem(problem, beta=0.3, mu=mu)
            passing = MessagePassing(priced, schedule=schedule, damping=damping)
            passing.run(300)
            assert passing.has_converged != ((schedule, damping) == ("parallel", 0.0))
            iterations[schedule, damping] = passing.num_iterations
        assert min(iterations, key=iterations.get) == ("random-sequential", 0.0)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_an_adapted_price_spends_the_budget(schedule):
    passing = MessagePassing(PricedProblem(BIREGULAR, beta=0.5), schedule=schedule)
    beliefs = passing.run(300)
    assert beliefs.expected_cost == pytest.approx(BIREGULAR.budget, rel=1e-3)
    assert passing.price == beliefs.price != PricedProblem(BIREGULAR).first_price


def test_the_same_seed_gives_the_same_sweeps():
    def after_three_sweeps(seed):
        priced = PricedProblem(BIREGULAR, beta=3.0, mu=2.0)
        passing = MessagePassing(priced, schedule="random-sequential", seed=seed)
        passing.run(3)
        return passing.element_messages

    np.testing.assert_array_equal(after_three_sweeps(1), after_three_sweeps(1))
    assert not np.array_equal(after_three_sweeps(1), after_three_sweeps(2))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_the_largest_change_is_that_of_the_messages(schedule):
    priced = PricedProblem(moderate_problem(2), beta=2.0, mu=0.5)
    passing = MessagePassing(priced, schedule=schedule, damping=0.2)
    for _ in range(4):
        before = passing.element_messages
        passing.step()
        change = np.abs(passing.element_messages - before).max()
        assert passing.largest_change == pytest.approx(change, rel=1e-6)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_a_trace_has_the_messages_after_every_iteration(schedule):
    edges = [3, 0, 3]
    passing = MessagePassing(
        PricedProblem(moderate_problem(2)), schedule=schedule, traced_edges=edges
    )
    assert passing.element_trace.shape == passing.item_trace.shape == (0, 3)
    rows = []
    for _ in range(4):
        passing.step()
        rows.append((passing.element_messages[edges], passing.item_messages[edges]))
    h_hat, h = np.array(rows).swapaxes(0, 1)
    np.testing.assert_array_equal(passing.element_trace, h_hat)
    np.testing.assert_array_equal(passing.item_trace, h)


def test_nothing_is_traced_unless_asked_for():
    passing = MessagePassing(PricedProblem(moderate_problem(2)))
    passing.run(3, tolerance=0)
    assert passing.element_trace.shape == passing.item_trace.shape == (3, 0)


def test_a_run_continues_and_stops_at_its_tolerance():
    passing = MessagePassing(PricedProblem(random_tree(1), beta=1.0, mu=0.5))
    passing.run(2)
    assert passing.num_iterations == 2
    passing.run(500, tolerance=1e-3)
    at_first = passing.num_iterations
    assert passing.has_converged and passing.largest_change <= 1e-3
    passing.run(500, tolerance=1e-9)
    assert at_first < passing.num_iterations < 500
    passing.run(0, tolerance=0)
    assert not passing.has_converged


def test_edges_are_those_of_the_problem():
    passing = MessagePassing(PricedProblem(BIREGULAR))
    for e in (0, 17, 1799):
        i, a = int(passing.edge_items[e]), int(passing.edge_elements[e])
        assert a in BIREGULAR.edges.elements_of(i)
    assert (np.diff(passing.edge_elements) >= 0).all()
    with pytest.raises(ValueError, match="read-only"):
        passing.edge_elements[0] = 1


@given(
    problems(),
    st.sampled_from([None, 0.1, 2.0, 1e6, np.inf]),
    st.sampled_from([None, 0.0, 0.4, 1e6]),
    st.sampled_from(SCHEDULES),
    st.sampled_from(["zero", "random"]),
)
def test_messages_are_finite_and_within_their_range(problem, beta, mu, schedule, start):
    priced = PricedProblem(problem, beta=beta, mu=mu)
    passing = MessagePassing(priced, schedule=schedule, initial=start)
    beliefs = passing.run(5)
    h_hat, h = passing.element_messages, passing.item_messages
    assert h_hat.shape == h.shape == passing.edge_items.shape == (problem.num_edges,)
    assert np.isfinite(h_hat).all() and np.isfinite(h).all()
    most = problem.weights[passing.edge_elements] + np.log(2.0) / priced.scale
    assert (h_hat >= 0).all() and (h_hat <= most * (1 + 1e-9)).all()
    assert not np.isnan(beliefs.item_marginals).any()


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_problems_without_edges_have_no_messages(schedule):
    for sets in ([], [set()]):
        problem = CoverageProblem.from_sets(sets, weights=[1.0], budget=1)
        passing = MessagePassing(PricedProblem(problem), schedule=schedule)
        passing.run()
        assert passing.element_messages.size == passing.item_messages.size == 0
        assert passing.has_converged


PRICED = PricedProblem(toy.path(2).problem)


@pytest.mark.parametrize(
    ("settings", "kind", "facts"),
    [
        ({"schedule": "serial"}, InputError, ("schedule", "serial")),
        ({"initial": "ones"}, InputError, ("initial", "ones")),
        ({"initial": [1.0, 2.0]}, InputError, ("initial", 2, 4)),
        ({"initial": [0, 0, np.nan, 0]}, InputError, ("initial[2]", "nan")),
        ({"initial": [0, 0, 0, np.inf]}, InputError, ("initial[3]", "inf")),
        ({"initial": [[0, 0], [0, 0]]}, InputError, ("initial", 2)),
        ({"initial": [0, 0, "x", 0]}, InputTypeError, ("initial[2]", "x")),
        ({"initial": None}, InputError, ("initial",)),
        ({"seed": -1}, InputError, ("seed", -1)),
        ({"seed": "a"}, InputTypeError, ("seed", "a")),
        ({"damping": 1.0}, InputError, ("damping", 1.0)),
        ({"num_threads": 0}, InputError, ("num_threads", 0)),
        ({"traced_edges": [0, 4]}, InputError, ("traced_edges[1]", 4)),
        ({"traced_edges": [-1]}, InputError, ("traced_edges[0]", -1)),
        ({"traced_edges": [0.5]}, InputTypeError, ("traced_edges", 0.5)),
        ({"traced_edges": [[0], [1, 2]]}, InputTypeError, ("traced_edges",)),
        ({"traced_edges": [True, False]}, InputTypeError, ("traced_edges", True)),
        ({"traced_edges": 1}, InputTypeError, ("traced_edges", 1)),
    ],
)
def test_invalid_settings_are_refused(settings, kind, facts):
    with refused(kind, *facts):
        MessagePassing(PRICED, **settings)


def test_a_problem_without_its_price_is_refused():
    with refused(InputTypeError, "PricedProblem"):
        MessagePassing(PRICED.problem)


def test_invalid_limits_of_a_run_are_refused():
    passing = MessagePassing(PRICED)
    with refused(InputError, "max_iterations", -1):
        passing.run(-1)
    for tolerance in (-1e-9, np.nan, np.inf):
        with refused(InputError, "tolerance", tolerance):
            passing.run(tolerance=tolerance)
