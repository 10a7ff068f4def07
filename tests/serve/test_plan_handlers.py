"""Requests for plans: tables, problem files, budgets and alternatives."""

import json

import pytest
from refusals import refused

from thatch import CoverageProblem
from thatch.errors import FileFormatError, InfeasibleError, InputError
from thatch.problem.instances import write_instance
from thatch.serve.handlers import answer_to
from thatch.serve.limits import Limits
from thatch.serve.plan_handlers import read_problem

PLACES = "name,x,y,cost,people\nAyr,0,0,2,5\nBly,3,4,3,7\nCor,9,9,1,4\n"


def answer(handler, limits=None, **fields):
    return json.loads(
        answer_to(handler, json.dumps(fields).encode(), limits or Limits())
    )


def located(**fields):
    return answer("locate", sites={"text": PLACES, "name": "places.csv"}, **fields)


def test_a_table_becomes_a_problem_that_can_be_solved():
    found = located(radius=5)
    assert found["problem"]["sets"] == [[0, 1], [0, 1], [2]]
    assert found["locations"]["metric"] == "euclidean"
    assert found["locations"]["items"][1] == [3, 4]
    assert found["columns"] == {
        "cost": "cost",
        "weight": "people",
        "cost_choices": ["cost", "people"],
        "weight_choices": ["cost", "people"],
    }
    solution = answer("solve", problem=found["problem"], budget=3)
    assert (solution["items"], solution["value"]) == (["Ayr", "Cor"], 16)


def test_a_problem_too_large_to_be_sent_back_is_refused():
    with refused(InputError, "5 edges", "at most 4"):
        located_with(Limits(max_megabytes=28 / 2**20))


def located_with(limits):
    return answer("locate", limits, sites={"text": PLACES}, radius=5)


@pytest.mark.parametrize("suffix", [".json", ".npz", ".txt"])
def test_a_problem_file_is_read(tmp_path, suffix):
    problem = CoverageProblem.from_sets(
        [{0, 1}, {1, 2}], weights=[1, 2, 3], costs=[1, 2], budget=2
    )
    path = tmp_path / f"problem{suffix}"
    write_instance(problem, path)
    found = json.loads(read_problem(path.read_bytes(), path.name, Limits()))
    assert found.keys() == {"problem"}
    assert found["problem"]["sets"] == [[0, 1], [1, 2]]
    assert found["problem"]["budget"] == 2
    assert answer("solve", problem=found["problem"])["value"] == 5


def test_a_problem_keeps_its_constraints_and_may_lack_a_budget(tmp_path):
    content = {
        "format": "thatch-coverage",
        "version": 2,
        "sets": [[0], [1]],
        "constraints": {"demands": [1, 2], "required": [1]},
    }
    found = json.loads(read_problem(json.dumps(content).encode(), "a.json", Limits()))
    assert found["problem"]["constraints"] == content["constraints"]
    assert "budget" not in found["problem"]


def test_few_bytes_may_not_describe_an_answer_of_megabytes():
    limits = Limits(max_elements=1000)
    with refused(FileFormatError, "a.rail", "1,001 elements", "at most 1,000"):
        read_problem(b"1001 0", "a.rail", limits)
    found = json.loads(read_problem(b"1000 0", "a.rail", limits))
    assert len(found["problem"]["weights"]) == 1000


def test_a_broken_problem_file_is_refused_by_name():
    with refused(FileFormatError, "plan.json", "line 1"):
        read_problem(b"{", "plan.json", Limits())
    content = b'{"format": "thatch-coverage", "version": 1, "sets": [], "costs": [1]}'
    with refused(FileFormatError, "plan.json"):
        read_problem(content, "plan.json", Limits())


def test_values_within_budgets_are_those_of_solve():
    problem = located(radius=5)["problem"]
    swept = answer("budgets", problem=problem, budgets=[3, 1, 2], forbid=["Ayr"])
    assert [each["budget"] for each in swept["budgets"]] == [1, 2, 3]
    for each in swept["budgets"]:
        solution = answer(
            "solve", problem=problem, budget=each["budget"], forbid=["Ayr"]
        )
        assert (each["value"], each["gap"]) == (solution["value"], 0)
        assert each["num_items"] == len(solution["items"])


def test_alternatives_differ_and_keep_what_is_required():
    problem = located(radius=5)["problem"]
    request = {"problem": problem, "budget": 2, "unit_costs": True, "require": ["Cor"]}
    found = answer("alternatives", **request, n=2, differ=0.5)["alternatives"]
    assert [each["items"] for each in found] == [["Ayr", "Cor"], ["Bly", "Cor"]]
    assert found[0]["status"] == "optimal"
    assert {each["value"] for each in found} == {16}


def test_required_sites_beyond_the_budget_are_refused():
    problem = located(radius=5)["problem"]
    with refused(InfeasibleError, "Ayr"):
        answer("alternatives", problem=problem, budget=1, require=["Ayr"])
