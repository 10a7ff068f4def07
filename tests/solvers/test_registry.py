import sys
import tomllib
from pathlib import Path

import pytest

from thatch import InputError, solve
from thatch.errors import PluginError
from thatch.problem.instances import toy
from thatch.solvers.registry import BUILT_IN, solver_named, solver_names

PROJECT = Path(__file__).parents[2] / "pyproject.toml"

SOLVER = """
from thatch import GeneralizedGreedy

class First(GeneralizedGreedy):
    pass
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Install a package with the given entry points."""

    def install(*lines):
        (tmp_path / "other_solvers.py").write_text(SOLVER)
        metadata = tmp_path / "other_solvers-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Name: other-solvers\nVersion: 1.0\n")
        points = "\n".join(["[thatch.solvers]", *lines])
        (metadata / "entry_points.txt").write_text(points)
        monkeypatch.syspath_prepend(tmp_path)

    yield install
    sys.modules.pop("other_solvers", None)


def test_every_name_gives_its_solver():
    for name, value in BUILT_IN.items():
        assert type(solver_named(name)).__name__ == value.partition(":")[2]


def test_built_in_solvers_are_entry_points_of_the_package():
    project = tomllib.loads(PROJECT.read_text())["project"]
    assert project["entry-points"]["thatch.solvers"] == BUILT_IN


@pytest.mark.parametrize(("name", "hint"), [("gredy", "greedy"), ("zzz", "auto")])
def test_unknown_names_are_refused_with_a_guess(name, hint):
    with pytest.raises(InputError) as caught:
        solver_named(name)
    assert repr(name) in caught.value.message
    assert hint in caught.value.hint


def test_another_package_can_add_a_solver(installed):
    installed("first = other_solvers:First")
    assert solver_names()[-1] == "first"
    assert solve(toy.greedy_trap().problem, solver_named("first")).selection.value == 13


def test_no_package_replaces_a_built_in_solver(installed):
    installed("auto = other_solvers:First")
    assert type(solver_named("auto")).__name__ == "Auto"
    assert solver_names() == list(BUILT_IN)


@pytest.mark.parametrize("value", ["nowhere:First", "other_solvers:Second"])
def test_a_solver_that_cannot_be_loaded_is_named(installed, value):
    installed(f"second = {value}")
    with pytest.raises(PluginError, match="second") as caught:
        solver_named("second")
    assert value in caught.value.message
