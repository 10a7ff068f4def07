"""`setup.py` builds kernels once for the same sources, with OpenMP or without."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from systems import posix

SOURCE = Path(__file__).parents[1]
if not (SOURCE / "src").is_dir():
    pytest.skip("needs the source", allow_module_level=True)

KERNEL = """
import cython
from cython.parallel import prange

def fill(numbers: cython.double[::1]) -> None:
    k: cython.Py_ssize_t
    for k in prange(numbers.shape[0], nogil=True, num_threads=2):
        numbers[k] = k
"""
PROJECT = """
[project]
name = "thatch"
version = "0"
dynamic = ["readme"]
urls = { Source = "https://example.org/thatch" }
"""
README = """
[![a badge](https://example.org/badge.svg)](LICENSE) ![a picture](docs/a.png)
[a page](docs/a.md), [elsewhere](https://example.org), [here](#here)
"""
# What it cannot do is named in the environment.
COMPILER = """#!/bin/sh
case "$LACKING, $* " in
    *--version*) ;;
    everything,* | openmp,*-fopenmp*) exit 1 ;;
esac
exec {cc} "$@"
"""
FILL = """
import array
from thatch._kernels import numbers, threads
filled = array.array("d", [-1.0] * 5)
numbers.fill(filled)
print(threads.IS_PARALLEL, filled.tolist())
"""

pytestmark = [
    pytest.mark.slow,
    posix,  # the compiler is a shell script
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler"),
]


class Project:
    """A folder with the build of thatch and one small kernel."""

    def __init__(self, folder):
        self.folder = folder
        self.kernels = folder / "src/thatch/_kernels"
        self.kernels.mkdir(parents=True)
        for package in (self.kernels.parent, self.kernels):
            (package / "__init__.py").touch()
        self.kernel = self.kernels / "numbers.py"
        self.kernel.write_text(KERNEL)
        (folder / "pyproject.toml").write_text(PROJECT)
        (folder / "README.md").write_text(README)
        shutil.copy(SOURCE / "setup.py", folder)
        shutil.copy(SOURCE / "src/thatch/_kernels/threads.c", self.kernels)
        self.compiler = folder / "cc"
        self.compiler.write_text(COMPILER.format(cc=shutil.which("cc")))
        self.compiler.chmod(0o755)

    def started_build(self, lacking=""):
        """Start a build, whose results are written beside the sources."""
        return subprocess.Popen(
            [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
            cwd=self.folder,
            env={**os.environ, "CC": str(self.compiler), "LACKING": lacking},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def build(self, lacking=""):
        """Build; return the exit code and what was printed."""
        build = self.started_build(lacking)
        output, _ = build.communicate()
        return build.returncode, output

    def built(self):
        """Names of the compiled modules beside the sources."""
        return sorted(path.name for path in self.kernels.glob("*.so"))

    def used(self):
        """What the built kernels print."""
        answer = subprocess.run(
            [sys.executable, "-c", FILL],
            cwd=self.folder / "src",
            check=True,
            capture_output=True,
            text=True,
        )
        return answer.stdout.strip()


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A project in which two builds ran at the same time."""
    project = Project(tmp_path_factory.mktemp("project"))
    builds = [project.started_build(), project.started_build()]
    outputs = [build.communicate()[0] for build in builds]
    assert [build.returncode for build in builds] == [0, 0], outputs
    return project


def test_two_builds_at_once_leave_one_result(project):
    (kept,) = (project.folder / "build/kernels").iterdir()
    assert set(project.built()) <= {path.name for path in kept.iterdir()}
    assert project.used().endswith("[0.0, 1.0, 2.0, 3.0, 4.0]")


def test_another_build_of_the_same_sources_compiles_nothing(project):
    built = project.built()
    for path in project.kernels.glob("*.so"):
        path.unlink()
    for path in (project.folder / "build").glob("lib*"):
        shutil.rmtree(path)
    code, output = project.build(lacking="everything")
    assert code == 0, output
    assert project.built() == built


def test_a_changed_source_is_compiled(project):
    project.kernel.write_text(KERNEL + "changed = True\n")
    code, _ = project.build(lacking="everything")
    assert code != 0


def test_going_back_to_earlier_sources_brings_back_their_kernels(project):
    project.kernel.write_text(KERNEL.replace("= k", "= 2 * k"))
    assert project.build()[0] == 0
    assert project.used().endswith("[0.0, 2.0, 4.0, 6.0, 8.0]")
    project.kernel.write_text(KERNEL)
    assert project.build(lacking="everything")[0] == 0
    assert project.used().endswith("[0.0, 1.0, 2.0, 3.0, 4.0]")


def test_a_build_writes_only_beside_the_sources_and_into_build(project):
    assert {path.name for path in project.folder.iterdir()} == {
        *("README.md", "build", "cc", "pyproject.toml", "setup.py", "src"),
    }


def test_without_openmp_the_kernels_use_one_thread(project):
    project.kernel.write_text(KERNEL + "changed = True\n")
    code, output = project.build(lacking="openmp")
    assert code == 0, output
    assert "one thread" in output
    assert project.used() == "0 [0.0, 1.0, 2.0, 3.0, 4.0]"


def test_links_of_the_description_are_absolute(project):
    answer = subprocess.run(
        [sys.executable, "setup.py", "--quiet", "--long-description"],
        cwd=project.folder,
        check=True,
        capture_output=True,
        text=True,
    )
    base = "https://example.org"
    links = re.findall(r"\]\(([^)]*)\)", answer.stdout)
    assert links == [
        f"{base}/badge.svg",
        f"{base}/thatch/blob/HEAD/LICENSE",
        f"{base}/thatch/raw/HEAD/docs/a.png",
        f"{base}/thatch/blob/HEAD/docs/a.md",
        base,
        "#here",
    ]
