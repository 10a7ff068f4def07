"""OR-Library set cover: a row an element, a column an item, every weight 1, no budget.

::

    rows columns
    costs of the columns
    for each row, how many columns cover it, and their numbers from 1
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError
from thatch.instances.formats.contents import Contents
from thatch.instances.formats.text_numbers import TextNumbers, first_repeat, plain
from thatch.problem.coverage_problem import CoverageProblem

_NUMBERS_A_LINE = 12


def read(text: bytes, path: Path) -> Contents:
    r"""Return what the text holds; `path` is for messages.

    >>> read(b"2 1\n4\n0\n1\n1\n", Path("tiny.scp")).edges
    array([[0, 1]])
    """
    numbers = TextNumbers(text, path)
    num_elements = numbers.take_count("the number of rows")
    num_items = numbers.take_count("the number of columns")
    costs = numbers.take_amounts("costs", num_items)
    edges = _edges(numbers, num_items, num_elements)
    numbers.require_end("last row")
    return Contents(edges, costs, np.ones(num_elements), budget=None)


def write(problem: CoverageProblem, file: BinaryIO) -> None:
    r"""Write costs and edges; the format cannot hold the budget or names.

    Raises
    ------
    InputError
        If a weight is not 1: the format cannot hold weights.

    >>> import io
    >>> from thatch.instances.toy import path
    >>> file = io.BytesIO()
    >>> write(path(2).problem, file)
    >>> file.getvalue()
    b'3 2\n1 1\n1\n1\n2\n1 2\n1\n2\n'
    """
    _require_unit_weights(problem)
    file.write(f"{problem.num_elements} {problem.num_items}\n".encode())
    file.write(_lines(map(plain, problem.costs.tolist())))
    for a in range(problem.num_elements):
        columns = (problem.edges.items_of(a) + 1).tolist()
        file.write(f"{len(columns)}\n".encode() + _lines(map(str, columns)))


def _edges(numbers: TextNumbers, num_items: int, num_elements: int) -> Ints:
    first = numbers.position
    columns_of = []
    for a in range(num_elements):
        size = numbers.take_count(f"the size of row {a + 1}", largest=num_items)
        columns_of.append(numbers.take(f"row {a + 1}", size))
    columns = np.concatenate([np.zeros(0), *columns_of])
    rows = np.repeat(np.arange(num_elements), [len(row) for row in columns_of])

    def position_of(e: int) -> int:
        # Every row up to this one has put its size in front.
        return first + e + int(rows[e]) + 1

    numbers.require_numbered("columns", columns, num_items, position_of)
    items = columns.astype(np.int64) - 1
    repeat = first_repeat(rows * num_items + items)
    if repeat is not None:
        raise numbers.error(
            f"the columns of row {rows[repeat] + 1} must differ, "
            f"got {items[repeat] + 1} twice.",
            position=position_of(repeat),
            hint="Remove the copy, and count one column less in that row.",
        )
    return np.column_stack([items, rows])


def _require_unit_weights(problem: CoverageProblem) -> None:
    is_other = problem.weights != 1
    if not is_other.any():
        return
    a = int(np.argmax(is_other))
    names = problem.element_names
    raise InputError(
        "weights must all be 1 in a set cover file, "
        f"got {plain(float(problem.weights[a]))} at element "
        f"{a if names is None else repr(names[a])}.",
        hint="Write .json, .npz or sparse text, which hold weights.",
    )


def _lines(words: Iterable[str]) -> bytes:
    listed = list(words)
    starts = range(0, len(listed), _NUMBERS_A_LINE)
    lines = (" ".join(listed[first : first + _NUMBERS_A_LINE]) for first in starts)
    return "".join(f"{line}\n" for line in lines).encode()
