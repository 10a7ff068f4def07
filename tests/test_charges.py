import numpy as np
import pytest
from hypothesis import given, settings
from problems import problems, random_problem

from thatch import (
    CoverageProblem,
    Exhaustive,
    GeneralizedGreedy,
    Selection,
    dual_bound,
    lp_bound,
    solve,
)
from thatch.bounds import DualPoint
from thatch.charges import Charges
from thatch.instances.random_graphs import BiregularGraph, PowerLawGraph


def improved(problem, start=None, *, iterations=100, num_threads=1):
    start = start or solve(problem, GeneralizedGreedy()).selection
    charges = Charges(problem, start, num_threads=num_threads)
    charges.improve(iterations)
    return charges.values


def require_valid(problem, charges):
    assert np.isfinite(charges).all()
    assert (charges >= 0).all()
    # One rounding up, in the unit they are kept in, however small.
    slip = 1e-15 * problem.weights + 1e-323 * problem.weights.max(initial=0.0)
    assert (charges - problem.weights <= slip).all()


def moderate_graphs():
    for num_items in (100, 200, 300):
        biregular = BiregularGraph(
            num_items=num_items,
            num_elements=3 * num_items,
            item_degree=9,
            element_degree=3,
        )
        power_law = PowerLawGraph(
            num_items=num_items, num_elements=3 * num_items, mean_item_degree=9
        )
        for graph in (biregular, power_law):
            yield graph.problem(budget=num_items, seed=num_items)


@pytest.mark.parametrize("problem", list(moderate_graphs()), ids=repr)
def test_they_come_close_to_the_relaxation(problem):
    charges = improved(problem, iterations=300)
    best = lp_bound(problem)
    assert best <= np.floor(DualPoint.at(problem, charges).bound) <= best * 1.002


@pytest.mark.parametrize("seed", range(150))
def test_their_bound_is_never_below_the_optimum(seed):
    problem = random_problem(seed)
    nothing = Selection.of(problem, [])
    optimum = solve(problem, Exhaustive()).selection.value
    for start in (None, nothing):
        for iterations in (1, 20, 200):
            charges = improved(problem, start, iterations=iterations)
            require_valid(problem, charges)
            assert dual_bound(problem, charges) >= optimum


@given(problem=problems())
@settings(max_examples=150, deadline=None)
def test_any_valid_problem_gets_valid_charges(problem):
    charges = improved(problem)
    require_valid(problem, charges)
    optimum = solve(problem, Exhaustive()).selection.value
    assert dual_bound(problem, charges) >= optimum


@pytest.mark.parametrize("seed", range(40))
def test_extreme_numbers_give_valid_charges(seed):
    rng = np.random.default_rng(seed)
    problem = CoverageProblem.from_matrix(
        rng.random((10, 15)) < 0.4,
        costs=10.0 ** rng.uniform(-12, 300, 10) * (rng.random(10) < 0.8),
        weights=10.0 ** rng.uniform(-12, 300, 15),
        budget=rng.choice([0.0, 1e-12, 1.0, 1e100, 1e300]),
    )
    charges = improved(problem, iterations=50)
    require_valid(problem, charges)
    assert dual_bound(problem, charges) >= solve(problem, Exhaustive()).selection.value


@pytest.mark.parametrize(("num_items", "num_elements"), [(0, 0), (0, 3), (3, 0)])
def test_problems_with_nothing_in_them_get_charges(num_items, num_elements):
    problem = CoverageProblem.from_edges(
        [], costs=np.ones(num_items), weights=np.ones(num_elements), budget=2
    )
    charges = improved(problem)
    assert charges.size == num_elements
    assert dual_bound(problem, charges) == 0.0


def test_free_items_alone_get_valid_charges():
    problem = CoverageProblem.from_matrix(np.eye(4), costs=np.zeros(4), budget=0)
    charges = improved(problem)
    require_valid(problem, charges)
    assert dual_bound(problem, charges) == 4.0


def test_threads_do_not_change_a_bit():
    graph = BiregularGraph(
        num_items=6_000, num_elements=18_000, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=6_000, seed=0)
    assert problem.num_edges > 40_000
    one, two = (improved(problem, num_threads=n, iterations=60) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_the_way_can_be_taken_in_pieces():
    problem = random_problem(21)
    start = solve(problem, GeneralizedGreedy()).selection
    pieces = Charges(problem, start)
    for _ in range(4):
        pieces.improve(25)
    np.testing.assert_array_equal(pieces.values, improved(problem, start))
