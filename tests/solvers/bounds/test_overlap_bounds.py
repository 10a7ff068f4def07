import numpy as np
import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from problems import problems, random_problem

from thatch import CoverageProblem, Status, solve
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers import Exhaustive
from thatch.solvers.bounds import first_order_bound, lp_bound, overlap_bound
from thatch.solvers.bounds.overlap_bounds import _lowest_eigenvalue, _semidefinite_shift
from thatch.solvers.step_efforts import OverlapEffort


def projective_plane(order, *, budget):
    """Points and lines of PG(2, order), for a prime order: every two lines meet."""
    points = [(1, a, b) for a in range(order) for b in range(order)]
    points += [(0, 1, a) for a in range(order)] + [(0, 0, 1)]
    incidence = np.array(points) @ np.array(points).T % order == 0
    return CoverageProblem.from_matrix(incidence, budget=budget)


def affine_triples(dimension, *, budget):
    """Items are the points of GF(3)^n, elements its lines of three points each."""
    size = 3**dimension
    digits = np.array([[p // 3**k % 3 for k in range(dimension)] for p in range(size)])
    powers = 3 ** np.arange(dimension)
    lines = {
        frozenset((p, q, int(-(digits[p] + digits[q]) % 3 @ powers)))
        for p in range(size)
        for q in range(p)
    }
    matrix = np.zeros((size, len(lines)), dtype=bool)
    for k, line in enumerate(sorted(map(sorted, lines))):
        matrix[line, k] = True
    return CoverageProblem.from_matrix(matrix, budget=budget)


def optimum(problem):
    return solve(problem, Exhaustive()).selection.value


@for_each("seed", range(30))
def test_it_is_never_below_the_optimum(seed):
    problem = random_problem(seed)
    rng = np.random.default_rng(seed)
    for multipliers in (
        problem.weights,
        np.zeros(problem.num_elements),
        problem.weights * rng.random(problem.num_elements),
    ):
        assert overlap_bound(problem, multipliers) >= optimum(problem)


@given(problem=problems(), seed=st.integers(0, 2**32 - 1))
def test_any_problem_and_multipliers_give_a_bound(problem, seed):
    shares = np.random.default_rng(seed).random(problem.num_elements)
    assert overlap_bound(problem, shares * problem.weights) >= optimum(problem)


@given(
    sets=st.lists(st.sets(st.integers(0, 5), min_size=2), min_size=3, max_size=12),
    budget=st.integers(1, 6),
    weights=st.lists(st.integers(1, 3), min_size=6, max_size=6),
)
def test_items_that_overlap_much_get_a_bound(sets, budget, weights):
    matrix = np.array([[a in each for a in range(6)] for each in sets])
    problem = CoverageProblem.from_matrix(matrix, weights=weights, budget=budget)
    assert overlap_bound(problem, problem.weights) >= optimum(problem)


@pytest.mark.parametrize(("order", "budget"), [(2, 2), (3, 3), (5, 4), (7, 5), (13, 7)])
def test_lines_of_a_plane_cover_most_if_they_meet_in_one_point(order, budget):
    problem = projective_plane(order, budget=budget)
    assert lp_bound(problem) == (order + 1) * budget
    assert overlap_bound(problem, problem.weights) == order * budget + 1


def test_nine_points_of_27_meet_93_of_117_lines():
    problem = affine_triples(3, budget=9)
    assert lp_bound(problem) == 117
    assert overlap_bound(problem, problem.weights) == 93


def test_auto_proves_what_only_overlaps_prove():
    result = solve(projective_plane(7, budget=5))
    assert result.status is Status.OPTIMAL
    assert result.selection.value == 36


def test_a_third_of_the_items_of_a_random_graph_cannot_cover_everything():
    graph = BiregularGraph(90, 270, item_degree=9, element_degree=3)
    problem = graph.problem(budget=30, seed=0).with_costs(np.ones(90))
    unweighted = CoverageProblem(
        problem.costs, np.ones(270), problem.budget, problem.edges
    )
    assert first_order_bound(unweighted) == 270
    assert overlap_bound(unweighted, unweighted.weights) <= 257


@pytest.mark.parametrize("size", [1, 2, 40, 90])
def test_the_shift_makes_a_matrix_semidefinite_and_is_hardly_larger(size):
    rng = np.random.default_rng(size)
    matrix = rng.random((size, size)) * (rng.random((size, size)) < 0.2)
    matrix = np.triu(matrix, 1)
    matrix = matrix + matrix.T
    lowest = np.linalg.eigvalsh(matrix)[0]
    assert _lowest_eigenvalue(matrix, OverlapEffort()) == pytest.approx(
        lowest, rel=1e-2
    )
    shift = _semidefinite_shift(matrix, OverlapEffort())
    assert -lowest <= shift <= -lowest * 1.03 + 0.01
