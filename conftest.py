"""What pytest leaves alone, and the tier of the examples in docstrings."""

from importlib.util import find_spec
from pathlib import Path

import pytest

# Modules for a GPU, where there is no CuPy to import.
collect_ignore_glob = [] if find_spec("cupy") else ["src/thatch/*gpu*.py"]

# Their examples run experiments, or start processes.
SLOW_EXAMPLES = [
    Path(__file__).parent / "src" / "thatch" / folder for folder in ("paper", "corpus")
]


@pytest.hookimpl(tryfirst=True)  # before pytest selects tests by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark examples that take seconds."""
    for item in items:
        if any(item.path.is_relative_to(folder) for folder in SLOW_EXAMPLES):
            item.add_marker(pytest.mark.slow)
