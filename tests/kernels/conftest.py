import importlib
import importlib.util
import sys
from pathlib import Path
from unittest import mock

import pytest

# What other kernels extend: one that is not compiled cannot extend one that is.
EXTENDED = "thatch._kernels.selections"


@pytest.fixture(params=["compiled", "uncompiled"])
def kernel(request):
    """Load a kernel by name: as the build made it, or as the Python file it is."""
    if request.param == "uncompiled":
        return uncompiled
    return lambda name: importlib.import_module(f"thatch._kernels.{name}")


def uncompiled(name):
    """A kernel as the Python file it is."""
    with mock.patch.dict(sys.modules, {EXTENDED: executed("selections")}):
        return executed(name)


def executed(name):
    compiled = importlib.import_module(f"thatch._kernels.{name}")
    source = Path(compiled.__file__).parent / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"uncompiled_{name}", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
