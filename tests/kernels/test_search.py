import numpy as np
import pytest
import reference
from problems import random_problem

ALL_WORK = 10**9


def searched(kernel, problem, *, rounds, max_work=ALL_WORK):
    edges = problem.edges
    best = np.zeros(problem.num_items, dtype=np.int8)
    search = kernel("search").Search(
        problem.costs,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        edges.element_start,
        edges.element_items,
        problem.budget,
        1e-12 * problem.weights.sum(),
        88172645463325252,
        best,
    )
    return search.search(rounds, max_work), np.flatnonzero(best).tolist()


@pytest.mark.parametrize("seed", range(15))
def test_no_single_exchange_improves_what_a_climb_leaves(kernel, seed):
    problem = random_problem(seed, max_items=10)
    _, chosen = searched(kernel, problem, rounds=1)
    value = reference.value(problem, chosen)
    outside = [i for i in range(problem.num_items) if i not in chosen]
    for dropped in [None, *chosen]:
        kept = [i for i in chosen if i != dropped]
        for i in outside:
            if problem.costs[[*kept, i]].sum() <= problem.budget * (1 - 1e-12):
                found = reference.value(problem, [*kept, i])
                assert found <= value * (1 + 1e-9)


def test_compiled_or_not_the_search_takes_the_same_way(kernel):
    problem = random_problem(21, max_items=14, max_elements=20)
    finished, chosen = searched(kernel, problem, rounds=8)
    assert finished == 8
    assert chosen == searched(lambda name: compiled_search(), problem, rounds=8)[1]


def compiled_search():
    from thatch._kernels import search

    return search


def test_the_search_pauses_when_its_work_is_used_up(kernel):
    problem = random_problem(21)
    finished, _ = searched(kernel, problem, rounds=10**6, max_work=500)
    assert finished < 100
