"""Trees of vertex covers show what is true, and nothing else."""

import numpy as np
import pytest
from cases import for_each
from graphs import most_independent, random_pairs, search_in

from thatch import CoverageProblem, cover
from thatch.verification import reasons_against_bound, verify


def graph_of(pairs, size):
    """Vertices are items, and edges are elements, all of which must be covered."""
    sets = [[a for a, pair in enumerate(pairs) if i in pair] for i in range(size)]
    return CoverageProblem.from_sets(sets, budget=0)


def tree_of(pairs, size, q):
    """The tree of a search that finds no q independent vertices."""
    search = search_in(pairs, size, q)
    assert search.run(10**6) is None
    return search.tree


def reasons(problem, tree, cost):
    certificate = {"points": [], "steps": [{"vertex_covers": tree}]}
    claim = {"most_left": 0.0, "least_cost": cost}
    return reasons_against_bound(problem, certificate, **claim)


CYCLE = [(k, (k + 1) % 5) for k in range(5)]


@for_each("seed", range(30))
def test_trees_show_what_is_true(seed):
    size = 12 + seed % 5
    pairs = random_pairs(seed, size=size, count=(2 + seed % 3) * size)
    cost = size - most_independent(pairs, size)
    tree = tree_of(pairs, size, size - cost + 1)
    problem = graph_of(pairs, size)
    assert reasons(problem, tree, cost) == ()
    assert reasons(problem, tree.tolist(), cost - 1) == ()
    assert reasons(problem, tree, cost + 1)


@for_each("seed", range(30))
def test_trees_of_what_is_false_are_refused(seed):
    """Those of a graph with an edge more, and those with other numbers."""
    rng, size = np.random.default_rng(seed), 12
    pairs = random_pairs(seed, size=size, count=24)
    cost = size - most_independent(pairs, size)
    tree = tree_of(pairs, size, size - cost + 1)
    for k in range(len(pairs)):
        fewer = pairs[:k] + pairs[k + 1 :]
        if size - most_independent(fewer, size) < cost:
            assert reasons(graph_of(fewer, size), tree, cost)
    problem = graph_of(pairs, size)
    for _ in range(50):
        changed = tree.copy()
        changed[rng.integers(tree.size)] = rng.integers(-3, size + 2)
        assert reasons(problem, changed, cost + 1)


@pytest.mark.parametrize(
    "tree",
    [
        [],
        [2],
        [9],
        [0, 0],
        [0, 7],
        [0, -1],
        [1, 0, 1, 0, 2],
        [4, 2, 2, 0, 1, 2, 3, -1, -1, 0],
        [4, 2, 3, 0, 1, 2, 3, 4, 0, -1, -1, 0],
        [4, 3, 1, 0, 1, 2, 2, 1, 3, 4, -1, -1, 0],
        [4, 2, 2, 0, 1, 2, 3, -1, 4, 0, -1, -1, 0],
        [4, 2, 2, 0, 1, 2, 3, -1, 4, 1, 0, -1, -1, 0],
        [4, 2, 1, 0, 1, -1, 4, 1, 0, -1, 3, 1, -1, -1, -1, 0],
        [4, 2, 2, 0, 2, 1, 3, -1, -1, 1, 4],
        [3, 5, 2, 2],
    ],
)
def test_steps_that_show_nothing_are_refused(tree):
    # A cycle of five has covers of three, and none of two.
    assert reasons(graph_of(CYCLE, 5), tree, 3.0)


def test_a_cycle_of_five_needs_three():
    problem = graph_of(CYCLE, 5)
    # Without the vertex 4: 0-1 and 2-3. With it: 1-2.
    without, with_it = [4, 2, 2, 0, 1, 2, 3, -1, -1, 0], [4, 2, 1, 1, 2, -1, -1, 0]
    assert reasons(problem, [3, 4, *with_it, *without], 3.0) == ()
    # Choosing the vertex 4 leaves 1 of 0-1, and nothing of 2-3.
    group = [4, 2, 2, 0, 1, 2, 3, -1, 4, 2, 0, 1, -1, -1, 0]
    assert reasons(problem, group, 3.0) == ()
    # Or a vertex is folded: a triangle is left, of which one is kept.
    assert reasons(problem, [1, 4, 0, 4, 2], 3.0) == ()
    assert reasons(problem, [1, 0, 0, 2, 2], 3.0) == ()


def test_what_need_not_be_covered_is_no_edge():
    problem = graph_of(CYCLE, 5)
    tree = [4, 2, 2, 0, 1, 2, 3, -1, 4, 2, 0, 1, -1, -1, 0]
    certificate = {"points": [], "steps": [{"vertex_covers": tree}]}
    assert reasons_against_bound(problem, certificate, most_left=1.0, least_cost=3.0)


def test_cheap_items_let_a_cover_have_more_of_them():
    problem = graph_of(CYCLE, 5).with_costs(np.array([1.0, 0.5, 0.5, 1.0, 1.0]))
    tree = [4, 2, 2, 0, 1, 2, 3, -1, 4, 2, 0, 1, -1, -1, 0]
    assert reasons(problem, tree, 1.4) == ()
    assert reasons(problem, tree, 1.6)


def test_covers_of_random_graphs_are_proved():
    """Where the linear relaxation takes half of every item."""
    pairs = random_pairs(1, size=70, count=280)
    problem = graph_of(pairs, 70)
    result = cover(problem)
    assert result.gap == 0.0
    assert result.lower_bound > 35
    steps = result.certificate.as_dict()["steps"]
    assert "vertex_covers" in steps[-1]
    assert str(verify(problem, result)) == "verified"


def test_graphs_too_large_for_the_memory_are_refused():
    size = 5_000
    problem = CoverageProblem.from_sets(
        [{i, (i + 1) % size} for i in range(size)], budget=0
    )
    [reason] = reasons(problem, [], 2.0)
    assert "too large" in reason
