import importlib
import importlib.util
import sys
from pathlib import Path
from unittest import mock

import pytest

# What other kernels extend, in this order: one that is not compiled cannot extend one
# that is.
EXTENDED = ("selections", "ranked_selections")


@pytest.fixture(params=["compiled", "uncompiled"])
def kernel(request):
    """Load a kernel by name: as the build made it, or as the Python file it is."""
    if request.param == "uncompiled":
        return uncompiled
    return lambda name: importlib.import_module(f"thatch._kernels.{name}")


def uncompiled(name):
    """A kernel as the Python file it is."""
    names = [f"thatch._kernels.{each}" for each in (*EXTENDED, name)]
    sources = [Path(importlib.import_module(each).__file__) for each in names]
    with mock.patch.dict(sys.modules):
        for each, source in zip(names, sources, strict=True):
            sys.modules[each] = module = executed(each, source.parent)
    return module


def executed(name, folder):
    source = folder / f"{name.split('.')[-1]}.py"
    spec = importlib.util.spec_from_file_location(f"uncompiled_{source.stem}", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
