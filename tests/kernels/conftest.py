import importlib
import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(params=["compiled", "uncompiled"])
def kernel(request):
    """Load a kernel by name: as the build made it, or as the Python file it is."""

    def load(name):
        module = importlib.import_module(f"thatch._kernels.{name}")
        if request.param == "compiled":
            return module
        source = Path(module.__file__).parent / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"uncompiled_{name}", source)
        uncompiled = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(uncompiled)
        return uncompiled

    return load
