"""Contexts of coverage: which test each one belongs to.

pytest-cov calls a context ``tests/test_a.py::test_b[1]|run``, after the node id and the
phase; coverage itself, with ``dynamic_context = test_function``, after the function:
``tests.test_a.test_b``. Either may follow a static context, as in ``linux|...``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_PHASES = ("|run", "|setup", "|teardown")


def name_of_test(context: str) -> str:
    """Node id or function that a context is named after; empty outside of tests.

    >>> name_of_test("linux|tests/test_a.py::test_b[x|y]|run")
    'tests/test_a.py::test_b[x|y]'
    >>> name_of_test("tests.test_a.test_b")
    'tests.test_a.test_b'
    >>> name_of_test("linux"), name_of_test("")
    ('', '')
    """
    for phase in _PHASES:
        if context.endswith(phase):
            context = context.removesuffix(phase)
            break
    path, separator, rest = context.partition("::")
    path = path.rpartition("|")[2]
    return path + separator + rest if separator or "." in path else ""


def is_node_id(name: str) -> bool:
    """Whether a test is named by its node id, which pytest accepts as an argument."""
    return "::" in name


def dotted_address(node_id: str) -> str:
    """Class name and name of a test in the XML of JUnit, joined by a dot.

    >>> dotted_address("tests/test_a.py::TestB::test_c[1.5]")
    'tests.test_a.TestB.test_c[1.5]'
    """
    address, bracket, parameters = node_id.partition("[")
    path, *names = address.split("::")
    path = path.removesuffix(".py").replace("/", ".")
    return ".".join([path, *names]) + bracket + parameters


@dataclass(frozen=True, slots=True)
class Matches:
    """Which recorded names belong to which of the collected tests."""

    #: Node id by recorded name.
    node_ids: Mapping[str, str]
    #: Recorded functions that several collected tests share, such as parameters.
    ambiguous: tuple[str, ...]
    #: Recorded names that no collected test has.
    unmatched: tuple[str, ...]


def matched(names: Iterable[str], node_ids: Iterable[str]) -> Matches:
    """Match recorded names with collected tests, where that is unambiguous.

    >>> found = matched(
    ...     ["test_a.test_b", "test_a.test_c", "test_a.test_d"],
    ...     ["t/test_a.py::test_b", "t/test_a.py::test_c[1]", "t/test_a.py::test_c[2]"],
    ... )
    >>> found.node_ids
    {'test_a.test_b': 't/test_a.py::test_b'}
    >>> found.ambiguous, found.unmatched
    (('test_a.test_c',), ('test_a.test_d',))
    """
    collected = dict.fromkeys(node_ids)
    by_function = _tests_by_function(collected)
    found: dict[str, str] = {}
    ambiguous: list[str] = []
    unmatched: list[str] = []
    for name in names:
        candidates = [name] if name in collected else by_function.get(name, [])
        if len(candidates) == 1:
            found[name] = candidates[0]
        else:
            (ambiguous if candidates else unmatched).append(name)
    return Matches(found, tuple(ambiguous), tuple(unmatched))


def _tests_by_function(node_ids: Iterable[str]) -> dict[str, list[str]]:
    """Node ids by all names that their function may have.

    The name of a module begins at the folder from which it is imported, which may be
    any of the folders in its path.
    """
    tests: dict[str, list[str]] = {}
    for node_id in node_ids:
        path, separator, rest = node_id.partition("[")[0].partition("::")
        if not separator:
            continue
        *folders, module = path.removesuffix(".py").split("/")
        name = f"{module}.{rest.replace('::', '.')}"
        tests.setdefault(name, []).append(node_id)
        for folder in reversed(folders):
            name = f"{folder}.{name}"
            tests.setdefault(name, []).append(node_id)
    return tests
