import numpy as np
import pytest
from cases import for_each
from problems import random_problem

from thatch import CoverageProblem, Selection


def searched(kernel, problem, *, slack=0.0, start=None, work=20_000, least_saving=1.0):
    """Items of the best cover after some work, and whether one was marked."""
    best = np.zeros(problem.num_items, dtype=np.int8)
    best[range(problem.num_items) if start is None else start] = 1
    weighting = kernel("weighting").Weighting(
        problem.costs,
        problem.weights,
        problem.edges,
        slack,
        least_saving,
        1e300,
        88172645463325252,
        best,
    )
    done, has_improved = weighting.search(work, 0.0)
    assert done > 0
    return Selection.of(problem, np.flatnonzero(best)), has_improved


def covered_problem(seed):
    """A random problem with positive costs in which every element has an item."""
    problem = random_problem(seed)
    is_edge = np.zeros((problem.num_items, problem.num_elements), dtype=int)
    for i in range(problem.num_items):
        is_edge[i, problem.edges.elements_of(i)] = 1
    is_edge[0] = 1
    return CoverageProblem.from_matrix(
        is_edge, costs=problem.costs + 1.0, weights=problem.weights + 1.0, budget=0
    )


@for_each("share", [0.0, 0.2])
@for_each("seed", range(8))
def test_what_is_marked_is_a_cover(kernel, seed, share):
    problem = covered_problem(seed)
    slack = share * float(problem.weights.sum())
    found, has_improved = searched(kernel, problem, slack=slack, least_saving=1e-9)
    assert has_improved
    assert problem.weights[~found.covered].sum() <= slack


def test_the_cheapest_cover_is_found(kernel):
    rows = {"a": {0, 1, 2}, "b": {3, 4, 5}, "c": {0, 3}, "d": {1, 4}, "e": {2, 5}}
    problem = CoverageProblem.from_sets(rows, costs=[2, 2, 1, 1, 1], budget=0)
    found, _ = searched(kernel, problem)
    assert found.labels == ["c", "d", "e"]


def test_a_start_that_is_no_cover_becomes_one(kernel):
    problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {2, 3}], budget=0)
    found, has_improved = searched(kernel, problem, start=[1])
    assert has_improved
    assert found.items.tolist() == [0, 2]


def test_the_search_ends_if_nothing_is_needed(kernel):
    problem = CoverageProblem.from_sets([{0}, {1}], budget=0)
    found, _ = searched(kernel, problem, slack=5.0)
    assert len(found) == 0


@pytest.mark.parametrize("slack", [-1.0, 3.0])
def test_a_greedy_cover_takes_the_most_gain_per_cost(kernel, slack):
    rows = {"a": {0, 1, 2}, "b": {2, 3}, "c": {3, 4, 5}, "d": {6}}
    problem = CoverageProblem.from_sets(rows, costs=[1, 1, 2, 9], budget=0)
    chosen = np.zeros(problem.num_items, dtype=np.int8)
    edges = problem.edges
    kernel("greedy_covers").cover_greedily(
        problem.costs,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        slack,
        chosen,
    )
    assert np.flatnonzero(chosen).tolist() == ([0, 2] if slack > 0 else [0, 2, 3])


def test_compiled_or_not_the_same_cover_is_found(kernel):
    """The work counts the same steps."""
    from thatch._kernels import weighting

    problem = covered_problem(11)
    found, _ = searched(kernel, problem)
    compiled, _ = searched(lambda name: weighting, problem)
    assert found.items.tolist() == compiled.items.tolist()
