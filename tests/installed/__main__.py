"""Check an installed thatch: ``python tests/installed``, with the Python that has it.

Every command runs from an empty folder, and none may find a compiler. With ``--tests``,
all tests run, too, in a copy of the repository without its folder ``src``; arguments
after it are pytest's. Nothing here needs a shell, so that it runs on every system.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import commands

import thatch
from thatch._kernels import threads

ROOT = Path(__file__).parents[2]
PACKAGE = Path(thatch.__file__).parent
LEFT_OUT = shutil.ignore_patterns(
    *("src", "build", "dist", "__pycache__", ".git", ".venv*", ".*_cache")
)


def main():
    parser = argparse.ArgumentParser(prog="python tests/installed")
    parser.add_argument(
        "--tests", nargs=argparse.REMAINDER, help="run all tests; arguments of pytest"
    )
    given = parser.parse_args()
    check_package()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        here = Path(folder)
        scripts = sysconfig.get_path("scripts")
        program = shutil.which("thatch", path=scripts)
        assert program is not None, f"there is no thatch in {scripts}"
        without_compiler = os.environ | {
            "PATH": scripts,
            "CC": "no-compiler",
            "CXX": "no-compiler",
        }
        for check in commands.CHECKS:
            place = here / check.__name__
            place.mkdir()
            check(commands.Runner(program, place, without_compiler))
            print(f"{check.__name__.replace('_', ' ')}: passed", flush=True)
        if given.tests is not None:
            sys.exit(run_tests(here / "repository", given.tests))


def check_package():
    """The package comes from an installation, and its kernels are compiled."""
    assert ROOT not in PACKAGE.parents, f"{PACKAGE} is the source, not an installation"
    compiled = [
        path
        for path in (PACKAGE / "_kernels").iterdir()
        if path.name.endswith(tuple(EXTENSION_SUFFIXES))
    ]
    assert compiled, f"{PACKAGE} has no compiled kernel"
    # Apple's compiler alone has no OpenMP: see docs/decisions/build-and-release.md.
    assert threads.IS_PARALLEL or sys.platform == "darwin", "kernels use one thread"
    print(f"thatch {thatch.__version__} in {PACKAGE}")


def run_tests(copy, arguments):
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    # Tests use the encoding of the system, which is UTF-8 everywhere but on Windows.
    environment = os.environ | {"PYTHONUTF8": "1"}
    command += arguments or ["tests"]
    return subprocess.run(command, cwd=copy, env=environment).returncode


if __name__ == "__main__":
    main()
