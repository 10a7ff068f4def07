import networkx
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from problems import problems
from refusals import refused

from thatch import CoverageProblem, InputError
from thatch.errors import InputTypeError
from thatch.problem.edges import Edges

NAN, INF = float("nan"), float("inf")


def from_edges(
    edges=((0, 0), (1, 1)), costs=(1, 2), weights=(3, 4), budget=1.0, **names
):
    return CoverageProblem.from_edges(
        edges, costs=costs, weights=weights, budget=budget, **names
    )


def edge_set(problem):
    return {
        (i, int(a))
        for i in range(problem.num_items)
        for a in problem.edges.elements_of(i)
    }


@given(problems())
def test_both_groupings_hold_the_same_edges(problem):
    edges = problem.edges
    by_element = {
        (int(i), a) for a in range(problem.num_elements) for i in edges.items_of(a)
    }
    assert by_element == edge_set(problem)
    # Position e of the item grouping says which edge it is in the element grouping.
    for i in range(problem.num_items):
        for e in range(edges.item_start[i], edges.item_start[i + 1]):
            assert edges.element_items[edges.item_edges[e]] == i


@given(problems())
def test_edges_are_numbered_the_same_whatever_order_they_come_in(problem):
    pairs = sorted(edge_set(problem), key=lambda pair: (-pair[1], pair[0]))
    again = CoverageProblem.from_edges(
        pairs, costs=problem.costs, weights=problem.weights, budget=problem.budget
    )
    np.testing.assert_array_equal(
        again.edges.element_items, problem.edges.element_items
    )
    np.testing.assert_array_equal(
        again.edges.item_elements, problem.edges.item_elements
    )
    np.testing.assert_array_equal(again.edges.item_edges, problem.edges.item_edges)


def test_arrays_cannot_be_changed():
    problem = from_edges()
    for array in (problem.costs, problem.weights, problem.edges.item_elements):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_the_callers_arrays_stay_their_own():
    costs = np.array([1.0, 2.0])
    problem = from_edges(costs=costs)
    costs[0] = 99.0
    assert problem.costs[0] == 1.0


def test_every_way_in_gives_the_same_problem():
    matrix = [[1, 1, 0], [0, 1, 1]]
    graph = networkx.Graph()
    graph.add_nodes_from(["s", "t"], bipartite=0)
    graph.add_nodes_from("abc", bipartite=1)
    graph.add_edges_from([("s", "a"), ("b", "s"), ("t", "b"), ("c", "t")])
    ways = [
        CoverageProblem.from_matrix(matrix, budget=1),
        CoverageProblem.from_matrix(scipy.sparse.csc_matrix(matrix), budget=1),
        CoverageProblem.from_matrix(scipy.sparse.coo_array(matrix), budget=1),
        CoverageProblem.from_networkx(graph, budget=1),
        CoverageProblem.from_sets([{0, 1}, {1, 2}], budget=1, weights=[1, 1, 1]),
        CoverageProblem.from_sets({"s": ["a", "b"], "t": ["b", "c"]}, budget=1),
    ]
    for problem in ways:
        assert edge_set(problem) == {(0, 0), (0, 1), (1, 1), (1, 2)}
        np.testing.assert_array_equal(problem.costs, [1, 1])
        np.testing.assert_array_equal(problem.weights, [1, 1, 1])


def test_explicit_zeros_of_a_sparse_matrix_are_no_edges():
    matrix = scipy.sparse.csr_array(([1.0, 0.0], ([0, 0], [0, 1])), shape=(1, 2))
    assert CoverageProblem.from_matrix(matrix, budget=1).num_edges == 1


def test_networkx_attributes_become_costs_and_weights():
    graph = networkx.Graph()
    graph.add_node("s", bipartite=0, cost=4.0)
    graph.add_node("a", bipartite=1, weight=2.5)
    graph.add_edge("s", "a")
    problem = CoverageProblem.from_networkx(graph, budget=1)
    assert (problem.costs[0], problem.weights[0]) == (4.0, 2.5)
    assert (problem.item_names, problem.element_names) == (("s",), ("a",))


def test_sets_by_name_take_costs_and_weights_by_name():
    problem = CoverageProblem.from_sets(
        {"s": {"a"}, "t": {"b"}},
        budget=3,
        costs={"t": 2, "s": 1},
        weights={"b": 5, "a": 4, "z": 1},
    )
    assert problem.costs.tolist() == [1, 2]
    assert problem.element_names == ("b", "a", "z")
    assert edge_set(problem) == {(0, 1), (1, 0)}


def test_with_budget_changes_nothing_else():
    problem = from_edges(item_names=["x", "y"])
    other = problem.with_budget(9)
    assert (other.budget, problem.budget) == (9.0, 1.0)
    assert other.edges is problem.edges
    assert other.item_label(1) == "y"


def test_union_keeps_parts_apart():
    first, second = from_edges(), from_edges(edges=[(0, 1)])
    union = Edges.union([first.edges, second.edges])
    assert (union.num_items, union.num_elements, union.num_edges) == (4, 4, 3)
    assert union.items_of(3).tolist() == [2]
    assert union.elements_of(2).tolist() == [3]


def test_the_representation_names_the_sizes():
    assert (
        repr(from_edges()) == "CoverageProblem(2 items, 2 elements, 2 edges, budget 1)"
    )


BAD_VALUES = [
    (dict(costs=(NAN, 1)), ("costs", "nan", "0")),
    (dict(costs=(1, -2)), ("costs", "-2.0", "1")),
    (dict(costs=(1, INF)), ("costs", "inf", "1")),
    (dict(costs=(1, -2), item_names=["p", "q"]), ("costs", "-2.0", "'q'")),
    (dict(weights=(NAN, 1)), ("weights", "nan", "0")),
    (dict(weights=(1, -INF)), ("weights", "-inf", "1")),
    (dict(weights=(1e308, 1e308)), ("weights", "sum")),
    (dict(costs=(1e308, 1e308)), ("costs", "sum")),
    (dict(budget=NAN), ("budget", "nan")),
    (dict(budget=-1), ("budget", "-1.0")),
    (dict(budget=INF), ("budget", "inf")),
    (dict(edges=[(0, 2)]), ("edge 0", "element 2", "2 elements")),
    (dict(edges=[(0, 0), (-1, 0)]), ("edge 1", "item -1", "2 items")),
    (dict(edges=[(0, 1), (0, 1)]), ("item 0", "element 1")),
    (dict(edges=[(0, 1, 2)]), ("edges", "pairs")),
    (dict(edges=[(0, 1), (1,)]), ("edges", "pairs")),
    (dict(edges=3), ("edges", "pairs")),
    (dict(costs=[[1, 2]]), ("costs", "2")),
    (dict(costs=[[1], [1, 2]]), ("costs",)),
    (dict(item_names=["p"]), ("1 item names", "2 items")),
    (dict(item_names=["p", "p"]), ("item names", "'p'")),
]


@pytest.mark.parametrize(("change", "facts"), BAD_VALUES)
def test_bad_values_are_refused_by_name_value_and_place(change, facts):
    with refused(InputError, *facts):
        from_edges(**change)


BAD_TYPES = [
    (dict(costs=["one", 2]), ("costs", "'one'", "0")),
    (dict(costs=[None, 2]), ("costs", "None", "0")),
    (dict(budget="ten"), ("budget", "'ten'")),
    (dict(edges=[(0.5, 1.0)]), ("edges", "float64")),
]


@pytest.mark.parametrize(("change", "facts"), BAD_TYPES)
def test_bad_types_are_refused(change, facts):
    with refused(InputTypeError, *facts):
        from_edges(**change)


def two_items_joined():
    graph = networkx.Graph()
    graph.add_nodes_from("st", bipartite=0)
    graph.add_edge("s", "t")
    return graph


@pytest.mark.parametrize(
    ("build", "facts"),
    [
        (
            lambda: CoverageProblem.from_matrix([[1, 0], [1]], budget=1),
            ("rows",),
        ),
        (
            lambda: CoverageProblem.from_matrix([1, 0], budget=1),
            ("dimensions", "1"),
        ),
        (
            lambda: CoverageProblem.from_matrix([[1, NAN]], budget=1),
            ("nan", "row 0", "column 1"),
        ),
        (
            lambda: CoverageProblem.from_matrix([["x"]], budget=1),
            ("matrix", "<U1"),
        ),
        (
            lambda: CoverageProblem.from_sets(["ab"], budget=1),
            ("item 0", "'ab'"),
        ),
        (
            lambda: CoverageProblem.from_sets([5], budget=1),
            ("item 0", "5"),
        ),
        (
            lambda: CoverageProblem.from_sets([["a", "a"]], budget=1),
            ("item 0", "element 0"),
        ),
        (
            lambda: CoverageProblem.from_sets({"s": ["a"]}, budget=1, costs={}),
            ("costs", "'s'"),
        ),
        (
            lambda: CoverageProblem.from_sets([["a"]], budget=1, weights={"b": 1}),
            ("item 0", "'a'", "weight"),
        ),
        (
            lambda: CoverageProblem.from_networkx(networkx.path_graph(2), budget=1),
            ("node 0", "bipartite=None"),
        ),
        (
            lambda: CoverageProblem.from_networkx(two_items_joined(), budget=1),
            ("edge", "'s'", "'t'"),
        ),
        (lambda: from_edges(costs=(1,)), ("edge 1", "item 1", "1 items")),
        (
            lambda: CoverageProblem.from_sets([["a"], ["b"]], budget=1, costs=[1] * 5),
            ("5 costs", "2 items"),
        ),
        (
            lambda: CoverageProblem.from_sets(
                {"s": ["a"]}, budget=1, costs={"s": 1, "t": 2}
            ),
            ("costs", "'t'"),
        ),
        (
            lambda: CoverageProblem.from_matrix([[1]], budget=1, weights=[1, 2]),
            ("2 weights", "1 elements"),
        ),
        (
            lambda: CoverageProblem.from_sets(None, budget=1),
            ("sets", "None"),
        ),
        (
            lambda: CoverageProblem.from_sets([[[1]]], budget=1),
            ("item 0", "[1]"),
        ),
        (
            lambda: CoverageProblem.from_networkx([1], budget=1),
            ("graph", "[1]"),
        ),
        (lambda: from_edges(item_names=[5, 6]), ("item names", "5")),
        (
            lambda: CoverageProblem.from_matrix(
                scipy.sparse.coo_array([1, 0]), budget=1
            ),
            ("dimensions", "1"),
        ),
        (
            lambda: Edges.between([0], [0, 1], num_items=1, num_elements=2),
            ("1 items", "2 elements"),
        ),
    ],
)
def test_bad_shapes_are_refused(build, facts):
    with refused((InputError, InputTypeError), *facts):
        build()


@pytest.mark.parametrize("change", [{"budget": 10**400}, {"costs": [1, 10**400]}])
def test_integers_beyond_a_double_are_refused(change):
    with refused(InputError, *change):
        from_edges(**change)


def test_the_constructor_copies_and_checks_too():
    edges = from_edges().edges
    costs = np.array([1, 2])
    problem = CoverageProblem(costs, np.array([3.0, 4.0]), 1.0, edges)
    costs[0] = 99
    assert problem.costs.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        problem.weights[0] = 5.0
    with refused(InputError, "3 costs", "2 items"):
        CoverageProblem(np.ones(3), np.ones(2), 1.0, edges)


def test_names_that_look_alike_are_told_apart():
    problem = CoverageProblem.from_sets([[1, "1"]], budget=1)
    assert problem.element_names == ("1", "'1'")


def test_matrices_take_names():
    problem = CoverageProblem.from_matrix(np.eye(2), budget=1, item_names=["p", "q"])
    assert problem.item_label(1) == "q"
