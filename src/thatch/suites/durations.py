"""Durations of tests, by node id or by the address that JUnit's XML has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from thatch.errors import FileFormatError
from thatch.files.reading import read_bytes
from thatch.suites.contexts import dotted_address

#: Where the plugin keeps durations in the cache of pytest.
CACHE_KEY = "thatch/durations"
# A generation: longer ones are errors.
_MAX_SECONDS = 1e9
_HINT = "Pass a file from pytest --junit-xml, or a JSON object of seconds by node id."


def read_durations(path: Path) -> dict[str, float]:
    """Seconds by test, from the XML of JUnit, or JSON as pytest-split writes it."""
    content = read_bytes(path)
    if content.lstrip().startswith(b"<"):
        return _read_xml(path, content)
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(
            path, "the file is neither XML nor JSON.", hint=_HINT
        ) from error
    if not isinstance(found, dict):
        raise FileFormatError(path, "a JSON object was expected.", hint=_HINT)
    return {name: _seconds(path, name, value) for name, value in found.items()}


def _read_xml(path: Path, content: bytes) -> dict[str, float]:
    # Entities, which could grow without limit, are declared in a document type.
    if b"<!DOCTYPE" in content:
        raise FileFormatError(
            path, "the XML declares a document type, which is not allowed.", hint=_HINT
        )
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        raise FileFormatError(path, f"invalid XML: {error}.", hint=_HINT) from error
    durations: dict[str, float] = {}
    for case in root.iter("testcase"):
        address = f"{case.get('classname', '')}.{case.get('name', '')}".lstrip(".")
        seconds = _seconds(path, address, case.get("time", "0"))
        # A test that is repeated, or whose teardown failed, occurs twice.
        durations[address] = durations.get(address, 0.0) + seconds
    if not durations:
        raise FileFormatError(path, "the XML has no tests.", hint=_HINT)
    return durations


def _seconds(path: Path, name: str, value: Any) -> float:
    try:
        # XML of other programs has thousands separators.
        seconds = float(value.replace(",", "") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        seconds = -1.0
    if not 0 <= seconds <= _MAX_SECONDS or isinstance(value, bool):
        raise FileFormatError(
            path,
            f"the duration of {name} is {value!r}; it must be a number of seconds "
            f"between 0 and {_MAX_SECONDS:g}.",
            hint=_HINT,
        )
    return seconds


def valid_durations(found: object) -> dict[str, float]:
    """The valid durations of what was in a cache, which anyone can write to.

    >>> valid_durations({"t.py::test_a": 0.5, "t.py::test_b": -1})
    {'t.py::test_a': 0.5}
    """
    if not isinstance(found, dict):
        return {}
    return {
        str(name): float(seconds)
        for name, seconds in found.items()
        if isinstance(seconds, int | float) and 0 <= seconds <= _MAX_SECONDS
    }


def cached_durations(folder: Path) -> dict[str, float]:
    """Durations that the plugin has kept in the cache of pytest below a folder."""
    path = folder / ".pytest_cache" / "v" / CACHE_KEY
    try:
        return valid_durations(json.loads(path.read_bytes()))
    except (OSError, ValueError):
        return {}  # like pytest, which ignores what it cannot read in its cache


def duration_of(node_id: str, durations: Mapping[str, float]) -> float | None:
    """Duration of a test, if it is known.

    >>> duration_of("tests/test_a.py::test_b", {"tests.test_a.test_b": 0.5})
    0.5
    """
    found = durations.get(node_id)
    return durations.get(dotted_address(node_id)) if found is None else found
