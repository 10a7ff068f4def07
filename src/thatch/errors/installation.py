"""How thatch was installed, and the command that adds an extra to it.

Installers that keep a program in an environment of its own replace its requirements by
those of the last command, so that command repeats the extras that are installed.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
import sysconfig
from collections.abc import Sequence
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

# Requirements in the metadata of a package: name; marker with the extra.
_EXTRA_REQUIREMENT = re.compile(r"""([\w.-]+).*;.*\bextra\s*==\s*["']([\w.-]+)["'].*""")
_CONDA_NAMES = {"cupy-cuda12x": "cupy"}
# Folders in the cache of uv that contain environments, such as archive-v0.
_FOLDER_IN_CACHE = re.compile(r"[a-z]+-v\d+")
_PLAIN_WORD = re.compile(r"[\w@%+=:,./\\-]+")


def install_command(extra: str) -> str:
    """Command line that installs an extra in the way in which thatch was installed."""
    prefix = Path(sys.prefix)
    try:
        installed = distribution("thatch")
    except PackageNotFoundError:  # the folder of the source is on the path
        return command_line([*_pip_install(prefix), f"thatch[{extra}]"])
    if any(prefix.glob("conda-meta/thatch-[0-9]*.json")):
        packages = _packages_of_extras(installed).get(extra, [])
        names = [_CONDA_NAMES.get(name, name) for name in packages]
        place = [] if _is_active(prefix, "CONDA_PREFIX") else ["-p", str(prefix)]
        return command_line(["conda", "install", *place, "-c", "conda-forge", *names])
    extras = sorted({extra, *_installed_extras(installed)})
    if (prefix / "uv-receipt.toml").is_file():
        words = ["uv", "tool", "install", *_requirement(installed, extras)]
    elif (prefix / "pipx_metadata.json").is_file():
        if prefix.parent.name == "venvs":
            words = ["pipx", "install", "--force", *_requirement(installed, extras)]
        else:
            words = ["pipx", "run", "--spec", _source(installed, extras), *_program()]
    elif _is_in_cache_of_uv(prefix):
        words = ["uvx", "--from", _source(installed, extras), *_program()]
    elif (prefix.parent / "uv.lock").is_file() and not _editable_folder(installed):
        project = ["--project", str(prefix.parent)]
        words = ["uv", "add", *project, _source(installed, [extra])]
    else:
        words = [*_pip_install(prefix), *_requirement(installed, [extra])]
    return command_line(words)


def command_line(words: Sequence[str], *, is_windows: bool = os.name == "nt") -> str:
    r"""The words as one line, quoted for the shell.

    >>> command_line(["pip", "install", "thatch[web]"], is_windows=False)
    "pip install 'thatch[web]'"
    >>> print(command_line([r"C:\py.exe", "thatch[web]"], is_windows=True))
    C:\py.exe "thatch[web]"
    """
    if not is_windows:
        return shlex.join(words)
    # Neither cmd nor PowerShell has single quotes for all of these characters.
    return " ".join(
        word if _PLAIN_WORD.fullmatch(word) else f'"{word}"' for word in words
    )


def _pip_install(prefix: Path) -> list[str]:
    """The start of a command that installs into this environment."""
    if find_spec("pip") is None:  # environments of uv have none
        is_active = _is_active(prefix, "VIRTUAL_ENV")
        place = [] if is_active else ["--python", sys.executable]
        return ["uv", "pip", "install", *place]
    found = shutil.which("pip")
    scripts = Path(sysconfig.get_path("scripts")).resolve()
    if found is not None and Path(found).parent.resolve() == scripts:
        return ["pip", "install"]
    return [sys.executable or "python", "-m", "pip", "install"]


def _is_active(prefix: Path, variable: str) -> bool:
    active = os.environ.get(variable)
    return bool(active) and Path(str(active)).resolve() == prefix.resolve()


def _is_in_cache_of_uv(prefix: Path) -> bool:
    has_tag = (prefix.parent.parent / "CACHEDIR.TAG").is_file()
    return has_tag and _FOLDER_IN_CACHE.fullmatch(prefix.parent.name) is not None


def _program() -> list[str]:
    """The command that runs, if it is ``thatch``; otherwise its name alone."""
    program, *arguments = sys.argv
    return ["thatch", *(arguments if Path(program).stem == "thatch" else [])]


def _requirement(installed: Distribution, extras: list[str]) -> list[str]:
    folder = _editable_folder(installed)
    if folder:
        return ["-e", f"{folder}[{','.join(extras)}]"]
    return [_source(installed, extras)]


def _source(installed: Distribution, extras: list[str]) -> str:
    """The package with extras, from the file or address that it came from."""
    name = f"thatch[{','.join(extras)}]"
    origin = _origin(installed)
    if not origin:
        return name
    url = str(origin["url"])
    if "vcs_info" in origin:
        vcs = origin["vcs_info"]
        url = f"{vcs['vcs']}+{url}@{vcs['commit_id']}"
    return f"{name} @ {url}"


def _editable_folder(installed: Distribution) -> str:
    origin = _origin(installed)
    is_editable = origin.get("dir_info", {}).get("editable", False)
    return str(_path_of(origin["url"])) if is_editable else ""


def _origin(installed: Distribution) -> dict[str, Any]:
    """Where the package came from; empty if from an index, or if it was removed."""
    record = installed.read_text("direct_url.json")
    origin: dict[str, Any] = json.loads(record or "{}")
    if "url" in origin and urlsplit(origin["url"]).scheme == "file":
        return origin if _path_of(origin["url"]).exists() else {}
    return origin


def _path_of(url: str) -> Path:
    return Path(url2pathname(urlsplit(url).path))


def _installed_extras(installed: Distribution) -> list[str]:
    packages = _packages_of_extras(installed)
    return [extra for extra in packages if all(map(_is_installed, packages[extra]))]


def _packages_of_extras(installed: Distribution) -> dict[str, list[str]]:
    packages: dict[str, list[str]] = {}
    for requirement in installed.requires or []:
        found = _EXTRA_REQUIREMENT.fullmatch(requirement)
        if found:
            packages.setdefault(found[2], []).append(found[1])
    return packages


def _is_installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True
