import csv
import json
import re
import signal
import subprocess
import sys

import psutil
import pytest
from processes import wait_until
from systems import posix

from thatch import read_instance

# The contract of `solve --format json`.
FIELDS = [
    *("items", "value", "cost", "budget", "upper_bound"),
    *("gap", "status", "solver", "seconds", "seed"),
]
VALUES = {
    "bp": 16,
    "greedy": 13,
    "ggreedy": 13,
    "static": 13,
    "local-search": 16,
    "exact": 16,
    "exhaustive": 16,
}


def test_solve_prints_one_json_object_with_the_agreed_fields(thatch, trap):
    code, out, err = thatch("solve", trap, "--format", "json", "--seed", "7")
    answer = json.loads(out)
    assert (code, err) == (0, "")
    assert list(answer) == FIELDS
    assert answer["items"] == ["left", "right"]
    assert (answer["value"], answer["cost"], answer["gap"]) == (16.0, 2.0, 0.0)
    assert (answer["status"], answer["solver"], answer["seed"]) == (
        "optimal",
        "auto",
        7,
    )


@pytest.mark.parametrize("solver", VALUES)
def test_every_solver_has_a_name(thatch, trap, solver):
    _, out, _ = thatch("solve", trap, "--solver", solver, "--format", "json")
    assert json.loads(out)["value"] == VALUES[solver]


def test_items_without_names_are_numbered_from_zero(thatch, tmp_path):
    (tmp_path / "x.txt").write_text("2 2 2 1\n1 1\n2 2\n1 1\n5 9\n")
    _, out, _ = thatch("solve", "x.txt", "--format", "json")
    assert json.loads(out)["items"] == [1]


def test_solve_prints_a_table(thatch, trap):
    code, out, _ = thatch("solve", trap)
    assert code == 0
    assert "value    16 of at most 16 (proved best)" in out
    assert "cost     2 of 2" in out
    assert out.splitlines()[-2:] == [
        "left      1             8",
        "right     1             8",
    ]


def test_a_long_selection_is_truncated_in_text_only(thatch):
    thatch("generate", "biregular", "-o", "g.json", "--budget", "1000")
    _, text, _ = thatch("solve", "g.json", "--solver", "greedy")
    _, answer, _ = thatch("solve", "g.json", "--solver", "greedy", "--format", "json")
    count = len(json.loads(answer)["items"])
    assert count > 40
    assert f"... and {count - 40} more; --format json lists all" in text


def test_an_empty_selection_is_printed_without_a_table(thatch, trap):
    _, out, _ = thatch("solve", trap, "--budget", "0")
    assert out.splitlines()[-1] == "items    0 of 3"


def test_settings_of_belief_propagation_reach_it(thatch, trap):
    command = [
        "solve",
        trap,
        "--solver",
        "bp",
        "--format",
        "json",
        "--trace",
        "trace.csv",
    ]
    settings = ["--price", "4", "--inverse-temperature", "2", "--damping", "0.3"]
    thatch(*command, *settings, "--max-iterations", "12")
    with (trap.parent / "trace.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert {row["price"] for row in rows} == {"4.0"}
    assert float(rows[-1]["largest_change"]) < float(rows[0]["largest_change"])


def test_zero_temperature_reinforcement_and_the_paper_can_be_chosen(thatch, trap):
    command = ["solve", trap, "--solver", "bp", "--format", "json"]
    for more in (
        ["--inverse-temperature", "inf"],
        ["--reinforcement", "0.5"],
        ["--paper", "--price", "4", "--inverse-temperature", "3"],
    ):
        code, out, _ = thatch(*command, *more)
        assert (code, json.loads(out)["value"]) == (0, 16)


@pytest.mark.parametrize("effort", ["fast", "default", "thorough"])
def test_an_effort_can_be_chosen(thatch, trap, effort):
    _, out, _ = thatch("solve", trap, "--effort", effort, "--format", "json")
    assert json.loads(out)["value"] == 16


def test_price_auto_is_the_default(thatch, trap):
    answers = [
        json.loads(
            thatch("solve", trap, "--solver", "bp", "--format", "json", *price)[1]
        )
        for price in ([], ["--price", "auto"])
    ]
    assert answers[0]["items"] == answers[1]["items"]


def test_iterations_limit_other_solvers_too(thatch, trap):
    thatch("solve", trap, "--max-iterations", "1", "--trace", "trace.csv")
    assert len((trap.parent / "trace.csv").read_text().splitlines()) == 2


def test_the_answer_goes_to_a_file_if_one_is_named(thatch, trap):
    code, out, _ = thatch("solve", trap, "--format", "json", "-o", "answer.json")
    assert (code, out) == (0, "")
    assert json.loads((trap.parent / "answer.json").read_text())["value"] == 16
    _, out, _ = thatch("solve", trap, "-o", "-")
    assert "value    16" in out


def test_unit_costs_count_items(thatch, tmp_path):
    (tmp_path / "x.scp").write_text("2 2\n50 70\n1 1\n1 2\n")
    _, out, _ = thatch(
        "solve", "x.scp", "--unit-costs", "--budget", "2", "--format", "json"
    )
    assert json.loads(out)["cost"] == 2.0


@pytest.mark.parametrize("extension", ["json", "npz", "txt", "dense"])
def test_convert_keeps_the_problem(thatch, tmp_path, extension):
    thatch("generate", "power-law", "-o", "one.json", "--seed", "5")
    thatch("convert", "one.json", f"two.{extension}")
    thatch("convert", f"two.{extension}", "three.json")
    assert (tmp_path / "one.json").read_bytes() == (
        tmp_path / "three.json"
    ).read_bytes()


def test_convert_sets_the_budget_that_set_cover_files_lack(thatch, tmp_path):
    (tmp_path / "x.scp").write_text("2 2\n50 70\n1 1\n1 2\n")
    assert thatch("convert", "x.scp", "x.json", "--budget", "60")[0] == 0
    assert read_instance(tmp_path / "x.json").budget == 60


def test_convert_needs_no_budget_where_none_is_stored(thatch, tmp_path):
    (tmp_path / "x.scp").write_text("2 2\n50 70\n1 1\n1 2\n")
    assert thatch("convert", "x.scp", "x.rail")[0] == 0
    assert (tmp_path / "x.rail").read_text() == "2 2\n50 1 1\n70 1 2\n"
    assert thatch("convert", "x.rail", "x.lp", "--cover-share", "1")[0] == 0
    assert "objective: 50 item_0 + 70 item_1" in (tmp_path / "x.lp").read_text()
    code, _, err = thatch("convert", "x.rail", "y.lp")
    assert code == 2 and "budget" in err


@pytest.mark.parametrize(
    "words",
    [("x.lp", "--cover-share", "1.5"), ("x.json", "--cover-share", "0.5")],
)
def test_convert_refuses_a_cover_that_cannot_be_written(thatch, tmp_path, words):
    (tmp_path / "x.scp").write_text("2 2\n50 70\n1 1\n1 2\n")
    code, _, err = thatch("convert", "x.scp", *words)
    assert code == 2
    assert "--cover-share is 1.5" in err or ".json" in err


@pytest.mark.parametrize("kind", ["biregular", "erdos-renyi", "power-law"])
def test_generate_is_reproducible(thatch, tmp_path, kind):
    options = ["--seed", "3", "--costs", "reals:1:2", "--weights", "degree:0.5"]
    for name in ("a.json", "b.json"):
        assert thatch("generate", kind, *options, "-o", name)[0] == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_generate_supports_constant_costs(thatch, tmp_path):
    thatch("generate", "biregular", "--costs", "constant:4", "-o", "a.json")
    assert set(read_instance(tmp_path / "a.json").costs.tolist()) == {4.0}


@pytest.mark.slow
def test_reproduce_fig2_writes_the_table_and_the_picture(thatch, tmp_path):
    code, out, err = thatch(
        "reproduce", "fig2", "--graphs", "4", "--out", "deep/figures"
    )
    folder = tmp_path / "deep" / "figures"
    assert code == 0
    names = ("fig2.csv", "fig2-solvers.csv", "fig2.png", "fig2.svg")
    assert out.split() == [f"deep/figures/{name}" for name in names]
    assert "peaks at price" in err
    assert "adapted_price: " in err
    assert (folder / "fig2.png").read_bytes().startswith(b"\x89PNG")
    assert (folder / "fig2.csv").read_text().splitlines()[0] == (
        "price,bp,bp_sem,converged,ggreedy,ggreedy_sem,difference,difference_sem,"
        "to_optimum,to_optimum_sem,static,infinite_price,greedy,exact,exact_sem"
    )


@pytest.fixture
def clusters(tmp_path):
    """Two clusters of documents with their references, as a file."""
    path = tmp_path / "clusters.jsonl"
    lines = [
        {"documents": [f"Snow fell on {town} all day.", "Snow lay deep. Nobody left."]}
        | {"id": town, "references": ["Snow fell.", f"It snowed on {town}."]}
        for town in ("Ulm", "Bern")
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fig3", "fig4"])
def test_reproduce_writes_the_table_and_the_picture_of_texts(
    thatch, tmp_path, clusters, name
):
    command = ("reproduce", name, "--data", clusters, "--out")
    code, out, err = thatch(*command, "figures")
    assert code == 0
    ends = (".csv", "-differences.csv", ".png", ".svg")
    assert out.split() == [f"figures/{name}{end}" for end in ends]
    assert "peaks at price" in err
    assert "optimum: weight " in err
    assert "minus g-greedy: weight " in err
    assert (tmp_path / out.split()[2]).read_bytes().startswith(b"\x89PNG")
    table = (tmp_path / out.split()[0]).read_text()
    assert table.startswith(
        "solver,inverse_temperature,price,weight,weight_sem,rouge_1,rouge_1_sem\n"
    )
    code, _, _ = thatch(*command, "others", "--background", clusters, "--threads", "1")
    assert code == 0
    assert (tmp_path / "others" / f"{name}.csv").read_text() != table


def test_the_version_is_printed(thatch):
    assert thatch("--version")[:2] == (0, "thatch 0.1.0\n")


@pytest.mark.parametrize("arguments", [[], ["generate"]])
def test_no_command_shows_the_help(thatch, arguments):
    code, out, err = thatch(*arguments)
    assert (code, err) == (2, "")
    assert out == thatch(*arguments, "--help")[1]


@pytest.mark.parametrize("arguments", [[], ["generate"], ["reproduce"]])
def test_the_help_describes_every_command(thatch, arguments, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = thatch(*arguments, "--help")
    described = out.split("Commands:")[1].splitlines()[1:]
    assert len(described) >= 3
    assert all(line.endswith(".") and "..." not in line for line in described)


@pytest.mark.parametrize(
    "command",
    [
        *("summarize", "solve", "convert", "score", "generate biregular"),
        *("reproduce fig3", "corpus", "corpus-stats", "serve", "mcp"),
    ],
)
def test_the_help_shows_no_python_types(thatch, command):
    _, out, _ = thatch(*command.split(), "--help")
    usage, *rest = out.splitlines()
    names = [line[:34] for line in rest if line.startswith("  -")]
    assert names
    assert not re.search(r"[<>{}]", "".join([usage, *names]))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_debug_anywhere_raises_the_error(thatch, place):
    arguments = ["solve", "nowhere.json"]
    arguments.insert(place, "--debug")
    with pytest.raises(ValueError, match=r"nowhere\.json"):
        thatch(*arguments)


@pytest.mark.parametrize(
    ("failure", "code", "message"),
    [
        (MemoryError(), 1, "memory"),
        (OSError(28, "No space left on device", "x.json"), 1, "x.json"),
    ],
)
def test_failures_other_than_bad_input_have_exit_code_1(
    thatch, trap, monkeypatch, failure, code, message
):
    """Failures that cannot be brought about safely are raised where the work starts."""

    def fail(*arguments, **settings):
        raise failure

    monkeypatch.setattr("thatch.problem.instances.read_instance", fail)
    answer = thatch("solve", trap)
    assert answer[0] == code
    assert message in answer[2]
    assert "Traceback" not in answer[2]


def test_the_module_runs_as_a_program(trap):
    command = [sys.executable, "-m", "thatch", "solve", str(trap), "--format", "json"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    assert json.loads(answer.stdout)["value"] == 16


def test_a_problem_can_come_from_standard_input(trap):
    command = [sys.executable, "-m", "thatch", "solve", "-", "--format", "json"]
    answer = subprocess.run(
        command, input=trap.read_text(), check=True, capture_output=True, text=True
    )
    assert json.loads(answer.stdout)["value"] == 16


def test_names_with_control_characters_stay_on_their_line(thatch, tmp_path):
    problem = {
        "format": "thatch-coverage",
        "version": 1,
        "budget": 1,
        "sets": [[0]],
        "item_names": ["a\nb\x1b[31m"],
    }
    (tmp_path / "x.json").write_text(json.dumps(problem))
    _, out, _ = thatch("solve", "x.json")
    assert out.splitlines()[-1].startswith(r"a\nb\x1b[31m ")


def test_a_closed_standard_output_is_an_error(thatch, trap, monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    code, _, err = thatch("solve", trap)
    assert code == 2
    assert "standard output" in err


@pytest.mark.slow
@posix
def test_an_interrupted_solve_writes_its_best_selection(tmp_path):
    """Ctrl-C during the proof of a problem that it cannot finish."""
    run = [sys.executable, "-m", "thatch"]
    generate = "generate biregular --items 400 --elements 400 --item-degree 20"
    options = "--element-degree 20 --budget 60 -o hard.json"
    subprocess.run(
        [*run, *generate.split(), *options.split()], check=True, cwd=tmp_path
    )
    solve = [*run, "solve", "hard.json", "--solver", "exact", "--format", "json"]
    process = subprocess.Popen(
        solve,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests themselves run in the background, Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        # Reading the file and the first search take less processor time than this.
        times = psutil.Process(process.pid).cpu_times
        wait_until(lambda: process.poll() is not None or times().user > 5.0)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err == "error: Interrupted: this is the best selection found.\n"
    answer = json.loads(out)
    assert answer["status"] == "interrupted"
    assert 0 < answer["value"] < answer["upper_bound"]
