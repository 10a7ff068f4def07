"""Frameworks are imported by the adapters alone."""

import subprocess
import sys

import pytest

FRAMEWORKS = {
    "langchain": ("langchain_core", "langchain"),
    "llama_index": ("llama_index", "llama-index"),
    "haystack": ("haystack", "haystack"),
}


def run(script):
    return subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.split()


def test_thatch_imports_no_framework():
    names = [package for package, _ in FRAMEWORKS.values()]
    script = (
        "import sys, thatch, thatch.integrations; thatch.select(['Snow fell.'], 9)\n"
        f"print(*[name for name in {names} if name in sys.modules])"
    )
    assert run(script) == []


@pytest.mark.parametrize("module", FRAMEWORKS)
def test_a_missing_framework_is_named_with_its_extra(module):
    package, extra = FRAMEWORKS[module]
    script = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from thatch.errors import MissingExtraError\n"
        f"try: import thatch.integrations.{module}\n"
        "except MissingExtraError as error: print(error.extra)\n"
    )
    assert run(script) == [extra]


def test_the_messages_of_agents_need_langchain_core_alone():
    script = (
        "import sys; sys.modules['langchain'] = None\n"
        "from thatch.integrations.langchain import SelectMessagesEdit\n"
        "print(SelectMessagesEdit().keep)"
    )
    assert run(script) == ["6"]
