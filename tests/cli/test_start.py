"""Commands start fast: they import what they need and nothing else."""

import subprocess
import sys

import numpy as np
import pytest

SENTENCES = [f"House {i} has a roof of straw, reed number {i % 7}." for i in range(40)]
# NumPy 1 imports masked arrays by itself.
NEEDLESS = {"scipy", "highspy", "matplotlib", "rich"} | (
    {"numpy.ma"} if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else set()
)
COMMANDS = {"summarize", "pack", "solve", "convert", "score", "generate", "reproduce"}


def loaded(*arguments):
    """Names of the modules that a command imports."""
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


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["solve", "--help"],
        ["summarize", "--help"],
        ["pack", "--help"],
    ],
)
def test_the_help_imports_no_heavy_library(arguments):
    assert loaded(*arguments).isdisjoint({"numpy", "scipy", "highspy", "rich"})


def test_a_small_summary_imports_only_what_it_needs(text):
    modules = loaded("summarize", text, "--budget", "30")
    assert "thatch.solvers.auto" in modules
    assert modules.isdisjoint(NEEDLESS)
    assert "thatch.text.documents.markdown" not in modules


def test_a_small_prompt_imports_only_what_it_needs(text):
    modules = loaded("pack", text.parent, "--query", "straw", "--budget", "100")
    assert "thatch.context.packing.packed_files" in modules
    assert modules.isdisjoint(NEEDLESS)
    assert "thatch.context.repository.syntax_trees" not in modules


def test_a_small_problem_imports_only_what_it_needs(trap):
    modules = loaded("solve", trap)
    assert "thatch.solvers.auto" in modules
    assert modules.isdisjoint(NEEDLESS)


def test_scores_import_no_solver(text):
    modules = loaded("score", text, text)
    assert "thatch.rouge" in modules
    assert modules.isdisjoint({"thatch.solvers.auto", "scipy", "highspy", "rich"})


def test_only_the_command_that_is_named_is_loaded(trap):
    modules = loaded("solve", trap)
    assert {name for name in COMMANDS if f"thatch.cli.{name}" in modules} == {"solve"}
