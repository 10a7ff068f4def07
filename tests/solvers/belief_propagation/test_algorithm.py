from dataclasses import replace

import numpy as np
import pytest
from problems import random_problem
from refusals import refused

from thatch import (
    BeliefPropagation,
    GeneralizedGreedy,
    InputError,
    PricedProblem,
    Status,
    propagate,
    solve,
)
from thatch.errors import InputTypeError
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.run.stopping import Converged
from thatch.solvers import StaticGreedy
from thatch.solvers.greedy import round_by_rank

ENSEMBLE = BiregularGraph(
    num_items=100, num_elements=300, item_degree=9, element_degree=3
)


def test_at_a_huge_price_the_order_is_the_static_one():
    problem = ENSEMBLE.problem(budget=100, seed=1)
    solver = BeliefPropagation.algorithm_2(inverse_temperature=30.0, price=1e4)
    bp, static = solve(problem, solver), solve(problem, StaticGreedy())
    np.testing.assert_array_equal(bp.selection.items, static.selection.items)


def test_the_adapted_price_spends_the_budget():
    for seed in range(5):
        problem = ENSEMBLE.problem(budget=100, seed=seed)
        result = solve(problem, BeliefPropagation())
        assert result.beliefs.expected_cost == pytest.approx(100, rel=0.05)
        assert 2 < result.beliefs.price < 8


def test_algorithm_2_is_one_ranking_of_the_plain_messages():
    problem = ENSEMBLE.problem(budget=100, seed=2)
    priced = PricedProblem(problem, inverse_temperature=3.0, price=4.75)
    (beliefs,) = propagate([priced])
    solver = BeliefPropagation.algorithm_2(inverse_temperature=3.0, price=4.75)
    result = solve(problem, solver)
    expected = round_by_rank(problem, beliefs.item_replies)
    np.testing.assert_array_equal(result.selection.items, expected.items)
    np.testing.assert_array_equal(result.beliefs.item_fields, beliefs.item_fields)


def test_more_fillings_and_refills_are_never_worse():
    for seed in range(5):
        problem = ENSEMBLE.problem(budget=100, seed=seed)
        once = BeliefPropagation(iterations_per_rounding=0, has_greedy_completion=False)
        often = replace(once, iterations_per_rounding=5)
        refilled = replace(often, has_greedy_completion=True)
        values = [solve(problem, s).selection.value for s in (once, often, refilled)]
        assert values == sorted(values)
        greedy = solve(problem, GeneralizedGreedy()).selection.value
        assert values[-1] >= greedy


def test_the_trace_tells_the_best_filling_so_far():
    problem = ENSEMBLE.problem(budget=100, seed=0)
    result = solve(problem, BeliefPropagation(iterations_per_rounding=10))
    values = [reading.value for reading in result.trace]
    assert np.isnan(values[:9]).all()
    assert values[9:] == sorted(values[9:])
    assert values[-1] <= result.selection.value


def test_settled_messages_are_reported_as_converged():
    problem = ENSEMBLE.problem(budget=100, seed=0)
    solver = BeliefPropagation.algorithm_2(inverse_temperature=3.0, price=8.0)
    result = solve(problem, solver)
    assert result.status is Status.CONVERGED
    assert result.iterations == 150
    assert result.trace[-1].largest_change < 1e-6 < result.trace[0].largest_change
    early = solve(problem, solver, stop=[Converged(1e-3)])
    assert early.iterations < 150
    assert early.status is Status.CONVERGED


@pytest.mark.parametrize("unit", [1.0, 1e-8, 1e8])
def test_unsettled_messages_are_reported_as_out_of_iterations(unit):
    problem = ENSEMBLE.problem(budget=100, seed=0)
    scaled = replace(problem, weights=problem.weights * unit)
    solver = BeliefPropagation(
        inverse_temperature=3.0 / unit, price=2.0 * unit, damping=0.0
    )
    assert solve(scaled, solver).status is Status.ITERATION_LIMIT


def test_the_last_reading_has_the_price_of_the_beliefs():
    result = solve(ENSEMBLE.problem(budget=100, seed=0), BeliefPropagation())
    assert result.trace[-1].price == result.beliefs.price


def test_only_prices_that_nobody_gave_are_adapted():
    problem = ENSEMBLE.problem(budget=100, seed=0)
    given, free = propagate(
        [PricedProblem(problem, price=20.0), PricedProblem(problem)]
    )
    assert given.price == 20.0
    assert free.price != PricedProblem(problem).first_price
    assert propagate([]) == []


def test_a_problem_without_a_price_is_refused():
    with refused(InputTypeError, "PricedProblem", "CoverageProblem"):
        propagate([ENSEMBLE.problem(budget=100, seed=0)])


def test_no_iterations_rank_by_price_alone():
    result = solve(random_problem(7), BeliefPropagation(price=1.0, max_iterations=0))
    assert result.beliefs.largest_change == np.inf
    assert result.selection.is_feasible


@pytest.mark.parametrize("every", [-1, 0.5])
def test_impossible_times_to_fill_are_refused(every):
    with refused(InputError, "iterations_per_rounding", every):
        BeliefPropagation(iterations_per_rounding=every)


@pytest.mark.parametrize("damping", [-0.1, 1.0, float("nan")])
def test_impossible_damping_is_refused(damping):
    with refused(InputError, "damping", damping):
        BeliefPropagation(damping=damping)


def test_negative_iterations_are_refused():
    with refused(InputError, "max_iterations", -1):
        BeliefPropagation(max_iterations=-1)


def test_thread_count_changes_no_bit_of_a_large_graph():
    """Large enough that more than one thread is really used."""
    graph = BiregularGraph(
        num_items=10_000, num_elements=30_000, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=10_000, seed=0)
    solver = BeliefPropagation(max_iterations=30)
    one, *others = (solve(problem, solver, num_threads=n) for n in (1, 2, 3, 4))
    for other in others:
        np.testing.assert_array_equal(one.selection.items, other.selection.items)
        for name in ("item_fields", "element_fields", "item_marginals"):
            np.testing.assert_array_equal(
                getattr(one.beliefs, name), getattr(other.beliefs, name)
            )
        assert one.beliefs.free_energy == other.beliefs.free_energy
        changes = [
            [reading.largest_change for reading in result.trace]
            for result in (one, other)
        ]
        assert changes[0] == changes[1]
