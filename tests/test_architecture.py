"""The house: imports go one way, public names are all there, no drawers."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import thatch

SOURCE = Path(thatch.__file__).parent

# From left to right; a module may import what stands before it, or in its own group.
LAYERS = [
    {"errors"},
    {"whole_files", "files", "decoding", "arrays", "devices", "engines", "_kernels"},
    {"edges", "inputs", "problem"},
    {"selection", "beliefs", "progress"},
    {"result", "run"},
    {"linear_model", "bounds", "charges", "core", "grid", "reductions", "solvers"},
    {"solving"},
    {"instances", "plot", "rouge", "text"},
    {"experiments", "answers", "corpus"},
    {"service"},
    {"cli", "web", "mcp"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
MODULES = sorted(
    path
    for path in SOURCE.rglob("*.py")
    if path.parent != SOURCE or path.stem[:2] != "__"
)


def layer_of(path):
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imported_layers(path):
    """Layers that a module imports anywhere in its code."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("thatch."):
                yield name.split(".")[1]


@pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: str(path.relative_to(SOURCE))
)
def test_imports_go_one_way(path):
    for imported in imported_layers(path):
        assert RANK[imported] <= RANK[layer_of(path)], (
            f"{layer_of(path)} imports {imported}"
        )


def test_every_module_has_a_layer():
    assert {layer_of(path) for path in MODULES} == set(RANK)


def test_kernels_know_nothing_of_the_rest():
    for path in (SOURCE / "_kernels").glob("*.py"):
        assert set(imported_layers(path)) <= {"_kernels"}


def test_engines_know_nothing_of_what_they_carry():
    for path in (SOURCE / "engines").glob("*.py"):
        assert set(imported_layers(path)) <= {"errors", "engines"}


def test_scores_know_nothing_of_problems_and_solvers():
    for path in (SOURCE / "rouge").rglob("*.py"):
        assert set(imported_layers(path)) <= {
            "errors",
            "files",
            "decoding",
            "arrays",
            "rouge",
        }


def test_public_names_are_sorted_and_can_be_imported():
    assert thatch.__all__ == sorted(thatch.__all__)
    for name in thatch.__all__:
        assert getattr(thatch, name).__name__ == name
    assert set(thatch.__all__) < set(dir(thatch))


def test_the_stub_names_what_the_package_exports():
    """Type checkers read the stub; the package itself imports on first use."""
    stub = ast.parse((SOURCE / "__init__.pyi").read_text())
    homes = {
        alias.name: node.module
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert sorted(homes) == thatch.__all__
    for name, home in homes.items():
        assert getattr(importlib.import_module(home), name) is getattr(thatch, name)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'Solverr'"):
        _ = thatch.Solverr


def test_there_are_no_drawers_and_no_long_files():
    for path in [*MODULES, *Path(__file__).parent.rglob("*.py")]:
        assert path.stem not in {"utils", "helpers", "misc", "common"}
        assert len(path.read_text().splitlines()) <= 400, path


def test_the_library_prints_nothing_and_sets_up_no_logging():
    script = (
        "from thatch.instances import toy\n"
        "from thatch import solve, Exact\n"
        "solve(toy.greedy_trap().problem, Exact())\n"
        "import logging; assert not logging.getLogger().handlers\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert (answer.stdout, answer.stderr) == ("", "")


def test_every_folder_of_code_has_its_tests():
    tests = Path(__file__).parent
    for folder in (
        "cli",
        "engines",
        "experiments",
        "instances",
        "plot",
        "rouge",
        "service",
        "solvers",
        "text",
        "web",
    ):
        assert list((tests / folder).glob("test_*.py")), folder
