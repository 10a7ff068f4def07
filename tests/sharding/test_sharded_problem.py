"""Problems in shards: what is written is what is read."""

import json

import numpy as np
import pytest
from refusals import refused

from thatch.errors import FileFormatError, InputError
from thatch.instances.random_graphs import PowerLawGraph
from thatch.sharding import ShardedProblem


@pytest.fixture
def problem():
    graph = PowerLawGraph(num_items=60, num_elements=200, mean_item_degree=6)
    return graph.problem(budget=50, seed=2)


@pytest.mark.parametrize("num_shards", [1, 3, 7])
def test_shards_hold_all_edges_and_weights(problem, tmp_path, num_shards):
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=num_shards)
    shards = [sharded.shard(k) for k in range(num_shards)]
    items = np.concatenate([shard.items[shard.element_items] for shard in shards])
    assert np.array_equal(items, problem.edges.element_items)
    weights = np.concatenate([shard.weights for shard in shards])
    assert np.array_equal(weights, problem.weights)
    degrees = np.concatenate([np.diff(shard.element_start) for shard in shards])
    assert np.array_equal(degrees, problem.edges.element_degrees)
    assert np.array_equal(sharded.costs, problem.costs)
    assert np.array_equal(sharded.item_degrees, problem.edges.item_degrees)
    assert sharded.num_edges == problem.num_edges
    assert sharded.num_elements == problem.num_elements
    assert sharded.total_weight == problem.reachable_weight


def test_a_folder_is_opened_again(problem, tmp_path):
    written = ShardedProblem.from_problem(problem, tmp_path, num_shards=2)
    assert repr(ShardedProblem.open(tmp_path)) == repr(written)
    assert written.with_budget(7).budget == 7.0


def test_another_folder_is_refused(tmp_path):
    with refused(InputError, "not a folder of shards", "problem.json"):
        ShardedProblem.open(tmp_path)


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", json.dumps({"format": "other", "version": 1})]
)
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "problem.json").write_text(content)
    with refused(FileFormatError, "problem.json", "does not describe shards"):
        ShardedProblem.open(tmp_path)
