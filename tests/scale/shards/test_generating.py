"""Random problems written in shards."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from refusals import refused
from whole_problems import whole

from thatch import CoverageProblem, solve
from thatch.errors import InputError, InputTypeError
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.scale import ShardedProblem, write_biregular
from thatch.scale.shards.generating import BiregularEdges


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 12), st.integers(0, 99))
def test_degrees_are_exact_and_no_edge_is_repeated(items, degree, other_degree, seed):
    assume(items * degree % other_degree == 0 and other_degree <= items)
    edges = BiregularEdges(items, degree, other_degree, seed)
    rows = edges.rows(0, edges.num_elements)
    assert rows.shape == (edges.num_elements, other_degree)
    assert (np.bincount(rows.ravel(), minlength=items) == degree).all()
    assert (np.diff(rows, axis=1) > 0).all()


@pytest.mark.parametrize(
    ("items", "item_degree", "element_degree"),
    [
        (50_000, 9, 3),  # several blocks
        (20, 5000, 2),  # blocks with few items
        (40, 3000, 15),
        (40, 3900, 39),  # most items cover each element
        (40, 1000, 40),  # all of them
        (5000, 40, 100),  # long rows
    ],
)
def test_large_and_dense_graphs_have_exact_degrees(items, item_degree, element_degree):
    edges = BiregularEdges(items, item_degree, element_degree, seed=3)
    rows = edges.rows(0, edges.num_elements)
    assert (np.bincount(rows.ravel(), minlength=items) == item_degree).all()
    assert (np.diff(rows, axis=1) > 0).all()


def test_any_part_is_computed_alone():
    edges = BiregularEdges(50_000, 9, 3, seed=5)
    rows = edges.rows(0, edges.num_elements)
    for first, last in [(0, 1), (21_844, 21_846), (70_000, 150_000), (7, 7)]:
        assert np.array_equal(edges.rows(first, last), rows[first:last])
        weights = edges.weights(0, edges.num_elements, 1, 10)
        assert np.array_equal(edges.weights(first, last, 1, 10), weights[first:last])


def test_the_problem_does_not_depend_on_the_number_of_shards(tmp_path):
    problems = [
        whole(
            write_biregular(
                tmp_path / str(k), num_items=300, budget=100, num_shards=k, seed=1
            )
        )
        for k in (1, 7)
    ]
    one, other = problems
    assert np.array_equal(one.edges.element_items, other.edges.element_items)
    assert np.array_equal(one.weights, other.weights)
    assert np.array_equal(one.costs, other.costs)


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write_biregular(
            tmp_path / name, num_items=100, budget=50, num_shards=3, seed=seed
        )
    content = {
        name: {
            path.relative_to(next((tmp_path / name).glob("files-*"))): path.read_bytes()
            for path in (tmp_path / name).rglob("*.npy")
        }
        for name in "abc"
    }
    assert content["a"] == content["b"]
    assert content["a"] != content["c"]


def test_this_is_the_problem_of_seed_0_on_every_machine():
    edges = BiregularEdges(1000, 9, 3, seed=0)
    rows = [[827, 886, 959], [84, 755, 796], [230, 478, 915]]
    assert edges.rows(0, 3).tolist() == rows
    assert edges.costs(1, 10)[:8].tolist() == [8, 5, 2, 4, 8, 4, 4, 10]


def test_costs_and_weights_are_uniform(tmp_path):
    edges = BiregularEdges(20_000, 9, 3, seed=4)
    for values in (edges.costs(1, 10), edges.weights(0, 20_000, 1, 10)):
        counts = np.bincount(values.astype(int), minlength=11)
        assert counts[0] == 0
        # Chi-squared with nine degrees of freedom is below 33.7 in 9999 of 10,000.
        assert ((counts[1:] - 2000) ** 2 / 2000).sum() < 33.7
    sharded = write_biregular(
        tmp_path, num_items=4, budget=1, num_shards=1, seed=0, costs=(7, 7)
    )
    assert sharded.costs.tolist() == [7, 7, 7, 7]


def test_pairs_of_items_meet_as_often_as_in_a_random_graph():
    """At 50 items, all pairs are equally likely to have an element in common."""
    counts = np.zeros((50, 50))
    for seed in range(40):
        rows = BiregularEdges(50, 9, 3, seed).rows(0, 150)
        for one, other in ((0, 1), (0, 2), (1, 2)):
            np.add.at(counts, (rows[:, one], rows[:, other]), 1)
    pairs = counts[np.triu_indices(50, 1)]
    mean = pairs.mean()
    assert mean == 40 * 150 * 3 / pairs.size
    # Chi-squared with 1224 degrees of freedom: six standard deviations.
    assert abs(((pairs - mean) ** 2 / mean).sum() - 1224) < 6 * np.sqrt(2 * 1224)


@pytest.mark.slow
def test_greedy_values_are_those_of_biregular_graphs():
    """With the same costs and weights: their standard deviation is then 0.3 %."""
    expected, found = [], []
    for seed in range(3):
        graph = BiregularGraph(100_000, 300_000, 9, 3)
        problem = graph.problem(budget=100_000, seed=seed)
        expected.append(solve(problem, "greedy").selection.value)
        rows = BiregularEdges(100_000, 9, 3, seed).rows(0, 300_000)
        other = CoverageProblem.from_edges(
            np.column_stack([rows.ravel(), np.repeat(np.arange(300_000), 3)]),
            costs=problem.costs,
            weights=problem.weights,
            budget=100_000,
        )
        found.append(solve(other, "greedy").selection.value)
    assert np.mean(found) == pytest.approx(np.mean(expected), rel=0.005)


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"num_items": 10, "item_degree": 1}, "element_degree"),
        ({"num_items": 2, "element_degree": 3, "item_degree": 3}, "element_degree"),
        ({"num_items": 2**31}, "num_items"),
        ({"num_shards": 0}, "num_shards"),
        ({"seed": -1}, "seed"),
        ({"costs": (3, 2)}, "costs"),
        ({"weights": (-1, 2)}, "weights"),
    ],
)
def test_impossible_problems_are_refused(tmp_path, change, fact):
    given = {"num_items": 9, "budget": 1, "num_shards": 1, "seed": 0} | change
    with refused(InputError, fact):
        write_biregular(tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_a_count_must_be_a_number(tmp_path):
    with refused(InputTypeError, "num_items", "ten"):
        write_biregular(tmp_path, num_items="ten", budget=1, num_shards=1, seed=0)


def test_shards_are_not_overwritten_by_accident(tmp_path):
    def written(seed, **more):
        return write_biregular(
            tmp_path, num_items=9, budget=1, num_shards=2, seed=seed, **more
        )

    first = whole(written(0))
    with refused(InputError, "already contains shards"):
        written(1)
    assert np.array_equal(whole(ShardedProblem.open(tmp_path)).costs, first.costs)
    second = whole(written(1, overwrite=True))
    assert not np.array_equal(second.edges.element_items, first.edges.element_items)
