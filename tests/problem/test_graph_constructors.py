"""Dominating sets and hitting sets, against networkx and enumeration."""

from itertools import combinations

import networkx
import numpy as np
import pytest
import scipy.sparse
from cases import for_each
from refusals import refused

from thatch import CoverageProblem, cover
from thatch.errors import InputError, InputTypeError


def random_graph(seed, *, num_nodes=9, directed=False):
    return networkx.gnp_random_graph(num_nodes, 0.25, seed=seed, directed=directed)


def within(graph, distance):
    """What each node covers, by shortest paths."""
    lengths = dict(networkx.all_pairs_shortest_path_length(graph, cutoff=distance))
    return [set(lengths[node]) for node in graph]


def fewest(sets, targets):
    """The least number of sets that cover the targets, by trying all."""
    for size in range(len(sets) + 1):
        for chosen in combinations(sets, size):
            if targets <= set().union(*chosen):
                return size
    return None


@for_each("seed", range(8))
@pytest.mark.parametrize("distance", [0, 1, 2, 20])
@pytest.mark.parametrize("directed", [False, True])
def test_a_node_covers_what_is_near(seed, distance, directed):
    graph = random_graph(seed, directed=directed)
    problem = CoverageProblem.dominating_set(graph, distance=distance)
    covered = [set(problem.edges.elements_of(i).tolist()) for i in graph]
    assert covered == within(graph, distance)
    assert cover(problem).cost == fewest(covered, set(graph))


@for_each("seed", range(4))
def test_a_sparse_matrix_is_the_same_graph(seed):
    graph = random_graph(seed, directed=True)
    matrix = networkx.to_scipy_sparse_array(graph, nodelist=range(9), weight=None)
    one, other = map(CoverageProblem.dominating_set, (graph, matrix))
    np.testing.assert_array_equal(one.edges.item_elements, other.edges.item_elements)


def test_names_costs_and_weights_are_those_of_the_nodes():
    graph = networkx.Graph([("a", "b"), ("b", "c")])
    graph.nodes["b"]["cost"] = 3
    graph.nodes["c"]["weight"] = 7
    problem = CoverageProblem.dominating_set(graph, budget=2)
    assert problem.item_names == problem.element_names == ("a", "b", "c")
    assert problem.costs.tolist() == [1, 3, 1]
    assert problem.weights.tolist() == [1, 1, 7]
    other = CoverageProblem.dominating_set(graph, costs={"a": 2, "b": 2, "c": 2})
    assert (other.costs.tolist(), other.budget) == ([2, 2, 2], 6.0)


@for_each("seed", range(8))
def test_a_hitting_set_has_a_member_of_every_set(seed):
    rng = np.random.default_rng(seed)
    sets = [set(rng.choice(8, size, replace=False).tolist()) for size in (1, 2, 3, 3)]
    result = cover(CoverageProblem.hitting_set(sets))
    chosen = {int(label) for label in result.selection.labels}
    assert all(chosen & each for each in sets)
    members = range(8)
    containing = [{a for a, each in enumerate(sets) if i in each} for i in members]
    assert result.cost == fewest(containing, set(range(4)))


def test_sets_and_members_keep_their_names():
    teams = {"red": ["Ann", "Bo"], "blue": ["Bo", "Cy"]}
    problem = CoverageProblem.hitting_set(
        teams, costs={"Ann": 1, "Bo": 5, "Cy": 2}, weights={"red": 1, "blue": 4}
    )
    assert problem.item_names == ("Ann", "Bo", "Cy")
    assert problem.element_names == ("red", "blue")
    assert problem.weights.tolist() == [1, 4]
    assert cover(problem).selection.labels == ["Ann", "Cy"]


def test_what_is_no_graph_is_refused():
    make, graph = CoverageProblem.dominating_set, random_graph(0)
    with refused(InputTypeError, "[(0, 1)]"):
        make([(0, 1)])
    with refused(InputError, 2, 3):
        make(scipy.sparse.csr_array((2, 3)))
    with refused(InputError, "distance", -1):
        make(graph, distance=-1)


def test_what_is_no_family_of_sets_is_refused():
    make = CoverageProblem.hitting_set
    with refused(InputTypeError, "'ab'"):
        make(["ab"])
    with refused(InputError, "'b'"):
        make([{"a", "b"}], costs={"a": 1})
