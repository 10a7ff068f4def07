import numpy as np
import pytest
import reference
from cases import for_each
from problems import groups_of, random_problem


def complete_greedily(kernel, problem, divisors):
    edges = problem.edges
    chosen = np.zeros(problem.num_items, dtype=np.int8)
    kernel.complete_greedily(
        problem.costs,
        divisors,
        problem.budget,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        edges.element_start,
        edges.element_items,
        np.zeros(problem.num_elements, dtype=np.int32),
        chosen,
        *groups_of(problem),
    )
    return np.flatnonzero(chosen).tolist()


@for_each("seed", range(60))
def test_lazy_greedy_chooses_what_the_plain_loop_chooses(kernel, seed):
    problem = random_problem(seed, max_items=30, max_elements=40)
    for divisors in (problem.costs, np.ones(problem.num_items)):
        expected = reference.greedy(problem, divisors)
        assert complete_greedily(kernel("gains"), problem, divisors) == expected


@pytest.mark.parametrize(("budget", "count"), [(1.0, 10), (0.9999999999999999, 9)])
def test_ten_tenths_cost_one(kernel, budget, count):
    """A running sum of ten tenths is less than 1; rounded once it is 1."""
    chosen = np.zeros(10, dtype=np.int8)
    none = np.zeros(0, dtype=np.int32)
    kernel("gains").add_in_order(
        np.arange(10), np.full(10, 0.1), budget, chosen, none, none
    )
    assert chosen.sum() == count
