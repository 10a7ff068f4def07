"""The options of the plugin, and what the guide says of them."""

import re
from pathlib import Path

import pytest

import _thatch_pytest_plugin as plugin

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "test-suites.md"


class Options:
    """Records the options that a plugin adds."""

    def __init__(self):
        self.names = []

    def getgroup(self, *_):
        return self

    def addoption(self, name, **_):
        self.names.append(name)


def test_the_guide_lists_every_option_of_the_plugin():
    if not GUIDE.exists():
        pytest.skip("needs the documentation")
    options = Options()
    plugin.pytest_addoption(options)
    listed = re.findall(r"^\| `(--thatch-\w+)", GUIDE.read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(options.names)
