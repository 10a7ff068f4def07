import hashlib

import numpy as np
import pytest
from cases import for_each
from refusals import refused

from thatch import InputError
from thatch.errors import InputTypeError
from thatch.problem.instances.random_graphs import (
    BiregularGraph,
    ErdosRenyiGraph,
    GeometricGraph,
    PowerLawGraph,
)
from thatch.problem.instances.randomness import (
    ByDegree,
    Constant,
    Randomness,
    UniformIntegers,
    UniformReals,
)


def fingerprint(problem):
    digest = hashlib.sha256()
    for array in (problem.costs, problem.weights, problem.edges.item_elements):
        digest.update(np.ascontiguousarray(array).astype("<f8").tobytes())
    return digest.hexdigest()[:16]


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (BiregularGraph(100, 300, 9, 3), "528c98343ec9cb6b"),
        (BiregularGraph(12, 9, 6, 8), "3ae64e78b0af9c33"),
        (ErdosRenyiGraph(50, 80, 0.1), "87bea754be764f09"),
        (PowerLawGraph(100, 300, 9.0, 2.5), "08f5f7b6a1301120"),
        (GeometricGraph(100, 300, 0.1), "f9cac82af9f687a2"),
        (
            BiregularGraph(20, 30, 3, 2, UniformReals(1, 2), ByDegree(0.5)),
            "119c5ae8fd0d859f",
        ),
    ],
    ids=repr,
)
def test_a_seed_gives_the_same_graph_everywhere(graph, expected):
    assert fingerprint(graph.problem(budget=10, seed=42)) == expected
    assert fingerprint(graph.problem(budget=10, seed=43)) != expected


@pytest.mark.parametrize(
    ("items", "elements", "item_degree", "element_degree"),
    [
        (100, 300, 9, 3),
        (1, 1, 1, 1),
        (6, 6, 3, 3),
        (10, 10, 9, 9),
        (7, 7, 7, 7),
        (4, 8, 0, 0),
        (30, 10, 4, 12),
        (200, 200, 100, 100),
    ],
)
def test_biregular_graphs_have_their_degrees_and_no_repeated_edge(
    items, elements, item_degree, element_degree
):
    graph = BiregularGraph(items, elements, item_degree, element_degree)
    for seed in range(5):
        # Repeated edges would be refused by the problem itself.
        edges = graph.problem(budget=1, seed=seed).edges
        assert set(edges.item_degrees.tolist()) == {item_degree}
        assert set(edges.element_degrees.tolist()) == {element_degree}


def test_biregular_graphs_pair_every_item_and_element_equally_often():
    graph = BiregularGraph(6, 9, 3, 2)
    counts = np.zeros((6, 9))
    for seed in range(3000):
        edges = graph.problem(budget=1, seed=seed).edges
        for i in range(6):
            counts[i, edges.elements_of(i)] += 1
    expected = 3000 * 3 / 9
    # Five standard deviations of a binomial count.
    assert np.abs(counts - expected).max() < 5 * np.sqrt(expected * (1 - 3 / 9))


def test_biregular_graphs_are_drawn_equally_often():
    """Degrees 2 on 4 items and 4 elements: 18 of 90 graphs are two squares."""
    graph = BiregularGraph(4, 4, 2, 2)
    draws = 4000
    squares = 0
    for seed in range(draws):
        edges = graph.problem(budget=1, seed=seed).edges
        rows = {tuple(edges.elements_of(i).tolist()) for i in range(4)}
        squares += len(rows) == 2
    expected = draws * 18 / 90
    assert abs(squares - expected) < 4 * np.sqrt(expected * (1 - 18 / 90))


def test_erdos_renyi_edges_are_as_many_as_the_probability_says():
    graph = ErdosRenyiGraph(400, 500, 0.05)
    problem = graph.problem(budget=1, seed=1)
    assert abs(problem.num_edges - 10_000) < 5 * np.sqrt(10_000 * 0.95)
    assert abs(problem.edges.item_degrees.std() - np.sqrt(25 * 0.95)) < 0.7


@pytest.mark.parametrize(("probability", "count"), [(0.0, 0), (1.0, 12)])
def test_erdos_renyi_at_the_ends(probability, count):
    assert (
        ErdosRenyiGraph(3, 4, probability).problem(budget=1, seed=0).num_edges == count
    )


def test_power_law_graphs_have_hubs():
    problem = PowerLawGraph(3000, 3000, 5.0, 2.3).problem(budget=1, seed=0)
    assert problem.num_edges == 15_000
    degrees = np.sort(problem.edges.element_degrees)[::-1]
    assert degrees[0] > 60 * degrees.mean()
    assert degrees[1500] < degrees.mean()


def test_geometric_graphs_have_the_degrees_of_disks():
    """Two random points of the square are within r with a known probability."""
    radius, count = 0.05, 2000
    problem = GeometricGraph(count, count, radius).problem(budget=1, seed=0)
    probability = np.pi * radius**2 - 8 / 3 * radius**3 + radius**4 / 2
    assert abs(problem.num_edges / count**2 / probability - 1) < 0.03
    assert set(problem.costs.tolist()) == {1.0}


def test_a_larger_radius_only_adds_edges():
    small, large = (
        set(map(tuple, edges_of(GeometricGraph(60, 80, radius)))) for radius in (0.1, 2)
    )
    assert small < large
    assert len(large) == 60 * 80


def edges_of(graph):
    edges = graph.problem(budget=1, seed=0).edges
    return [(i, a) for i in range(graph.num_items) for a in edges.elements_of(i)]


def test_empty_graphs_can_be_drawn():
    for graph in (
        BiregularGraph(0, 0, 0, 0),
        ErdosRenyiGraph(0, 5, 0.5),
        ErdosRenyiGraph(5, 0, 0.5),
        PowerLawGraph(0, 0, 0.0),
        GeometricGraph(0, 5, 0.5),
        GeometricGraph(5, 0, 0.5),
    ):
        assert graph.problem(budget=1, seed=0).num_edges == 0


def test_rules_give_what_they_say():
    degrees = np.array([1, 2, 3])
    randomness = Randomness(0)
    whole = UniformIntegers(2, 4)(randomness, np.zeros(3000, dtype=np.int64))
    assert set(whole.tolist()) == {2.0, 3.0, 4.0}
    assert abs(whole.mean() - 3.0) < 0.1
    reals = UniformReals(1.0, 3.0)(randomness, np.zeros(3000, dtype=np.int64))
    assert 1.0 <= reals.min() < 1.01 < 2.99 < reals.max() < 3.0
    assert Constant(7.0)(randomness, degrees).tolist() == [7.0, 7.0, 7.0]
    assert ByDegree(2.0)(randomness, degrees).tolist() == [2.0, 4.0, 6.0]


def test_a_permutation_contains_every_number_once():
    assert sorted(Randomness(3).permutation(50).tolist()) == list(range(50))


@pytest.mark.parametrize(
    ("make", "facts"),
    [
        (
            lambda: BiregularGraph(10, 10, 2, 3),
            ["element_degree", "30"],
        ),
        (
            lambda: BiregularGraph(3, 1, 2, 6),
            ["item_degree", "2"],
        ),
        (lambda: BiregularGraph(-1, 1, 1, -1), ["num_items", "-1"]),
        (
            lambda: ErdosRenyiGraph(3, 3, 1.5),
            ["probability", "1.5"],
        ),
        (
            lambda: ErdosRenyiGraph(3, 3, float("nan")),
            ["probability", "nan"],
        ),
        (lambda: PowerLawGraph(3, 3, 1.0, 2.0), ["exponent", "2.0"]),
        (
            lambda: PowerLawGraph(3, 3, 4.0),
            ["mean_item_degree", "4.0"],
        ),
        (
            lambda: PowerLawGraph(200, 200, 199.9, 2.05).problem(budget=1, seed=0),
            ["mean_item_degree", "199.9"],
        ),
        (lambda: GeometricGraph(3, 3, -0.1), ["radius", "-0.1"]),
        (lambda: GeometricGraph(3, 3, float("nan")), ["radius", "nan"]),
        (lambda: UniformIntegers(5, 2), ["low", "5", "high", "2"]),
        (lambda: UniformReals(-1, 2), ["low", "-1", "high", "2"]),
        (lambda: Randomness(-1), ["seed", "-1"]),
    ],
)
def test_impossible_graphs_are_refused(make, facts):
    with refused(InputError, *facts):
        make()


@pytest.mark.parametrize("value", [2.5, float("inf"), float("nan"), -1])
@pytest.mark.parametrize(
    "graph",
    [
        BiregularGraph(4, 4, 2, 2),
        ErdosRenyiGraph(4, 4, 0.5),
        PowerLawGraph(4, 4, 2),
        GeometricGraph(4, 4, 0.5),
    ],
)
def test_a_seed_is_a_whole_number(graph, value):
    with refused(InputError, "seed", value):
        graph.problem(budget=1, seed=value)


@for_each("value", [2.5, float("inf"), float("nan"), -1, 2**31])
@for_each(
    ("kind", "others"),
    [
        (BiregularGraph, {"item_degree": 2, "element_degree": 2}),
        (ErdosRenyiGraph, {"probability": 0.5}),
        (PowerLawGraph, {"mean_item_degree": 2}),
        (GeometricGraph, {"radius": 0.5}),
    ],
)
@for_each("name", ["num_items", "num_elements"])
def test_sizes_are_whole_numbers(kind, others, name, value):
    with refused(InputError, name, value):
        kind(**{"num_items": 4, "num_elements": 4} | others | {name: value})


@pytest.mark.parametrize("name", ["item_degree", "element_degree"])
def test_degrees_are_whole_numbers(name):
    degrees = {"item_degree": 2, "element_degree": 2} | {name: 2.5}
    with refused(InputError, name, 2.5):
        BiregularGraph(4, 4, **degrees)


def test_text_is_not_a_whole_number():
    with refused(InputTypeError, "seed", "'2'"):
        Randomness("2")
    with refused(InputTypeError, "num_items", "'2'"):
        ErdosRenyiGraph("2", 4, 0.5)


@pytest.mark.parametrize("limits", [{"low": 0.5}, {"high": 2.5}])
def test_limits_of_integers_are_whole_numbers(limits):
    [(name, value)] = limits.items()
    with refused(InputError, name, value):
        UniformIntegers(**limits)
