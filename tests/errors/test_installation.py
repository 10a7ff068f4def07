"""Install commands, in environments with the files that each installer leaves there."""

import json
import os
import subprocess
import sysconfig
import venv
from dataclasses import dataclass
from pathlib import Path

import pytest
from systems import posix

from thatch.errors import MissingExtraError, installation
from thatch.errors.installation import command_line, install_command

METADATA = """\
Metadata-Version: 2.4
Name: thatch
Version: 0.1.0
Requires-Dist: numpy>=1.26
Requires-Dist: fastapi>=0.130; extra == "web"
Requires-Dist: uvicorn>=0.35; extra == "web"
Requires-Dist: lxml>=5.3; extra == "files"
Requires-Dist: cupy-cuda12x[ctk]>=14; extra == "gpu"
"""
# The module needs nothing but the standard library, so it runs without thatch.
SCRIPT = f"""
import runpy, sys
module = runpy.run_path({installation.__file__!r})
extra, *sys.argv = sys.argv[1:]
print(module["install_command"](extra))
"""


@dataclass
class Environment:
    """A virtual environment in which thatch is installed, as far as metadata says."""

    folder: Path

    @property
    def python(self):
        return self._path("scripts") / ("python.exe" if os.name == "nt" else "python")

    def _path(self, name):
        places = {"base": self.folder, "platbase": self.folder}
        return Path(sysconfig.get_path(name, "venv", places))

    def install(self, name, metadata, **files):
        folder = self._path("purelib") / f"{name}-0.1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(metadata)
        for file, content in files.items():
            (folder / f"{file}.json").write_text(json.dumps(content))

    def command(self, extra, *argv, **environment):
        """The command in this environment, for the program with these arguments."""
        inherited = {
            name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ
        }
        answer = subprocess.run(
            [self.python, "-c", SCRIPT, extra, *(argv or ["thatch"])],
            capture_output=True,
            text=True,
            check=True,
            env=inherited | environment,
        )
        return answer.stdout.strip()


@pytest.fixture
def environment(tmp_path):
    def made(*folders, origin=None):
        folder = tmp_path.joinpath(*folders or ["environment"])
        venv.create(folder, symlinks=os.name != "nt")
        made = Environment(folder)
        made.install("thatch", METADATA, **{"direct_url": origin} if origin else {})
        return made

    return made


@posix
def test_pip_of_this_environment_is_named_if_the_shell_finds_it(environment):
    here = environment()
    here.install("pip", "Name: pip\n")
    (here.python.parent / "pip").write_text("#!/bin/sh\n")
    (here.python.parent / "pip").chmod(0o755)
    (here.folder / "modules").mkdir()
    (here.folder / "modules" / "pip.py").write_text("")
    with_pip = {"PYTHONPATH": str(here.folder / "modules")}
    found = here.command("web", PATH=str(here.python.parent), **with_pip)
    assert found == command_line(["pip", "install", "thatch[web]"])
    python = str(here.python)
    elsewhere = here.command("web", PATH=str(here.folder), **with_pip)
    assert elsewhere == command_line([python, "-m", "pip", "install", "thatch[web]"])


def test_uv_installs_where_there_is_no_pip(environment):
    here = environment()
    active = here.command("web", VIRTUAL_ENV=str(here.folder))
    assert active == command_line(["uv", "pip", "install", "thatch[web]"])
    place = ["--python", str(here.python)]
    assert here.command("web") == command_line(
        ["uv", "pip", "install", *place, "thatch[web]"]
    )


def test_a_tool_of_uv_keeps_the_extras_it_has(environment):
    here = environment()
    (here.folder / "uv-receipt.toml").write_text("[tool]\n")
    here.install("fastapi", "Name: fastapi\n")
    here.install("lxml", "Name: lxml\n")
    assert here.command("gpu") == command_line(
        ["uv", "tool", "install", "thatch[files,gpu]"]
    )


def test_a_program_of_pipx_is_installed_again(environment):
    here = environment("venvs", "thatch")
    (here.folder / "pipx_metadata.json").write_text("{}")
    here.install("lxml", "Name: lxml\n")
    assert here.command("web") == command_line(
        ["pipx", "install", "--force", "thatch[files,web]"]
    )


def test_pipx_run_runs_the_same_command_again(environment):
    here = environment(".cache", "92778972bf899cd")
    (here.folder / "pipx_metadata.json").write_text("{}")
    program = str(here.python.parent / "thatch")
    assert here.command("web", program, "serve", "--host", "my host") == command_line(
        ["pipx", "run", "--spec", "thatch[web]", "thatch", "serve", "--host", "my host"]
    )


def test_uvx_runs_the_same_command_again(environment, tmp_path):
    (tmp_path / "CACHEDIR.TAG").write_text("")
    here = environment("archive-v0", "VzCsJkxyKGftPlMA")
    program = str(here.python.parent / "thatch")
    assert here.command("web", program, "serve") == command_line(
        ["uvx", "--from", "thatch[web]", "thatch", "serve"]
    )
    assert here.command("web", "-c") == command_line(
        ["uvx", "--from", "thatch[web]", "thatch"]
    )


def test_a_project_of_uv_adds_the_extra_to_its_dependencies(environment, tmp_path):
    (tmp_path / "uv.lock").write_text("")
    here = environment(".venv")
    assert here.command("web") == command_line(
        ["uv", "add", "--project", str(tmp_path), "thatch[web]"]
    )


def test_conda_which_has_no_extras_installs_the_packages(environment):
    here = environment()
    (here.folder / "conda-meta").mkdir()
    assert here.command("web").startswith("uv pip")  # thatch itself came from pip
    (here.folder / "conda-meta" / "thatch-0.1.0-py311_0.json").write_text("{}")
    active = {"CONDA_PREFIX": str(here.folder)}
    assert (
        here.command("web", **active) == "conda install -c conda-forge fastapi uvicorn"
    )
    assert here.command("gpu") == command_line(
        ["conda", "install", "-p", str(here.folder), "-c", "conda-forge", "cupy"]
    )


def test_an_editable_install_stays_editable(environment, tmp_path):
    origin = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    here = environment(origin=origin)
    (tmp_path / "uv.lock").write_text("")
    assert here.command("web", VIRTUAL_ENV=str(here.folder)) == command_line(
        ["uv", "pip", "install", "-e", f"{tmp_path}[web]"]
    )


def test_what_came_from_a_file_comes_from_it_again_while_it_exists(
    environment, tmp_path
):
    wheel = tmp_path / "thatch 0.1.0.whl"
    wheel.write_text("")
    here = environment(origin={"url": wheel.as_uri(), "archive_info": {}})
    (here.folder / "uv-receipt.toml").write_text("[tool]\n")
    assert here.command("web") == command_line(
        ["uv", "tool", "install", f"thatch[web] @ {wheel.as_uri()}"]
    )
    wheel.unlink()
    assert here.command("web") == command_line(["uv", "tool", "install", "thatch[web]"])


def test_what_came_from_a_repository_comes_from_the_same_commit(environment):
    vcs = {"vcs": "git", "commit_id": "0123abc"}
    here = environment(origin={"url": "https://example.org/t.git", "vcs_info": vcs})
    (here.folder / "uv-receipt.toml").write_text("[tool]\n")
    source = "thatch[web] @ git+https://example.org/t.git@0123abc"
    assert here.command("web") == command_line(["uv", "tool", "install", source])


def test_the_source_without_metadata_names_the_package(tmp_path):
    venv.create(tmp_path / "environment", symlinks=os.name != "nt")
    here = Environment(tmp_path / "environment")
    assert here.command("web", VIRTUAL_ENV=str(here.folder)) == command_line(
        ["uv", "pip", "install", "thatch[web]"]
    )


@pytest.mark.parametrize(
    ("word", "unix", "windows"),
    [
        ("thatch[web]", "'thatch[web]'", '"thatch[web]"'),
        ("serve", "serve", "serve"),
        ("my file", "'my file'", '"my file"'),
        (r"C:\a\python.exe", r"'C:\a\python.exe'", r"C:\a\python.exe"),
        ("/usr/bin/python3", "/usr/bin/python3", "/usr/bin/python3"),
    ],
)
def test_words_are_quoted_for_the_shell_of_the_system(word, unix, windows):
    assert command_line([word], is_windows=False) == unix
    assert command_line([word], is_windows=True) == windows


def test_a_missing_extra_names_the_command():
    error = MissingExtraError("Drawing", package="matplotlib", extra="plot")
    assert error.hint == f"Run: {install_command('plot')}"
