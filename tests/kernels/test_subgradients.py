import numpy as np
from cases import for_each
from problems import random_problem


@for_each("seed", range(30))
def test_a_slope_counts_the_items_that_earn_more_than_they_cost(kernel, seed):
    problem = random_problem(seed, max_items=8, max_elements=8)
    u = 4.0 * np.random.default_rng(seed).random(problem.num_elements)
    covers = np.zeros((problem.num_items, problem.num_elements))
    for i in range(problem.num_items):
        covers[i, problem.edges.elements_of(i)] = 1.0
    g = np.ones(problem.num_elements)
    edges = problem.edges
    excess = kernel("subgradients").lower_slopes(
        u, problem.costs, edges.item_start, edges.item_elements, g
    )
    earned = covers @ u - problem.costs
    np.testing.assert_allclose(excess, np.maximum(earned, 0.0).sum(), atol=1e-12)
    assert g.tolist() == (1.0 - covers.T @ (earned > 0)).tolist()


def test_multipliers_follow_the_direction_but_never_below_zero(kernel):
    steps = kernel("subgradients")
    u, g = np.array([0.0, 1.0, 0.0, 3.0]), np.array([-1.0, -2.0, 1.0, 1.0])
    d = np.array([2.0, 2.0, 2.0, 2.0])
    square = steps.turn(u, g, d, 0.5)
    assert d.tolist() == [1.0, -1.0, 2.0, 2.0]
    assert square == 10.0
    steps.move(u, d, 2.0)
    assert u.tolist() == [2.0, 0.0, 4.0, 7.0]
