import numpy as np
import pytest
from problems import random_problem

NO_LIMIT = 2**62


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


@pytest.mark.parametrize("seed", range(60))
def test_an_item_is_replaced_if_and_only_if_another_can(kernel, seed):
    problem = random_problem(seed, max_items=25, max_elements=9)
    dominator, _ = replaced(kernel("dominance"), problem)
    for j, covered in enumerate(covers(problem)):
        others = [i for i in range(problem.num_items) if i != j]
        can = bool(covered) and any(replaces(problem, i, j) for i in others)
        assert (dominator[j] != j) == can
        assert dominator[j] == j or replaces(problem, dominator[j], j)


@pytest.mark.parametrize("seed", range(20))
def test_no_steps_left_means_no_more_replaced(kernel, seed):
    problem = random_problem(seed, max_items=25, max_elements=9)
    dominator, looked_at = replaced(kernel("dominance"), problem, max_steps=20)
    full, _ = replaced(kernel("dominance"), problem)
    np.testing.assert_array_equal(dominator[:looked_at], full[:looked_at])
    assert (dominator[looked_at:] == np.arange(looked_at, problem.num_items)).all()


@pytest.mark.parametrize("seed", range(60))
def test_elements_share_a_group_if_and_only_if_they_share_all_items(kernel, seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(seed, max_items=6, max_elements=60)
    items = np.flatnonzero(rng.random(problem.num_items) < 0.7)
    edges = problem.edges
    group = np.empty(problem.num_elements, dtype=np.int32)
    num_groups = kernel("dominance").group_elements(
        items, edges.item_start, edges.item_elements, group
    )
    numbers = {frozenset(): -1}
    for a in range(problem.num_elements):
        owners = frozenset(edges.items_of(a).tolist()) & frozenset(items.tolist())
        assert group[a] == numbers.setdefault(owners, len(numbers) - 1)
    assert num_groups == len(numbers) - 1
