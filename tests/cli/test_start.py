"""Commands start at once: they load what they need and nothing else."""

import subprocess
import sys

import pytest

SENTENCES = [f"House {i} has a roof of straw, reed number {i % 7}." for i in range(40)]
COMMANDS = {"summarize", "solve", "convert", "score", "generate", "reproduce"}


def loaded(*arguments):
    """Modules that a command has imported when it ends."""
    script = (
        "import sys\n"
        "from thatch.cli.app import run\n"
        "code = run(sys.argv[1:])\n"
        "print(*sys.modules, file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    command = [sys.executable, "-c", script, *map(str, arguments)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(answer.stderr.splitlines()[-1].split())


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(" ".join(SENTENCES))
    return path


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["solve", "--help"]])
def test_the_help_waits_for_no_library_but_its_own(arguments):
    assert loaded(*arguments).isdisjoint({"numpy", "scipy", "highspy", "rich"})


def test_a_small_summary_waits_for_nothing_it_does_not_need(text):
    modules = loaded("summarize", text, "--budget", "30")
    assert "thatch.solvers.auto" in modules
    assert modules.isdisjoint({"scipy", "highspy", "matplotlib", "rich", "numpy.ma"})
    assert "thatch.text.documents.markdown" not in modules


def test_a_small_problem_waits_for_nothing_it_does_not_need(trap):
    modules = loaded("solve", trap)
    assert "thatch.solvers.auto" in modules
    assert modules.isdisjoint({"scipy", "highspy", "matplotlib", "rich", "numpy.ma"})


def test_scores_wait_for_no_solver(text):
    modules = loaded("score", text, text)
    assert "thatch.rouge" in modules
    assert modules.isdisjoint({"thatch.solvers", "scipy", "highspy", "rich"})


def test_only_the_command_that_is_named_is_loaded(trap):
    modules = loaded("solve", trap)
    assert {name for name in COMMANDS if f"thatch.cli.{name}" in modules} == {"solve"}
