"""The package as pyproject.toml declares it: every file that it needs is installed."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
# Compiled, generated or cached.
BUILT = {".so", ".pyd", ".c", ".pyc"}

if not SOURCE.is_dir():
    pytest.skip("needs the source", allow_module_level=True)

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PATTERNS = [
    (SOURCE / package.replace(".", "/"), pattern)
    for package, patterns in SETTINGS["tool"]["setuptools"]["package-data"].items()
    for pattern in patterns
]


def is_code(path):
    return path.suffix == ".py" and (path.parent / "__init__.py").exists()


def test_every_file_of_the_package_is_installed():
    declared = {path for folder, pattern in PATTERNS for path in folder.glob(pattern)}
    for path in (SOURCE / "thatch").rglob("*"):
        if path.is_file() and path.suffix not in BUILT:
            assert is_code(path) or path in declared, path


@pytest.mark.parametrize(("folder", "pattern"), PATTERNS, ids=str)
def test_every_pattern_of_package_data_finds_a_file(folder, pattern):
    assert any(path.is_file() for path in folder.glob(pattern))


def test_every_license_is_in_the_source():
    for name in SETTINGS["project"]["license-files"]:
        assert list(ROOT.glob(name)), name


def test_modules_outside_of_the_package_are_installed():
    found = {path.stem for path in SOURCE.glob("*.py")}
    assert found == set(SETTINGS["tool"]["setuptools"]["py-modules"])
