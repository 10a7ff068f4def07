import numpy as np
import pytest
import reference
from cases import for_each
from problems import random_problem
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

NO_LIMIT = 2**62


@pytest.mark.parametrize("size", [0, 1, 50])
def test_group_is_a_stable_sort(kernel, size):
    keys = np.random.default_rng(size).integers(0, 7, size).astype(np.int32)
    starts, order = np.zeros(8, dtype=np.int64), np.empty(size, dtype=np.int32)
    kernel("graph").group(keys, starts, order)
    np.testing.assert_array_equal(order, np.argsort(keys, kind="stable"))
    np.testing.assert_array_equal(np.diff(starts), np.bincount(keys, minlength=7))


def test_first_repeat_looks_only_within_a_group(kernel):
    members = np.array([1, 2, 2, 2], dtype=np.int32)
    apart = np.array([0, 2, 3, 4])
    together = np.array([0, 2, 4])
    assert kernel("graph").first_repeat(apart, members) == -1
    assert kernel("graph").first_repeat(together, members) == 3


def found_components(kernel, problem, max_items=100):
    edges = problem.edges
    members = np.empty(problem.num_items, dtype=np.int64)
    start = np.empty(problem.num_items + 1, dtype=np.int64)
    num_components = kernel.find_components(
        edges.item_start,
        edges.item_elements,
        edges.element_start,
        edges.element_items,
        max_items,
        members,
        start,
    )
    return None if num_components < 0 else np.split(members, start[1:num_components])


def expected_components(problem):
    size = problem.num_items + problem.num_elements
    items = problem.edges.element_items
    elements = np.repeat(np.arange(problem.num_elements), problem.edges.element_degrees)
    ones = np.ones(items.size)
    graph = csr_array((ones, (items, elements + problem.num_items)), (size, size))
    labels = connected_components(graph, directed=False)[1][: problem.num_items]
    return {frozenset(np.flatnonzero(labels == k).tolist()) for k in set(labels)}


@for_each("seed", range(40))
def test_components_are_those_of_the_graph(kernel, seed):
    problem = random_problem(seed, max_items=30)
    components = found_components(kernel("graph"), problem)
    found = {frozenset(component.tolist()) for component in components}
    assert found == expected_components(problem)
    largest = max(len(component) for component in components)
    assert found_components(kernel("graph"), problem, largest) is not None
    assert found_components(kernel("graph"), problem, largest - 1) is None


def replaced(kernel, problem, max_steps=NO_LIMIT):
    edges = problem.edges
    dominator = np.arange(problem.num_items, dtype=np.int32)
    looked_at = kernel.find_dominated_items(
        problem.costs,
        edges.item_start,
        edges.item_elements,
        edges.element_start,
        edges.element_items,
        max_steps,
        dominator,
    )
    return dominator, looked_at


def covers(problem):
    return [
        set(problem.edges.elements_of(i).tolist()) for i in range(problem.num_items)
    ]


def replaces(problem, i, j):
    sets, costs = covers(problem), problem.costs
    is_twin = sets[i] == sets[j] and costs[i] == costs[j]
    return sets[j] <= sets[i] and costs[i] <= costs[j] and (not is_twin or i < j)


@for_each("seed", range(60))
def test_an_item_is_replaced_if_and_only_if_another_can(kernel, seed):
    problem = random_problem(seed, max_items=25, max_elements=9)
    dominator, _ = replaced(kernel("graph"), problem)
    for j, covered in enumerate(covers(problem)):
        others = [i for i in range(problem.num_items) if i != j]
        can = bool(covered) and any(replaces(problem, i, j) for i in others)
        assert (dominator[j] != j) == can
        assert dominator[j] == j or replaces(problem, dominator[j], j)


@for_each("seed", range(20))
def test_no_steps_left_means_no_more_replaced(kernel, seed):
    problem = random_problem(seed, max_items=25, max_elements=9)
    dominator, looked_at = replaced(kernel("graph"), problem, max_steps=20)
    full, _ = replaced(kernel("graph"), problem)
    np.testing.assert_array_equal(dominator[:looked_at], full[:looked_at])
    assert (dominator[looked_at:] == np.arange(looked_at, problem.num_items)).all()


@for_each("seed", range(60))
def test_elements_share_a_group_if_and_only_if_they_share_all_items(kernel, seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, max_items=6, max_elements=60)
    items = np.flatnonzero(rng.random(problem.num_items) < 0.7)
    edges = problem.edges
    group = np.empty(problem.num_elements, dtype=np.int32)
    num_groups = kernel("graph").group_elements(
        items, edges.item_start, edges.item_elements, group
    )
    numbers = {frozenset(): -1}
    for a in range(problem.num_elements):
        owners = frozenset(edges.items_of(a).tolist()) & frozenset(items.tolist())
        assert group[a] == numbers.setdefault(owners, len(numbers) - 1)
    assert num_groups == len(numbers) - 1


def test_sum_over_elements_is_the_weight_of_each_set(kernel):
    problem = random_problem(3)
    edges = problem.edges
    sums = np.empty(problem.num_items)
    kernel("graph").sum_over_elements(
        problem.weights, edges.item_start, edges.item_elements, sums
    )
    expected = [reference.value(problem, [i]) for i in range(problem.num_items)]
    np.testing.assert_allclose(sums, expected, rtol=1e-14)
    threaded = np.empty(problem.num_items)
    kernel("graph").sum_over_elements(
        problem.weights, edges.item_start, edges.item_elements, threaded, 3
    )
    assert threaded.tolist() == sums.tolist()
