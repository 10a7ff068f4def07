"""``thatch solve`` on a folder of shards."""

import json

import pytest
from shard_tools import ThisProcess, graph_problem, sharded

from thatch import Auto, CoverageProblem, solve
from thatch.cli.output import gap_in_words

FEW = ("--effort", "fast", "--max-iterations", "6", "--workers", "1")


@pytest.fixture
def shards(tmp_path):
    return sharded(graph_problem(num_items=60, budget=50.0), tmp_path / "shards")


def test_a_folder_of_shards_is_solved(thatch, shards):
    code, out, err = thatch("solve", "shards", "--effort", "fast", "--workers", 1)
    result = solve(shards, Auto("fast"), engine=ThisProcess())
    selection = result.selection
    assert (code, err) == (0, "")
    value, cost, solver, items = out.splitlines()
    assert value == (
        f"value    {selection.value:g} of at most {result.upper_bound:g} "
        f"({gap_in_words(result.gap)})"
    )
    assert cost == f"cost     {selection.cost:g} of 50"
    assert solver.startswith("solver   auto, ")
    assert items == f"items    {len(selection)} of 60"


def test_json_names_the_items(thatch, tmp_path):
    problem = CoverageProblem.from_sets({"north": ["a", "b"], "south": ["c"]}, budget=1)
    sharded(problem, tmp_path / "named", num_shards=1)
    _, out, _ = thatch("solve", "named", "--format", "json", "--workers", 1)
    answer = json.loads(out)
    assert (answer["items"], answer["value"], answer["gap"]) == (["north"], 2.0, 0.0)


def test_another_budget_may_be_given(thatch, shards):
    _, out, _ = thatch("solve", "shards", *FEW, "--budget", 20)
    assert "of 20" in out.splitlines()[1]


def test_a_run_that_was_stopped_is_resumed(thatch, shards, tmp_path):
    thatch("solve", "shards", *FEW)
    (path,) = (tmp_path / "shards").rglob("run/journal.json")
    journal = json.loads(path.read_text())
    assert journal["state"]["messages"]["num_iterations"] == 6
    code, _, _ = thatch("solve", "shards", "--effort", "fast", "--resume")
    assert code == 0
    assert not path.parent.exists()


@pytest.mark.gpu
def test_a_run_on_a_gpu_that_was_stopped_is_resumed(gpu, thatch, shards, tmp_path):
    command = ("solve", "shards", "--effort", "fast", "--device", "gpu")
    thatch(*command, "--max-iterations", 6)
    (path,) = (tmp_path / "shards").rglob("run/journal.json")
    journal = json.loads(path.read_text())
    assert journal["state"]["messages"]["num_iterations"] == 6
    code, _, _ = thatch(*command, "--resume")
    assert code == 0
    assert not path.parent.exists()


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (("shards", "--require", "3"), "--require is not available for shards."),
        (("shards", "--unit-costs"), "--unit-costs is not available for shards."),
        (("shards", "--solver", "greedy"), "Greedy cannot solve a problem in shards"),
        (("shards", "--engine", "ray"), "unknown engine 'ray'"),
        (("shards", "--scheduler", "tcp://a:1"), "engine local has no scheduler"),
        ((".", "--effort", "fast"), "is not a folder of shards"),
        (("absent", "--resume"), "absent does not exist"),
        (("x" * 300, "--resume"), "xxx does not exist"),
        (
            ("-", "--workers", 2),
            "standard input is not a folder of shards, which --work",
        ),
        (("memory://nowhere", "--resume"), "is not a folder of shards"),
    ],
)
def test_what_shards_cannot_do_is_refused(thatch, shards, arguments, fault):
    code, out, err = thatch("solve", *arguments)
    assert (code, out) == (2, "")
    assert fault in err
    assert "\nhint: " in err


@pytest.mark.parametrize(
    "options",
    [
        ("--resume",),
        ("--engine", "dask"),
        ("--scheduler", "tcp://a:1"),
        ("--workers", 2),
        ("--engine", "local", "--workers", 2, "--resume"),
    ],
)
@pytest.mark.parametrize("kind", ["path", "address"])
def test_options_for_shards_are_refused_with_a_file(thatch, tmp_path, options, kind):
    path = tmp_path / "e.csv"
    path.write_text("item,element\n0,a\n")
    file = str(path) if kind == "path" else path.as_uri()
    code, out, err = thatch("solve", file, *options, "--budget", 3)
    assert (code, out) == (2, "")
    message, hint = err.splitlines()
    assert message.startswith(f"error: {file} is a file")
    for option in [each for each in options if str(each).startswith("--")]:
        assert option in message
        assert option in hint
    assert "problem.json" not in err


def test_a_file_at_an_address_is_refused(thatch, tmp_path):
    path = tmp_path / "e.csv"
    path.write_text("item,element\n0,a\n")
    code, _, err = thatch("solve", path.as_uri())
    assert code == 2
    assert f"error: {path.as_uri()} is a file" in err
