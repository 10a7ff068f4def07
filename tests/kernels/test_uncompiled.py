"""All kernels uncompiled, as in a source that was not built."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import thatch

pytestmark = pytest.mark.slow

SOLVE = """
from thatch import CoverageProblem, solve
from thatch._kernels import gains
assert gains.__file__.endswith(".py")
problem = CoverageProblem.from_sets([{0, 1}, {1, 2}, {3}], budget=2)
print(solve(problem).selection.value)
"""


def test_a_source_that_was_not_built_solves_problems(tmp_path):
    compiled = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    source = Path(thatch.__file__).parent
    shutil.copytree(source, tmp_path / "thatch", ignore=compiled)
    # The copy is not what coverage is measured of.
    unmeasured = {key: os.environ[key] for key in os.environ if "COVERAGE" not in key}
    answer = subprocess.run(
        [sys.executable, "-c", SOLVE],
        env=unmeasured | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (answer.returncode, answer.stdout.strip()) == (0, "3.0"), answer.stderr
