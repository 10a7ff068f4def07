import numpy as np
import pytest
from cases import for_each
from hypothesis import given
from problems import problems, random_problem

from thatch import CoverageProblem, GeneralizedGreedy, Selection, solve
from thatch.machine.devices import Device
from thatch.problem.instances.random_graphs import BiregularGraph, PowerLawGraph
from thatch.solvers import Exhaustive
from thatch.solvers.bounds import dual_bound, lp_bound
from thatch.solvers.bounds.dual_bounds import DualPoint
from thatch.solvers.bounds.dual_descent import DualDescent
from thatch.solvers.highs.linear_relaxation import relaxed_multipliers


def improved(problem, start=None, *, iterations=100, num_threads=1, device=Device.CPU):
    start = start or solve(problem, GeneralizedGreedy()).selection
    descent = DualDescent(problem, start, num_threads=num_threads, device=device)
    descent.iterate(iterations)
    return descent.multipliers


def require_valid(problem, multipliers, device):
    assert np.isfinite(multipliers).all()
    assert (multipliers >= 0).all()
    # One rounding up, in the unit they are kept in, however small: on a GPU of singles.
    share, least = (1e-15, 1e-323) if device is Device.CPU else (1e-7, 2e-45)
    error = share * problem.weights + least * problem.weights.max(initial=0.0)
    assert (multipliers - problem.weights <= error).all()


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
def test_they_come_close_to_the_relaxation(problem, device):
    multipliers = improved(problem, iterations=300, device=device)
    best = lp_bound(problem)
    assert best <= np.floor(DualPoint.at(problem, multipliers).bound) <= best * 1.002


@for_each("seed", range(150))
def test_their_bound_is_never_below_the_optimum(seed, device):
    problem = random_problem(seed)
    nothing = Selection.of(problem, [])
    optimum = solve(problem, Exhaustive()).selection.value
    # A GPU is slow on problems as small as these.
    lengths = (1, 20, 200) if device is Device.CPU else (1, 60)
    for start in (None, nothing):
        for iterations in lengths:
            multipliers = improved(problem, start, iterations=iterations, device=device)
            require_valid(problem, multipliers, device)
            assert dual_bound(problem, multipliers) >= optimum


@given(problem=problems())
def test_any_valid_problem_gets_valid_multipliers(device, problem):
    multipliers = improved(problem, device=device)
    require_valid(problem, multipliers, device)
    optimum = solve(problem, Exhaustive()).selection.value
    assert dual_bound(problem, multipliers) >= optimum


@for_each("seed", range(40))
def test_extreme_numbers_give_valid_multipliers(seed, device):
    rng = np.random.default_rng(seed)
    problem = CoverageProblem.from_matrix(
        rng.random((10, 15)) < 0.4,
        costs=10.0 ** rng.uniform(-12, 300, 10) * (rng.random(10) < 0.8),
        weights=10.0 ** rng.uniform(-12, 300, 15),
        budget=rng.choice([0.0, 1e-12, 1.0, 1e100, 1e300]),
    )
    multipliers = improved(problem, iterations=50, device=device)
    require_valid(problem, multipliers, device)
    assert (
        dual_bound(problem, multipliers) >= solve(problem, Exhaustive()).selection.value
    )


@pytest.mark.parametrize(("num_items", "num_elements"), [(0, 0), (0, 3), (3, 0)])
def test_problems_with_nothing_in_them_get_multipliers(num_items, num_elements, device):
    problem = CoverageProblem.from_edges(
        [], costs=np.ones(num_items), weights=np.ones(num_elements), budget=2
    )
    multipliers = improved(problem, device=device)
    assert multipliers.size == num_elements
    assert dual_bound(problem, multipliers) == 0.0


def test_free_items_alone_get_valid_multipliers(device):
    problem = CoverageProblem.from_matrix(np.eye(4), costs=np.zeros(4), budget=0)
    multipliers = improved(problem, device=device)
    require_valid(problem, multipliers, device)
    assert dual_bound(problem, multipliers) == 4.0


@pytest.fixture(scope="module")
def problem_for_threads():
    graph = BiregularGraph(
        num_items=6_000, num_elements=18_000, item_degree=9, element_degree=3
    )
    return graph.problem(budget=6_000, seed=0)


def test_threads_do_not_change_a_bit(problem_for_threads):
    problem = problem_for_threads
    assert problem.num_edges > 40_000
    one, two = (improved(problem, num_threads=n, iterations=60) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_the_same_run_gives_the_same_bits(problem_for_threads, device):
    one, two = (
        improved(problem_for_threads, iterations=60, device=device) for _ in range(2)
    )
    np.testing.assert_array_equal(one, two)


@pytest.mark.gpu
def test_both_devices_find_bounds_alike(problem_for_threads, gpu):
    one, two = (
        dual_bound(problem_for_threads, improved(problem_for_threads, device=device))
        for device in (Device.CPU, gpu)
    )
    assert one == pytest.approx(two, rel=1e-3)


@for_each("seed", range(4))
def test_hubs_among_items_and_elements_get_a_close_bound(seed, device):
    """Every item covers the element all want, one item covers most of them."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((1500, 3000)) < 0.003
    matrix[0, :] = rng.random(3000) < 0.8
    matrix[:, 0] = True
    problem = CoverageProblem.from_matrix(
        matrix,
        costs=np.append(400.0, rng.integers(1, 10, 1499)),
        weights=rng.integers(1, 10, 3000),
        budget=600,
    )
    multipliers = improved(problem, iterations=300, device=device)
    require_valid(problem, multipliers, device)
    best = lp_bound(problem)
    assert best <= np.floor(DualPoint.at(problem, multipliers).bound) <= best * 1.002


def test_the_way_can_be_taken_in_pieces(device):
    problem = random_problem(21)
    start = solve(problem, GeneralizedGreedy()).selection
    pieces = DualDescent(problem, start, device=device)
    for _ in range(4):
        pieces.iterate(25)
    whole = improved(problem, start, device=device)
    np.testing.assert_array_equal(pieces.multipliers, whole)


@pytest.mark.parametrize("problem", list(moderate_graphs())[:4], ids=repr)
def test_a_continued_descent_converges_to_the_relaxation(problem):
    start = solve(problem, GeneralizedGreedy()).selection
    descent = DualDescent(problem, start)
    lowest = min(
        point.bound
        for point in descent.points(iterations=3_000, iterations_per_point=100)
    )
    assert descent.is_converged
    assert lowest == pytest.approx(relaxation(problem), rel=2e-4)


@for_each("seed", range(3))
def test_few_items_of_many_get_a_close_bound_after_a_hundred_iterations(seed):
    """Elements of most items, as common words are: the budget buys 1 in 200."""
    rng = np.random.default_rng(seed)
    frequency = 1.0 / np.arange(1, 1_501)
    matrix = rng.random((2_000, 1_500)) < frequency
    problem = CoverageProblem.from_matrix(
        matrix,
        costs=rng.integers(5, 35, 2_000),
        weights=2_000 * frequency * rng.random(1_500),
        budget=200,
    )
    multipliers = improved(problem, iterations=100)
    assert DualPoint.at(problem, multipliers).bound <= 1.005 * relaxation(problem)


def relaxation(problem):
    """Bound of the linear relaxation, not rounded down."""
    multipliers = relaxed_multipliers(problem, max_seconds=60)
    return DualPoint.at(problem, multipliers).bound
