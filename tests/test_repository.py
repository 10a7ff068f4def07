"""The repository around the package: versions, linters, recipe and container."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from servers import started

from thatch import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RECIPE = ROOT / "packaging" / "conda-forge" / "recipe.yaml"
# A source distribution has no settings; the check of an installed package, no source.
if not all((ROOT / name).exists() for name in (".pre-commit-config.yaml", "src")):
    pytest.skip("needs the repository", allow_module_level=True)

# The same hooks for every repository: line ends, large files and the like.
GENERAL_HOOKS = "https://github.com/pre-commit/pre-commit-hooks"


@pytest.fixture
def copy(tmp_path):
    """The files that name the version, to be changed."""
    for name in (
        "src/thatch/__init__.py",
        "CHANGELOG.md",
        "CITATION.cff",
        "packaging/versions.py",
        "packaging/conda-forge/recipe.yaml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def check_versions(root, *tag):
    """Exit code of the check of all versions, and what it wrote."""
    command = [sys.executable, root / "packaging" / "versions.py", *tag]
    answer = subprocess.run(command, capture_output=True, text=True)
    return answer.returncode, answer.stderr


def replace(path, pattern, replacement):
    text = path.read_text(encoding="utf-8")
    changed = re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE)
    path.write_text(changed, encoding="utf-8")


def test_the_version_is_the_same_everywhere():
    assert check_versions(ROOT) == (0, "")


def test_the_version_is_written_once_for_setuptools():
    assert PROJECT["project"]["dynamic"] == ["version", "readme"]
    source = {"attr": "thatch.__version__"}
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == source


@pytest.mark.parametrize("name", ["CITATION.cff", "packaging/conda-forge/recipe.yaml"])
def test_a_file_with_another_version_is_found(copy, name):
    replace(copy / name, r'^( *version: "?)\d[^"\n]*', r"\g<1>9.8.7")
    code, said = check_versions(copy)
    assert code == 1
    assert name in said
    assert "9.8.7" in said


def test_a_tag_needs_its_version_a_dated_section_and_the_date_of_the_citation(copy):
    tag = f"v{__version__}"
    replace(copy / "CHANGELOG.md", "^## .*$", f"## {__version__} (2026-01-31)")
    assert check_versions(copy, tag)[0] == 1
    replace(copy / "CITATION.cff", "(^date-released:.*\n)?^version", "version")
    replace(copy / "CITATION.cff", "^version", "date-released: 2026-01-31\nversion")
    assert check_versions(copy, tag) == (0, "")
    code, said = check_versions(copy, "v9.8.7")
    assert (code, "v9.8.7" in said) == (1, True)


def test_a_tag_without_a_section_in_the_changelog_is_found(copy):
    replace(copy / "CHANGELOG.md", "^## .*$", "## Unreleased")
    code, said = check_versions(copy, f"v{__version__}")
    assert (code, "CHANGELOG.md" in said) == (1, True)


def hooks():
    """Hooks for this project: repository, version and hook."""
    path = ROOT / ".pre-commit-config.yaml"
    for repository in yaml.safe_load(path.read_text(encoding="utf-8"))["repos"]:
        if repository["repo"] != GENERAL_HOOKS:
            for hook in repository["hooks"]:
                yield repository["repo"], repository.get("rev"), hook


def checks():
    """Commands of ``make check``, without their folder."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^check:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    return [line.strip().removeprefix("$(BIN)/") for line in recipe.splitlines()]


def test_hooks_and_make_check_run_the_same_checks():
    # The hook ruff-check runs `ruff check`; the others are called like their program.
    of_hooks = {hook["id"].replace("-", " ") for _, _, hook in hooks()}
    of_make = {
        " ".join(command.split()[: 2 if command.startswith("ruff") else 1])
        for command in checks()
    }
    assert of_hooks == of_make


def test_hooks_and_make_check_pass_the_same_arguments():
    for _, _, hook in hooks():
        (command,) = (
            command
            for command in checks()
            if command.startswith(hook["id"].replace("-", " "))
        )
        assert set(hook.get("args", [])) <= set(command.split()), hook["id"]


def test_hooks_and_make_check_run_the_same_versions():
    versions = dict(
        requirement.split("==")
        for requirement in PROJECT["dependency-groups"]["dev"]
        if "==" in requirement
    )
    of_hooks = {
        hook["id"].split("-")[0]: revision.removeprefix("v")
        for address, revision, hook in hooks()
        if address != "local"
    }
    assert of_hooks == versions


def requirements_of(names):
    """Names and bounds on all systems, as conda writes them."""
    parts = (re.fullmatch(r"([\w-]+)(.*)", name) for name in names if ";" not in name)
    return {f"{part[1].lower()} {part[2]}".strip() for part in parts}


def on_all_systems(names):
    return {name for name in names if isinstance(name, str)}


def test_the_recipe_has_the_requirements_of_the_package():
    recipe = yaml.safe_load(RECIPE.read_text(encoding="utf-8"))["requirements"]
    run = requirements_of(PROJECT["project"]["dependencies"])
    assert on_all_systems(recipe["run"]) == {"python"} | run
    build = requirements_of(PROJECT["build-system"]["requires"])
    assert on_all_systems(recipe["host"]) == {"python", "pip"} | build


def instructions(keyword):
    """Arguments of an instruction of the Dockerfile, where it is a list."""
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    return [
        json.loads(found)
        for found in re.findall(rf"^ *{keyword} (\[.*\])$", dockerfile, re.MULTILINE)
    ]


@pytest.fixture
def container(tmp_path):
    """``thatch serve`` as the container runs it, but on any free port."""
    token = tmp_path / "token"
    token.write_text("0123456789abcdef\n")
    (entry,) = instructions("ENTRYPOINT")
    _, arguments = instructions("CMD")
    assert entry[:2] == ["thatch", "serve"]
    options = [str(token) if "/" in each else each for each in arguments]
    with started(*entry[2:], *options, "--port", 0, "--workers", 1) as server:
        yield server


def check_health(port):
    """Exit code of the container's health check, for a server on this port."""
    (_, flag, code), _ = instructions("CMD")
    assert ":8000/" in code
    code = code.replace(":8000/", f":{port}/")
    return subprocess.run([sys.executable, flag, code], capture_output=True).returncode


@pytest.mark.slow
def test_the_health_check_of_the_container_succeeds_while_the_server_runs(container):
    port = container.address.rpartition(":")[2].strip("/")
    assert check_health(port) == 0
    container.stop()
    assert check_health(port) != 0
