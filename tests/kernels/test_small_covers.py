import numpy as np
import pytest
from cases import for_each

from thatch import CoverageProblem
from thatch._kernels.small_covers import SmallCovers


def random_cover(seed):
    """Every element has items; some have one alone."""
    rng = np.random.default_rng(seed)
    num_items, num_elements = rng.integers(1, (12, 15), endpoint=True)
    is_edge = rng.random((num_items, num_elements)) < rng.choice([0.1, 0.3, 0.6])
    is_edge[rng.integers(num_items, size=num_elements), np.arange(num_elements)] = True
    costs = np.ones(num_items) if seed % 2 else rng.uniform(1, 9, num_items)
    return CoverageProblem.from_matrix(is_edge, costs=costs, budget=0)


def least_cost(problem):
    """By enumeration, with one bit per element."""
    every = (1 << problem.num_elements) - 1
    costs = {0: 0.0}
    for i in range(problem.num_items):
        mask = sum(1 << a for a in problem.edges.elements_of(i).tolist())
        for covered, cost in list(costs.items()):
            total = cost + problem.costs[i]
            costs[covered | mask] = min(total, costs.get(covered | mask, np.inf))
    return costs[every]


def solved(problem, multipliers, *, max_nodes=10**6):
    """The items found, and the nodes left."""
    best = np.ones(problem.num_items, dtype=np.int8)
    search = SmallCovers(problem.costs, problem.edges, multipliers, 1e-9, best)
    items, elements = np.arange(problem.num_items), np.arange(problem.num_elements)
    left = search.solve(items, elements, max_nodes)
    return np.flatnonzero(best), left


@for_each("seed", range(40))
def test_covers_are_the_cheapest(seed):
    problem = random_cover(seed)
    edges = problem.edges
    ratios = problem.costs / np.maximum(1, edges.item_degrees)
    lowest = np.array(
        [ratios[edges.items_of(a)].min() for a in range(edges.num_elements)]
    )
    for multipliers in (np.zeros(edges.num_elements), lowest):
        items, left = solved(problem, multipliers)
        assert left >= 0
        assert problem.costs[items].sum() == pytest.approx(least_cost(problem))
        covered = {a for i in items for a in edges.elements_of(i).tolist()}
        assert len(covered) == problem.num_elements


def test_without_nodes_the_cover_stays():
    problem = random_cover(2)
    items, left = solved(problem, np.zeros(problem.num_elements), max_nodes=0)
    assert left < 0
    assert items.size == problem.num_items
