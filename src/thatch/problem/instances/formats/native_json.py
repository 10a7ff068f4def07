"""thatch's JSON: one object, which people can read and write too.

::

    {"format": "thatch-coverage", "version": 1, "budget": 2,
     "costs": [1, 1, 2], "weights": [3, 5, 5, 3],
     "sets": [[1, 2], [0, 1], [2, 3]],
     "item_names": [...], "element_names": [...], "constraints": {...}}

A set lists the elements of one item, numbered from 0. Everything but ``format``,
``version`` and ``sets`` is optional; costs and weights are 1 by default. Files with
constraints have version 2, which older releases refuse.
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
from thatch.errors import FileFormatError, shortened
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.formats import json_constraints
from thatch.problem.instances.formats.contents import Contents, max_described
from thatch.problem.instances.formats.text_numbers import MAX_COUNT, plain

_FORMAT = "thatch-coverage"
_VERSION = 1
_VERSION_WITH_CONSTRAINTS = 2
_FIELDS = (
    "format",
    "version",
    "budget",
    "costs",
    "weights",
    "sets",
    "item_names",
    "element_names",
    "constraints",
)


def read(text: bytes, path: Path) -> Contents:
    """Read the contents of a file; `path` is for errors.

    >>> text = b'{"format": "thatch-coverage", "version": 1, "sets": [[0, 2], [1]]}'
    >>> contents = read(text, Path("tiny.json"))
    >>> contents.costs, contents.weights, contents.budget
    (array([1., 1.]), array([1., 1., 1.]), None)
    """
    return contents_of(_parsed(text, path), path)


def contents_of(
    values: object, path: Path, *, max_elements: int | None = None
) -> Contents:
    """Return the contents of a parsed object.

    Parameters
    ----------
    values
        The object.
    path
        Where it comes from, for errors.
    max_elements
        Maximum number of elements if there are no weights. Default: that of files.

    >>> values = {"format": "thatch-coverage", "version": 1, "sets": [[0], [0, 1]]}
    >>> contents_of(values, Path("tiny.json")).edges.tolist()
    [[0, 0], [1, 0], [1, 1]]
    """
    fields = _Fields(values, path)
    sets = fields.sets()
    costs = fields.amounts("costs")
    if costs is None:
        costs = np.ones(len(sets))
    elif costs.size != len(sets):
        raise fields.error(
            f"expected one cost per item, got {_counted(costs.size, 'cost')} for "
            f"{_counted(len(sets), 'item')}.",
            hint="Give every item one cost and one set.",
        )
    weights = fields.amounts("weights")
    edges = fields.edges(sets, num_elements=None if weights is None else weights.size)
    if weights is None:
        weights = np.ones(fields.num_elements(edges, max_elements))
    return Contents(
        edges,
        costs,
        weights,
        fields.budget(),
        fields.names("item_names"),
        fields.names("element_names"),
        fields.constraints(),
    )


def write(problem: CoverageProblem, file: BinaryIO) -> None:
    """Write everything, with one line per set.

    >>> import io
    >>> from thatch.problem.instances.toy import cheap_crumb
    >>> file = io.BytesIO()
    >>> write(cheap_crumb().problem, file)
    >>> json.loads(file.getvalue())["sets"]
    [[0], [1]]
    """
    for line in _lines(problem):
        # A lone surrogate is not UTF-8; escaped it is valid JSON.
        file.write(line.encode("utf-8", "backslashreplace"))


def _lines(problem: CoverageProblem) -> Iterator[str]:
    constraints = problem.constraints
    version = _VERSION if constraints is None else _VERSION_WITH_CONSTRAINTS
    yield f'{{\n  "format": "{_FORMAT}",\n  "version": {version},\n'
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
    if constraints is not None:
        given = json.dumps(json_constraints.as_json(constraints), ensure_ascii=False)
        yield f',\n  "constraints": {given}'
    yield "\n}\n"


def _list(values: Floats) -> str:
    return f"[{', '.join(map(plain, values.tolist()))}]"


class _Fields:
    """The fields of the object, each checked when it is used."""

    def __init__(self, values: object, path: Path) -> None:
        self._path = path
        if not isinstance(values, dict):
            raise self.error(
                f"the file contains {_shown(values)}; one object was expected.",
                hint=f'Start it with {{"format": "{_FORMAT}", "version": {_VERSION}.',
            )
        self._values: dict[str, Any] = values
        self._require("format", _FORMAT, hint="It may be a file of another program.")
        version = values.get("version")
        is_newer = type(version) is int and version > _VERSION_WITH_CONSTRAINTS
        if type(version) is not int or version != _VERSION_WITH_CONSTRAINTS:
            self._require(
                "version",
                _VERSION,
                hint="Upgrade thatch: a newer version wrote this file."
                if is_newer
                else f'Write "version": {_VERSION}.',
            )
        for name in values:
            if name not in _FIELDS:
                raise self.error(
                    f"the field {_shown(name)} is unknown.",
                    hint=f"The fields are {', '.join(_FIELDS)}.",
                )

    def error(self, message: str, *, hint: str) -> FileFormatError:
        return FileFormatError(self._path, message, hint=hint)

    def constraints(self) -> dict[str, Any]:
        values = self._values.get("constraints")
        return (
            {} if values is None else json_constraints.arguments_of(values, self._path)
        )

    def budget(self) -> float | None:
        value = self._values.get("budget")
        if value is not None:
            self._require_amount("budget", value)
        return None if value is None else float(value)

    def amounts(self, name: str) -> Floats | None:
        if self._values.get(name) is None:
            return None
        values = self._list(name, "numbers")
        for position, value in enumerate(values):
            self._require_amount(f"{name}[{position}]", value)
        return np.array(values, dtype=np.float64)

    def names(self, name: str) -> tuple[str, ...] | None:
        if self._values.get(name) is None:
            return None
        values = self._list(name, "strings")
        for position, value in enumerate(values):
            if not isinstance(value, str):
                raise self.error(
                    f"{name}[{position}] is {_shown(value)}; a string was expected.",
                    hint="Put it in quotes.",
                )
        return tuple(values)

    def sets(self) -> list[list[int]]:
        sets = self._list("sets", "lists of element numbers")
        for i, elements in enumerate(sets):
            if not isinstance(elements, list):
                raise self.error(
                    f"sets[{i}] is {_shown(elements)}; a list of element numbers was "
                    "expected.",
                    hint="Write sets as [[0, 1], [1, 2]].",
                )
        return sets

    def edges(self, sets: list[list[int]], *, num_elements: int | None) -> Ints:
        """Item and element of each edge; without weights, there is no last element."""
        end = MAX_COUNT if num_elements is None else num_elements
        for i, elements in enumerate(sets):
            for a in elements:
                if type(a) is not int or not 0 <= a < end:
                    raise self.error(
                        f"sets[{i}] contains {_shown(a)}; element numbers must be "
                        f"integers from 0 to {end - 1}.",
                        hint="Number the elements from 0, and give each a weight.",
                    )
        sizes = [len(elements) for elements in sets]
        items = np.repeat(np.arange(len(sets)), sizes)
        flat = np.fromiter(chain.from_iterable(sets), np.int64, count=items.size)
        return np.column_stack([items, flat])

    def num_elements(self, edges: Ints, max_elements: int | None) -> int:
        """Number of elements, if there are no weights that say it."""
        elements = edges[:, 1]
        if not elements.size:
            return 0
        largest = int(elements.max())
        limit = max_described(elements.size) if max_elements is None else max_elements
        if largest >= limit:
            i = int(edges[np.argmax(elements), 0])
            raise self.error(
                f"sets[{i}] contains {largest}; without weights, element numbers must "
                f"be below {limit} in a problem of {_counted(elements.size, 'edge')}.",
                hint="Number the elements from 0 without gaps, or give each a weight.",
            )
        return largest + 1

    def _require(self, name: str, wanted: str | int, *, hint: str) -> None:
        value = self._values.get(name)
        if type(value) is not type(wanted) or value != wanted:
            shown = _shown(value) if name in self._values else "missing"
            raise self.error(f"{name} is {shown}; expected {wanted!r}.", hint=hint)

    def _require_amount(self, name: str, value: object) -> None:
        if type(value) is not int and type(value) is not float:
            raise self.error(
                f"{name} is {_shown(value)}; a number was expected.",
                hint="Write numbers as 12, 0.5 or 1e-3, without quotes.",
            )
        if not 0 <= value <= sys.float_info.max:
            raise self.error(
                f"{name} is {_shown(value)}; it must be finite and non-negative.",
                hint="Use 0 or a positive number.",
            )

    def _list(self, name: str, what: str) -> list[Any]:
        value = self._values.get(name)
        if not isinstance(value, list):
            shown = _shown(value) if name in self._values else "missing"
            raise self.error(
                f"{name} is {shown}; a list of {what} was expected.",
                hint=f'Write it as "{name}": [...].',
            )
        return value


def _parsed(text: bytes, path: Path) -> object:
    def reject_constant(literal: str) -> NoReturn:
        raise FileFormatError(
            path,
            f"{literal} is not a JSON number.",
            hint="Numbers must be finite: correct or remove it.",
        )

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, value in pairs:
            if name in found:
                raise FileFormatError(
                    path,
                    f"the field {_shown(name)} is repeated.",
                    hint="Remove one of the two.",
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
        invalid = FileFormatError(
            path,
            f"invalid JSON at line {error.lineno}, column {error.colno}: {error.msg}.",
            hint="A comma, a bracket or a quote may be missing.",
        )
        # Line and column belong together, so that the message has the line already.
        invalid.line = error.lineno
        return invalid
    if isinstance(error, RecursionError):
        return FileFormatError(
            path,
            "lists are nested too deeply.",
            hint="Write sets as [[0, 1], [1, 2]].",
        )
    # Python does not convert integers of thousands of digits.
    return FileFormatError(
        path,
        "a number has thousands of digits.",
        hint="Numbers must be below 1.8e308: correct or remove it.",
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _shown(value: object) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    return shortened(repr(value) if isinstance(value, str) else json.dumps(value))
