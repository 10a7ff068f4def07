"""Constraints in JSON files: what is written is read, and bad ones are refused."""

import json

import pytest
from problems import random_constraints, random_problem
from refusals import refused

from thatch import CoverageProblem, read_instance, solve, write_instance
from thatch.errors import FileFormatError
from thatch.problem.selection import Selection

PROBLEM = CoverageProblem.from_sets({"a": {0, 1}, "b": {1}, "c": {2}}, budget=2)


@pytest.mark.parametrize("seed", range(20))
def test_constraints_survive_a_file(tmp_path, seed):
    problem = random_problem(seed, max_items=8, max_elements=12)
    problem = problem.with_constraints(**random_constraints(seed, problem))
    write_instance(problem, tmp_path / "a.json")
    read = read_instance(tmp_path / "a.json")
    kinds = None if problem.constraints is None else problem.constraints.kinds
    assert (None if read.constraints is None else read.constraints.kinds) == kinds
    for bits in range(2**problem.num_items):
        items = [i for i in range(problem.num_items) if bits >> i & 1]
        one, other = Selection.of(problem, items), Selection.of(read, items)
        assert (one.is_feasible, one.value) == (other.is_feasible, other.value)


def test_people_write_names(tmp_path):
    path = tmp_path / "a.json"
    write_instance(PROBLEM, path)
    fields = json.loads(path.read_text())
    assert fields["version"] == 1
    fields["constraints"] = {
        "required": ["b"],
        "budgets": {"staff": {"costs": {"a": 3, "b": 1, "c": 1}, "limit": 3}},
    }
    path.write_text(json.dumps(fields))
    assert solve(read_instance(path)).selection.labels == ["b", "c"]


@pytest.mark.parametrize(
    ("constraints", "facts"),
    [
        ([1], ("constraints", "object")),
        ({"require": [1]}, ("'require'",)),
        ({"required": ["z"]}, ("required", "'z'")),
        ({"required": 1}, ("required", "1")),
        ({"budgets": [1]}, ("budgets", "costs")),
        ({"budgets": {"staff": {"costs": [1, 1, 1]}}}, ("'staff'", "limit")),
        ({"groups": {"g": ["a"]}, "at_most": "x"}, ("at_most", "'x'")),
        ({"conflicts": [["a"]]}, ("conflicts", "['a']")),
    ],
)
def test_bad_constraints_are_refused_with_the_file(tmp_path, constraints, facts):
    fields = {
        "format": "thatch-coverage",
        "version": 2,
        "sets": [[0, 1], [1], [2]],
        "item_names": ["a", "b", "c"],
        "budget": 2,
        "constraints": constraints,
    }
    path = tmp_path / "a.json"
    path.write_text(json.dumps(fields))
    with refused(FileFormatError, path, *facts):
        read_instance(path)
