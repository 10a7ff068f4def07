"""The architecture: imports go one way, public names exist, code is short."""

import ast
import re
import subprocess
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from cases import for_each

import thatch
import thatch.plot
import thatch.rouge
import thatch.solvers
import thatch.text

SOURCE = Path(thatch.__file__).parent

# A module may import from the layers above its own in this list, and from its own.
LAYERS = [
    {"errors", "_kernels"},
    {"arrays", "files", "machine", "options"},
    {"tables"},
    {"problem"},
    {"run", "verification"},
    {"solvers"},
    {"planning", "plot", "rouge", "scale"},
    {"suites", "text"},
    {"context", "corpus", "paper"},
    {"integrations", "serve"},
    {"cli"},
]
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
MODULES = sorted(
    path
    for path in SOURCE.rglob("*.py")
    if path.parent != SOURCE or path.stem[:2] != "__"
)


def layer_of(path):
    return path.relative_to(SOURCE).with_suffix("").parts[0]


@cache
def tree_of(path):
    return ast.parse(path.read_text())


def imported_names(path):
    """Modules of thatch that a module imports anywhere in its code."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.startswith("thatch."):
                yield name


def imported_layers(path):
    """Layers that a module imports anywhere in its code."""
    return {name.split(".")[1] for name in imported_names(path)}


@for_each("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_one_way(path):
    for imported in imported_layers(path):
        assert RANK[imported] <= RANK[layer_of(path)], (
            f"{layer_of(path)} imports {imported}"
        )


def test_every_module_has_a_layer():
    assert {layer_of(path) for path in MODULES} == set(RANK)


def test_the_page_on_the_architecture_names_what_exists():
    page = (SOURCE.parents[1] / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"`([\w/]+(?:/|\.py))`", page))
    assert len(named) > 50
    roots = (SOURCE, SOURCE.parents[1])
    missing = {n for n in named if not any((root / n).exists() for root in roots)}
    assert not missing
    rooms = {path.parent.relative_to(SOURCE) for path in MODULES} - {Path()}
    assert {f"{room.as_posix()}/" for room in rooms} <= named


def test_a_solver_loads_the_core_alone():
    script = (
        "import sys\n"
        "from thatch import CoverageProblem, solve\n"
        "print(sum(name.startswith('thatch') for name in sys.modules))\n"
        "assert solve(CoverageProblem.from_sets([[0]], budget=1)).gap == 0.0\n"
        "print(*(name for name in sys.modules if name.startswith('thatch')))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    num_imported, *loaded = answer.stdout.split()
    assert int(num_imported) <= 75
    rooms = {name.split(".")[1] for name in loaded if "." in name}
    assert {name for name in rooms if RANK[name] > RANK["solvers"]} == set()


def module_of(path):
    """Name of a module, or of the package of an ``__init__.py``."""
    parts = ("thatch", *path.relative_to(SOURCE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_no_modules_import_each_other():
    """Also not inside a package, in a function, or for types alone."""
    names = {module_of(path) for path in [*MODULES, *SOURCE.rglob("*.c")]}
    graph = {}
    for path in MODULES:
        imported = set()
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                within = {f"{node.module}.{alias.name}" for alias in node.names}
                imported |= within & names or {node.module} & names
        graph[module_of(path)] = imported
    assert tuple(TopologicalSorter(graph).static_order())


def test_kernels_know_nothing_of_the_rest():
    for path in (SOURCE / "_kernels").glob("*.py"):
        assert set(imported_layers(path)) <= {"_kernels"}


def test_engines_know_nothing_of_what_they_carry():
    below = ("errors", "machine", "options", "scale.engines")
    for path in (SOURCE / "scale" / "engines").glob("*.py"):
        for name in imported_names(path):
            assert name.removeprefix("thatch.").startswith(below), (path, name)


def test_scores_know_nothing_of_problems_and_solvers():
    for path in (SOURCE / "rouge").rglob("*.py"):
        assert set(imported_layers(path)) <= {
            "errors",
            "machine",
            "files",
            "arrays",
            "options",
            "rouge",
        }


@pytest.mark.parametrize(
    "package",
    [thatch, thatch.plot, thatch.rouge, thatch.solvers, thatch.text],
    ids=lambda package: package.__name__,
)
def test_the_stub_lists_names_that_can_be_imported(package):
    for name in package.__all__:
        assert getattr(package, name) is not None
    assert set(package.__all__) <= set(dir(package))


def test_the_root_exports_few_names():
    assert len(thatch.__all__) <= 36


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Solverr"):
        _ = thatch.Solverr


def test_there_are_no_drawers_and_no_long_files():
    for path in [*MODULES, *Path(__file__).parent.rglob("*.py")]:
        assert path.stem not in {"utils", "helpers", "misc", "common"}
        assert len(path.read_text().splitlines()) <= 400, path


def num_lines_without_docstring(function):
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function, clean=False) is None:
        return lines
    docstring = function.body[0]
    return lines - (docstring.end_lineno - docstring.lineno + 1)


def test_there_are_no_long_functions():
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert num_lines_without_docstring(node) <= 60, (path, node.name)


def test_the_library_prints_nothing_and_sets_up_no_logging():
    script = (
        "from thatch.problem.instances import toy\n"
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
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    for folder in packages - {"_kernels"} | {"kernels"}:
        assert list((tests / folder).rglob("test_*.py")), folder
