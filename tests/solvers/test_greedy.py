import numpy as np
import pytest
from problems import random_problem
from refusals import refused

from thatch import (
    BeliefPropagation,
    CoverageProblem,
    GeneralizedGreedy,
    Greedy,
    InputError,
    MaxIterations,
    Status,
    solve,
)
from thatch.problem.instances import toy
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.problem.instances.randomness import UniformIntegers, UniformReals
from thatch.solvers import Exhaustive, StaticGreedy
from thatch.solvers.greedy import item_weights, ranking, round_by_rank


def test_ggreedy_never_falls_below_the_best_single_item():
    for seed in range(100):
        problem = random_problem(seed)
        singles = np.where(problem.costs <= problem.budget, item_weights(problem), 0.0)
        value = solve(problem, GeneralizedGreedy()).selection.value
        assert value >= singles.max() * (1 - 1e-12)


def test_ratios_alone_would_miss_the_loaf():
    assert solve(toy.cheap_crumb().problem, StaticGreedy()).selection.value == 2.0
    assert solve(toy.cheap_crumb().problem, GeneralizedGreedy()).selection.value == 10.0


def test_seeds_of_three_reach_the_guarantee():
    for seed in range(60):
        problem = random_problem(seed, max_items=10)
        best = solve(problem, GeneralizedGreedy(seed_size=3)).selection.value
        optimum = solve(problem, Exhaustive()).selection.value
        assert best >= (1 - 1 / np.e) * optimum


def test_more_seeds_never_give_less():
    for seed in range(30):
        problem = random_problem(seed, max_items=8)
        values = [
            solve(problem, GeneralizedGreedy(seed_size=k)).selection.value
            for k in range(4)
        ]
        assert values == sorted(values)


def test_seeds_solve_the_trap():
    result = solve(toy.greedy_trap().problem, GeneralizedGreedy(seed_size=2))
    assert result.selection.value == toy.greedy_trap().optimum


def test_a_stopped_enumeration_says_so():
    problem = toy.greedy_trap().problem
    result = solve(problem, GeneralizedGreedy(seed_size=3), stop=[MaxIterations(1)])
    assert result.status is Status.ITERATION_LIMIT
    assert result.iterations == 1


@pytest.mark.parametrize("seed_size", [-1, 4, 1.5])
def test_other_seed_sizes_are_refused(seed_size):
    with refused(InputError, "seed_size", seed_size):
        GeneralizedGreedy(seed_size=seed_size)


def test_items_that_gain_nothing_are_left_out():
    problem = CoverageProblem.from_sets([["a"], ["a"], []], budget=9)
    for solver in (Greedy(), GeneralizedGreedy()):
        assert solve(problem, solver).selection.items.tolist() == [0]


def test_equal_items_go_to_the_lower_number():
    problem = CoverageProblem.from_sets([["a"], ["b"], ["c"]], budget=2)
    for solver in (Greedy(), GeneralizedGreedy(), StaticGreedy()):
        assert solve(problem, solver).selection.items.tolist() == [0, 1]


@pytest.mark.parametrize("inverse_temperature", [0.05, 0.3, 2.0, 10.0, 22.0, 28.1, 50])
@pytest.mark.parametrize("law", [UniformReals(1.0, 10.0), UniformIntegers(1, 10)])
def test_a_static_order_is_the_limit_of_algorithm_2(law, inverse_temperature):
    """Integers give equal ratios, which only rounding errors would tell apart."""
    graph = BiregularGraph(
        **dict(num_items=100, num_elements=300, item_degree=9, element_degree=3),
        costs=law,
        weights=law,
    )
    limit = StaticGreedy(inverse_temperature=inverse_temperature)
    algorithm_2 = BeliefPropagation.algorithm_2(
        inverse_temperature=inverse_temperature, price=1e6
    )
    for seed in range(10):
        problem = graph.problem(budget=100, seed=seed)
        result = solve(problem, algorithm_2)
        np.testing.assert_array_equal(
            solve(problem, limit).selection.items, result.selection.items
        )
        np.testing.assert_allclose(
            item_weights(problem, inverse_temperature=inverse_temperature),
            result.beliefs.item_replies,
            rtol=1e-12,
        )
        np.testing.assert_allclose(
            result.beliefs.item_fields,
            result.beliefs.item_replies - 1e6 * problem.costs,
            rtol=1e-12,
        )


def test_rounding_errors_do_not_decide_between_equal_ratios():
    # 0.1 + 0.2 and 0.3 differ in the last digit: the first item goes first.
    problem = CoverageProblem.from_sets(
        [["c"], ["a", "b"]], weights={"a": 0.1, "b": 0.2, "c": 0.3}, budget=1
    )
    sums = item_weights(problem)
    assert sums[1] > sums[0]
    assert ranking(problem, sums).tolist() == [0, 1]


def test_weights_count_in_full_only_at_zero_temperature():
    problem = CoverageProblem.from_sets(
        [["a"], ["b"]], weights={"a": 0, "b": 3}, budget=1
    )
    assert item_weights(problem).tolist() == [0.0, 3.0]
    at_one = item_weights(problem, inverse_temperature=1.0)
    assert at_one == pytest.approx([np.log(2), np.log(1 + np.exp(3))])
    at_most = item_weights(problem, inverse_temperature=1e308)
    assert at_most == pytest.approx([0.0, 3.0], abs=1e-300)


@pytest.mark.parametrize("value", [0, -1.0, float("nan")])
def test_inverse_temperatures_are_positive(value):
    with refused(InputError, "inverse_temperature", value):
        StaticGreedy(inverse_temperature=value)


def test_free_items_rank_by_the_sign_of_their_merit():
    problem = CoverageProblem.from_sets(
        [["a"], ["b"], ["c"], ["d"]], costs=[0, 0, 1, 0], budget=0
    )
    chosen = round_by_rank(problem, np.array([-1.0, 2.0, 5.0, 0.0]))
    assert chosen.items.tolist() == [0, 1, 3], (
        "free items always fit; the order is free too"
    )


def test_every_seed_of_every_size_is_tried():
    problem = CoverageProblem.from_matrix(np.eye(4), budget=4)
    counts = [
        solve(problem, GeneralizedGreedy(seed_size=size)).iterations
        for size in range(4)
    ]
    assert counts == [1, 1 + 4, 1 + 4 + 6, 1 + 4 + 6 + 4]


def test_seeds_count_their_cost_to_the_last_bit():
    problem = CoverageProblem.from_matrix(
        np.eye(10), costs=np.full(10, 0.1), budget=1.0
    )
    result = solve(problem, GeneralizedGreedy(seed_size=2))
    assert result.selection.value == 10.0


def test_gains_too_small_for_a_ratio_still_count():
    problem = CoverageProblem.from_matrix(
        np.eye(20), costs=np.full(20, 1e200), weights=np.full(20, 1e-200), budget=2e201
    )
    assert len(solve(problem, GeneralizedGreedy()).selection) == 20
