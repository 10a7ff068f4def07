"""Problems in shards: what is written is what is read."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest
from refusals import refused

from thatch import CoverageProblem, solve
from thatch.errors import FileFormatError, InputError
from thatch.problem.instances.random_graphs import PowerLawGraph
from thatch.scale import ShardedProblem, write_biregular


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


def test_names_of_a_former_problem_are_gone(tmp_path):
    named = CoverageProblem.from_sets({"north": {"a"}, "south": {"b"}}, budget=1)
    ShardedProblem.from_problem(named, tmp_path, num_shards=1)
    plain = CoverageProblem.from_sets([{"a"}, {"b"}], budget=1)
    other = ShardedProblem.from_problem(plain, tmp_path, num_shards=1, overwrite=True)
    assert other.item_label(0) == 0


@pytest.mark.parametrize("num_items", [5, 5000])
def test_a_problem_that_was_replaced_is_not_solved(problem, tmp_path, num_items):
    opened = ShardedProblem.from_problem(problem, tmp_path, num_shards=2)
    sizes = {"num_items": num_items, "budget": 9, "num_shards": 2, "seed": 1}
    write_biregular(tmp_path, **sizes, overwrite=True)
    with refused(InputError, str(tmp_path), "replaced"):
        solve(opened)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("element_items", lambda values: np.full_like(values, 10**6)),
        ("element_items", lambda values: values.astype(np.int64)),
        ("element_items", lambda values: values[:-1]),
        ("items", lambda values: values[::-1]),
        ("items", lambda values: values[:-1]),
        ("starts", lambda values: values[:-1]),
        ("starts", lambda values: values[::-1]),
        ("starts", lambda values: values + 1),
        ("weights", lambda values: values[:, None]),
        ("weights", lambda values: values.astype(complex)),
    ],
)
def test_a_damaged_shard_is_an_error(problem, tmp_path, name, change):
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=1)
    path = sharded.shard_folder(0).child(f"{name}.npy").local_path
    np.save(path, change(np.load(path)))
    with refused(FileFormatError, "shard-00000", "damaged"):
        sharded.shard(0)


def test_a_shard_copied_over_another_is_an_error(problem, tmp_path):
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=2)
    first, second = (sharded.shard_folder(k).local_path for k in range(2))
    shutil.copytree(first, second, dirs_exist_ok=True)
    with refused(FileFormatError, "shard-00001", "damaged"):
        solve(sharded)


@pytest.mark.parametrize("name", ["costs", "shard-00000/weights", "shard-00000/items"])
def test_a_missing_file_is_named(problem, tmp_path, name):
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=1)
    sharded.files.child(f"{name}.npy").local_path.unlink()
    with refused(FileFormatError, f"{name}.npy", "incomplete"):
        solve(sharded)


def test_a_shard_of_another_problem_is_an_error(problem, tmp_path):
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=1)
    path = sharded.shard_folder(0).child("items.npy").local_path
    np.save(path, np.load(path) + 10**6)
    with refused(FileFormatError, "shard-00000", "damaged"):
        solve(sharded)


def test_a_truncated_file_is_named(problem, tmp_path):
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=1)
    for name in ("costs", "shard-00000/starts"):
        path = sharded.files.child(f"{name}.npy").local_path
        path.write_bytes(path.read_bytes()[:-20])
    with refused(FileFormatError, "costs.npy", "damaged"):
        sharded.costs  # noqa: B018
    with refused(FileFormatError, "starts.npy", "damaged"):
        sharded.shard(0)


def test_costs_of_another_length_are_an_error(problem, tmp_path):
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=1)
    np.save(sharded.files.child("costs.npy").local_path, np.ones(3))
    with refused(FileFormatError, "costs.npy", "damaged"):
        sharded.costs  # noqa: B018


@pytest.mark.parametrize("value", ["many", None, -2.5])
def test_a_damaged_description_is_an_error(problem, tmp_path, value):
    ShardedProblem.from_problem(problem, tmp_path, num_shards=1)
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"num_items": value}))
    with refused(FileFormatError, "problem.json"):
        ShardedProblem.open(tmp_path)


@pytest.mark.slow
def test_many_shards_need_few_open_files(problem, tmp_path):
    """All files of all shards would be more than the limit."""
    sharded = ShardedProblem.from_problem(problem, tmp_path, num_shards=100)
    script = (
        "import resource, sys, thatch\n"
        "from thatch.scale import ShardedProblem\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400))\n"
        "solver = thatch.BeliefPropagation(max_iterations=2)\n"
        "problem = ShardedProblem.open(sys.argv[1])\n"
        "print(thatch.solve(problem, solver).status.label)\n"
    )
    arguments = [sys.executable, "-c", script, str(tmp_path)]
    answer = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert answer.stdout.strip() == "finished", answer.stderr
    assert sharded.num_edges == problem.num_edges
