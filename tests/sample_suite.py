"""A small project with 30 tests, whose coverage is recorded by pytest-cov."""

import contextlib
import io
import os
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import thatch

ROOT = Path(__file__).parents[1]
#: Where thatch is, and its plugin: the source, or an installation.
PACKAGES = Path(thatch.__file__).parents[1]
#: Branches of each of the functions of the package.
NUM_BRANCHES = 6

_MODULE = """
def scale(kind, number):
    if kind == 0:
        number += 1
        number *= 2
    elif kind == 1:
        number -= 1
        number *= 3
        number += 5
    elif kind == 2:
        number = -number
    elif kind == 3:
        number = number * number
        number += 1
    elif kind == 4:
        number = abs(number)
        number -= 7
    else:
        raise ValueError(kind)
    return number
"""
_TESTS = """
import pytest

from shop import NAME


@pytest.mark.parametrize("kind", range(5))
def test_one_kind(kind):
    assert isinstance(NAME.scale(kind, 3), int)


def test_most_kinds():
    assert [NAME.scale(kind, 3) for kind in range(4)]


def test_all_kinds():
    assert [NAME.scale(kind, 3) for kind in range(5)]


def test_bad_kind():
    with pytest.raises(ValueError):
        NAME.scale(9, 3)


def test_first_and_bad_kind():
    NAME.scale(0, 3)
    with pytest.raises(ValueError):
        NAME.scale(9, 3)


class TestTwice:
    def test_twice(self):
        assert NAME.scale(2, NAME.scale(2, 3)) == 3
"""


def write_project(folder):
    """Write a package of three modules, with ten tests for each."""
    (folder / "shop").mkdir()
    (folder / "shop" / "__init__.py").write_text("")
    (folder / "tests").mkdir()
    for name in ("prices", "stock", "taxes"):
        (folder / "shop" / f"{name}.py").write_text(_MODULE)
        tests = _TESTS.replace("NAME", name)
        (folder / "tests" / f"test_{name}.py").write_text(tests)
    settings = "[pytest]\npythonpath = .\naddopts = --strict-markers\n"
    (folder / "pytest.ini").write_text(settings)
    install_plugin(folder)


def install_plugin(folder):
    """Make pytest find the entry point that pyproject.toml declares."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    entries = settings["project"]["entry-points"]["pytest11"]
    metadata = folder / "site" / "thatch_plugin-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Name: thatch-plugin\nVersion: 1.0\n")
    lines = [f"{name} = {module}" for name, module in entries.items()]
    (metadata / "entry_points.txt").write_text("\n".join(["[pytest11]", *lines, ""]))


class Answer:
    """What a run of pytest printed, and how it ended."""

    def __init__(self, code, text):
        self.code = code
        self.text = text

    def __contains__(self, words):
        return words in self.text

    def line(self, word):
        """The line of the report that begins with a word."""
        (found,) = (
            line for line in self.text.splitlines() if line.split(" ")[0] == word
        )
        return found


def without_other_plugins():
    """Options that keep pytest from importing other plugins, which takes seconds."""
    used = {"thatch", "pytest_cov", "xdist", "xdist.looponfail"}
    names = {entry.name for entry in entry_points(group="pytest11")}
    return [word for name in sorted(names - used) for word in ("-p", f"no:{name}")]


def run_pytest(folder, *options, **environment):
    """Run pytest in the project, in a process of its own."""
    options = *without_other_plugins(), *options
    path = os.pathsep.join([str(folder / "site"), str(PACKAGES)])
    # The outer run may be measured itself.
    inherited = {name: value for name, value in os.environ.items() if "COV" not in name}
    answer = subprocess.run(
        [sys.executable, "-m", "pytest", *map(str, options)],
        cwd=folder,
        env=inherited | {"PYTHONPATH": path, "COLUMNS": "120"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    return Answer(answer.returncode, answer.stdout)


def run_pytest_here(folder, *options):
    """Run pytest in the project, in this process, which has imported thatch already.

    For runs without coverage and without workers.
    """
    modules = set(sys.modules)
    options = [
        "-p",
        "thatch",
        "-p",
        "no:faulthandler",
        "--import-mode=importlib",
        *options,
    ]
    printed = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder / "site")
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        patch.setenv("COLUMNS", "120")
        patch.chdir(folder)
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = pytest.main(["--import-mode=importlib", *map(str, options)])
    for name in set(sys.modules) - modules:
        if name.split(".")[0] in {"shop", "tests"}:
            del sys.modules[name]
    return Answer(int(code), printed.getvalue())
