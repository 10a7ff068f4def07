"""What may be written as a shard, and what is refused."""

import numpy as np
import pytest
from refusals import refused
from shard_tools import ThisProcess

from thatch import CoverageProblem, solve
from thatch.errors import InputError, InputTypeError
from thatch.scale import ShardedProblem, ShardWriter

INF, NAN, HUGE = float("inf"), float("nan"), 1e308


def written(folder, *shards, costs=(1.0, 1.0, 1.0), budget=2):
    with ShardWriter.to(folder, costs, budget=budget) as writer:
        for shard in shards:
            writer.add(*shard)
    return ShardedProblem.open(folder)


def test_edges_of_an_element_may_have_any_order(tmp_path):
    problem = written(tmp_path, ([0, 3, 3, 5], [2, 0, 1, 2, 1], [1, 2, 3]))
    shard = problem.shard(0)
    assert shard.items[shard.element_items].tolist() == [0, 1, 2, 1, 2]
    assert problem.item_degrees.tolist() == [1, 2, 2]


@pytest.mark.parametrize(
    ("shard", "facts"),
    [
        (([0, 1], [5_000_000], [1.0]), ["items[0] is 5000000", "0 to 2"]),
        (([0, 2], [0, -3], [1.0]), ["items[1] is -3"]),
        (([0, 1], [2**32], [1.0]), ["items[0] is 4294967296"]),
        (([0, 1], np.array([2**64 - 1], dtype=np.uint64), [1.0]), ["items[0] is 9"]),
        (([0, 2, 1], [0, 1], [1.0, 1.0]), ["element_start must ascend"]),
        (([0, 2, 1, 2], [0, 1], [1.0] * 3), ["element_start must ascend"]),
        (([0, 1], [0, 1], [1.0]), ["element_start must ascend", "2"]),
        (([1, 2], [0, 1], [1.0]), ["element_start must ascend"]),
        (([0, 2], [0, 1], [1.0, 2.0]), ["element_start has 2 entries"]),
        (([0, 2], [1, 1], [1.0]), ["item 1 to element 0", "repeated"]),
        (([0, 1, 4], [1, 2, 0, 2], [1.0, 1.0]), ["item 2 to element 1", "repeated"]),
        (([0, 1], [0], [NAN]), ["weights[0] is nan"]),
        (([0, 1], [0], [-1.0]), ["weights[0] is -1.0"]),
        (([0, 1], [0], [INF]), ["weights[0] is inf"]),
        (([0, 1, 2], [0, 1], [HUGE, HUGE]), ["sum of the weights exceeds"]),
    ],
)
def test_bad_shards_are_refused(tmp_path, shard, facts):
    with refused(InputError, *facts):
        written(tmp_path, shard)
    assert list(tmp_path.iterdir()) == []


def test_weights_of_all_shards_must_add_up(tmp_path):
    shard = ([0, 1], [0], [HUGE])
    with refused(InputError, "sum of the weights exceeds"):
        written(tmp_path, shard, shard)


@pytest.mark.parametrize(
    ("shard", "fact"),
    [
        (([0.0, 1.0], [0], [1.0]), "element_start has type float64"),
        (([0, 1], [[0]], [1.0]), "items has type int64 and 2 dimensions"),
        (([0, 1], [0], ["heavy"]), "weights[0] is 'heavy'"),
    ],
)
def test_other_types_are_refused(tmp_path, shard, fact):
    with refused(InputTypeError, fact):
        written(tmp_path, shard)


@pytest.mark.parametrize(
    ("costs", "fact"),
    [
        ([1.0, NAN], "costs[1] is nan"),
        ([-1.0], "costs[0] is -1.0"),
        ([HUGE, HUGE], "sum of the costs exceeds"),
    ],
)
def test_bad_costs_are_refused(tmp_path, costs, fact):
    with refused(InputError, fact):
        written(tmp_path, costs=costs)


def test_empty_shards_and_problems_are_solved(tmp_path):
    empty = written(tmp_path / "a", ([0], [], []), ([0, 0], [], [4.0]))
    assert solve(empty, engine=ThisProcess()).selection.value == 0.0
    none = written(tmp_path / "b", costs=[])
    assert solve(none, engine=ThisProcess()).selection.items.size == 0


def test_the_total_is_the_value_of_all_items(tmp_path):
    weights = [0.1] * 6
    shard = (np.arange(7), np.arange(6) % 3, weights)
    problem = written(tmp_path, shard, shard, budget=3)
    result = solve(problem, engine=ThisProcess())
    assert result.selection.value == problem.total_weight == 1.2000000000000002
    assert all(entry.upper_bound >= entry.value for entry in result.trace)


def test_constraints_are_refused(tmp_path):
    problem = CoverageProblem.from_sets([{"a", "b"}, {"b"}], budget=1)
    with refused(InputError, "constraints besides its budget"):
        ShardedProblem.from_problem(
            problem.with_constraints(forbidden=[0]), tmp_path, num_shards=1
        )


@pytest.mark.parametrize("num_shards", [0, -1, 2.5, "2"])
def test_the_number_of_shards_is_checked(tmp_path, num_shards):
    problem = CoverageProblem.from_sets([{"a", "b"}, {"b"}], budget=1)
    with refused((InputError, InputTypeError), f"num_shards is {num_shards!r}"):
        ShardedProblem.from_problem(problem, tmp_path, num_shards=num_shards)
