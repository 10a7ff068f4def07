import itertools
import math

import numpy as np
import pytest
import reference
from problems import random_problem
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components


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


@pytest.mark.parametrize("seed", range(40))
def test_components_are_those_of_the_graph(kernel, seed):
    problem = random_problem(seed, max_items=30)
    components = found_components(kernel("components"), problem)
    found = {frozenset(component.tolist()) for component in components}
    assert found == expected_components(problem)
    largest = max(len(component) for component in components)
    assert found_components(kernel("components"), problem, largest) is not None
    assert found_components(kernel("components"), problem, largest - 1) is None


def tried(kernel, problem):
    """Cost, value and items of every selection that the kernel finds worth it."""
    edges = problem.edges
    size = 2**problem.num_items
    costs, values = np.empty(size), np.empty(size)
    choices = np.empty(size, dtype=np.int32)
    start = np.empty(2, dtype=np.int64)
    kernel.try_all(
        np.arange(problem.num_items),
        np.array([0, problem.num_items]),
        problem.costs,
        problem.budget,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        costs,
        values,
        choices,
        start,
    )
    assert start[0] == 0
    return costs[: start[1]], values[: start[1]], choices[: start[1]]


@pytest.mark.parametrize("seed", range(40))
def test_every_selection_has_one_as_good_among_those_tried(kernel, seed):
    problem = random_problem(seed, max_items=7)
    costs, values, choices = tried(kernel("components"), problem)
    for cost, value, choice in zip(costs, values, choices.tolist(), strict=True):
        chosen = [i for i in range(problem.num_items) if choice >> i & 1]
        assert cost == pytest.approx(math.fsum(problem.costs[chosen]), rel=1e-12)
        assert value == pytest.approx(reference.value(problem, chosen), rel=1e-12)
    for size in range(problem.num_items + 1):
        for chosen in itertools.combinations(range(problem.num_items), size):
            cost = math.fsum(problem.costs[list(chosen)])
            if cost <= problem.budget * (1 - 1e-12):
                value = reference.value(problem, chosen)
                is_as_good = values >= value * (1 - 1e-12)
                assert (is_as_good & (costs <= cost * (1 + 1e-12))).any()


@pytest.mark.parametrize("seed", range(20))
def test_the_frontier_is_what_nothing_beats_and_its_hull(kernel, seed):
    rng = np.random.default_rng(seed)
    costs, values = rng.integers(0, 30, (2, 25)).astype(float)
    order = np.lexsort((-values, costs))
    costs, values = costs[order], values[order]
    marks = np.zeros((2, 25), dtype=np.int8)
    kernel("components").mark_frontier(np.array([0, 25]), costs, values, *marks)
    points = list(zip(costs, values, strict=True))
    for k, (cost, value) in enumerate(points):
        beaten = any(
            (c <= cost and v >= value and (c, v) != (cost, value)) for c, v in points
        )
        assert bool(marks[0, k]) == (not beaten and points.index((cost, value)) == k)
    for price in 10.0 ** rng.uniform(-3, 3, 50):
        merits = values - price * costs
        assert merits[marks[1] == 1].max() == pytest.approx(merits.max())
    assert (marks[1] <= marks[0]).all()
