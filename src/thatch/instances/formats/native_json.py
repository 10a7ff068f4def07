"""Our own JSON: one object, made to be read and written by hand too.

::

    {"format": "thatch-coverage", "version": 1, "budget": 2,
     "costs": [1, 1, 2], "weights": [3, 5, 5, 3],
     "sets": [[1, 2], [0, 1], [2, 3]],
     "item_names": [...], "element_names": [...]}

A set lists the elements of one item, numbered from 0. Costs and weights are 1 where
they are left out; names and the budget may be left out too.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.errors import FileFormatError
from thatch.instances.formats.contents import Contents
from thatch.instances.formats.text_numbers import plain
from thatch.problem.coverage_problem import CoverageProblem

_FORMAT = "thatch-coverage"
_VERSION = 1
_FIELDS = (
    "format",
    "version",
    "budget",
    "costs",
    "weights",
    "sets",
    "item_names",
    "element_names",
)
# Without weights one large element number would ask for as many weights.
_MOST_UNWEIGHTED_ELEMENTS = 10**8


def read(text: bytes, path: Path) -> Contents:
    """Return what the text holds; `path` is for messages.

    >>> text = b'{"format": "thatch-coverage", "version": 1, "sets": [[0, 2], [1]]}'
    >>> contents = read(text, Path("tiny.json"))
    >>> contents.costs, contents.weights, contents.budget
    (array([1., 1.]), array([1., 1., 1.]), None)
    """
    return contents_of(_parsed(text, path), path)


def contents_of(values: object, path: Path) -> Contents:
    """Return what the parsed object holds; `path` is for messages.

    >>> values = {"format": "thatch-coverage", "version": 1, "sets": [[0], [0, 1]]}
    >>> contents_of(values, Path("tiny.json")).edges.tolist()
    [[0, 0], [1, 0], [1, 1]]
    """
    fields = _Fields(values, path)
    sets = fields.sets()
    costs = fields.amounts("costs", "item")
    if costs is None:
        costs = np.ones(len(sets))
    elif costs.size != len(sets):
        raise fields.error(
            f"costs must be one an item, got {costs.size} for {len(sets)} sets.",
            hint="Give every item one cost and one set.",
        )
    weights = fields.amounts("weights", "element")
    most = _MOST_UNWEIGHTED_ELEMENTS if weights is None else weights.size
    edges = fields.edges(sets, num_elements=most)
    if weights is None:
        weights = np.ones(edges[:, 1].max(initial=-1) + 1)
    return Contents(
        edges,
        costs,
        weights,
        fields.budget(),
        fields.names("item_names"),
        fields.names("element_names"),
    )


def write(problem: CoverageProblem, file: BinaryIO) -> None:
    """Write everything, an item's set a line.

    >>> import io
    >>> from thatch.instances.toy import cheap_crumb
    >>> file = io.BytesIO()
    >>> write(cheap_crumb().problem, file)
    >>> json.loads(file.getvalue())["sets"]
    [[0], [1]]
    """
    for line in _lines(problem):
        # A stray half of a surrogate pair is no UTF-8; escaped it is JSON.
        file.write(line.encode("utf-8", "backslashreplace"))


def _lines(problem: CoverageProblem) -> Iterator[str]:
    yield f'{{\n  "format": "{_FORMAT}",\n  "version": {_VERSION},\n'
    yield f'  "budget": {plain(float(problem.budget))},\n'
    yield f'  "costs": {_list(problem.costs)},\n'
    yield f'  "weights": {_list(problem.weights)},\n'
    yield '  "sets": ['
    for i in range(problem.num_items):
        yield f"{',' if i else ''}\n    {problem.edges.elements_of(i).tolist()}"
    yield "\n  ]" if problem.num_items else "]"
    for field in ("item_names", "element_names"):
        names = getattr(problem, field)
        if names is not None:
            yield f',\n  "{field}": {json.dumps(names, ensure_ascii=False)}'
    yield "\n}\n"


def _list(values: Floats) -> str:
    return f"[{', '.join(map(plain, values.tolist()))}]"


class _Fields:
    """The fields of the object, each checked for its kind when asked for."""

    def __init__(self, values: object, path: Path) -> None:
        self._path = path
        if not isinstance(values, dict):
            raise self.error(
                f"the file must hold one object, got {_shown(values)}.",
                hint=f'Start it with {{"format": "{_FORMAT}", "version": {_VERSION}.',
            )
        self._values: dict[str, Any] = values
        self._require("format", _FORMAT, hint="Is this a file of another program?")
        self._require("version", _VERSION, hint="A newer thatch may read it.")
        for name in values:
            if name not in _FIELDS:
                raise self.error(
                    f"fields must be among {', '.join(_FIELDS)}, got {_shown(name)}.",
                    hint="Correct its spelling, or remove it.",
                )

    def error(self, message: str, *, hint: str) -> FileFormatError:
        return FileFormatError(self._path, message, hint=hint)

    def budget(self) -> float | None:
        value = self._values.get("budget")
        if value is not None:
            self._require_amount("budget", value, place="")
        return None if value is None else float(value)

    def amounts(self, name: str, owner: str) -> Floats | None:
        if self._values.get(name) is None:
            return None
        values = self._list(name, "numbers")
        for position, value in enumerate(values):
            self._require_amount(name, value, place=f" at {owner} {position}")
        return np.array(values, dtype=np.float64)

    def names(self, name: str) -> tuple[str, ...] | None:
        if self._values.get(name) is None:
            return None
        values = self._list(name, "strings")
        for position, value in enumerate(values):
            if not isinstance(value, str):
                raise self.error(
                    f"{name} must be strings, got {_shown(value)} at {position}.",
                    hint="Put it in quotes.",
                )
        return tuple(values)

    def sets(self) -> list[list[int]]:
        sets = self._list("sets", "lists of element numbers")
        for i, elements in enumerate(sets):
            if not isinstance(elements, list):
                raise self.error(
                    "sets must be lists of element numbers, "
                    f"got {_shown(elements)} at item {i}.",
                    hint="Give sets as [[0, 1], [1, 2]].",
                )
        return sets

    def edges(self, sets: list[list[int]], *, num_elements: int) -> Ints:
        for i, elements in enumerate(sets):
            for a in elements:
                if type(a) is not int or not 0 <= a < num_elements:
                    raise self.error(
                        "sets must hold element numbers, whole, >= 0 and "
                        f"< {num_elements}, got {_shown(a)} at item {i}.",
                        hint="Number the elements from 0, and give each a weight.",
                    )
        sizes = [len(elements) for elements in sets]
        items = np.repeat(np.arange(len(sets)), sizes)
        flat = np.fromiter(chain.from_iterable(sets), np.int64, count=items.size)
        return np.column_stack([items, flat])

    def _require(self, name: str, wanted: str | int, *, hint: str) -> None:
        value = self._values.get(name)
        if type(value) is not type(wanted) or value != wanted:
            shown = _shown(value) if name in self._values else "no such field"
            raise self.error(f"{name} must be {wanted!r}, got {shown}.", hint=hint)

    def _require_amount(self, name: str, value: object, *, place: str) -> None:
        if type(value) is not int and type(value) is not float:
            what = "be numbers" if place else "be a number"
            raise self.error(
                f"{name} must {what}, got {_shown(value)}{place}.",
                hint="Write numbers as 12, 0.5 or 1e-3, without quotes.",
            )
        if not 0 <= value <= sys.float_info.max:
            raise self.error(
                f"{name} must be finite and >= 0, got {_shown(value)}{place}.",
                hint="Correct that number.",
            )

    def _list(self, name: str, what: str) -> list[Any]:
        value = self._values.get(name)
        if not isinstance(value, list):
            shown = _shown(value) if name in self._values else "no such field"
            raise self.error(
                f"{name} must be a list of {what}, got {shown}.",
                hint=f'Write it as "{name}": [...].',
            )
        return value


def _parsed(text: bytes, path: Path) -> object:
    def reject_constant(literal: str) -> NoReturn:
        raise FileFormatError(
            path,
            f"numbers must be finite, got {literal}.",
            hint="JSON has no such number; correct or remove it.",
        )

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise FileFormatError(
                    path,
                    f"fields must differ, got {_shown(name)} twice.",
                    hint="Remove one of them.",
                )
            found[name] = value
        return found

    try:
        return json.loads(
            text, parse_constant=reject_constant, object_pairs_hook=fields
        )
    except FileFormatError:
        raise
    except (ValueError, RecursionError) as error:
        raise _not_json(error, path) from error


def _not_json(error: Exception, path: Path) -> FileFormatError:
    if isinstance(error, json.JSONDecodeError):
        return FileFormatError(
            path,
            f"the file must be JSON, got a slip at column {error.colno}: {error.msg}.",
            line=error.lineno,
            hint="A comma, a bracket or a quote may be missing there.",
        )
    if isinstance(error, RecursionError):
        return FileFormatError(
            path,
            "lists must be nested at most twice, got far more.",
            hint="Give sets as [[0, 1], [1, 2]].",
        )
    # Python refuses to convert whole numbers of thousands of digits.
    return FileFormatError(
        path,
        "numbers must be finite, got one with thousands of digits.",
        hint="Correct or remove it.",
    )


def _shown(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    text = repr(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
