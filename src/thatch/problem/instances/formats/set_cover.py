"""OR-Library set cover: rows are elements of weight 1, columns are items; no budget.

::

    rows columns
    costs of the columns
    for each row, the number of columns that cover it, and these columns, from 1
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.formats.contents import Contents
from thatch.problem.instances.formats.text_numbers import (
    TextNumbers,
    first_repeat,
    plain,
)

_NUMBERS_PER_LINE = 12


def read(text: bytes, path: Path) -> Contents:
    r"""Read the contents of a file; `path` is for errors.

    >>> read(b"2 1\n4\n0\n1\n1\n", Path("tiny.scp")).edges
    array([[0, 1]])
    """
    return contents(TextNumbers(text, path))


def contents(numbers: TextNumbers) -> Contents:
    """Take the contents from the numbers of a file."""
    num_elements = numbers.take_count("the number of rows")
    num_items = numbers.take_count("the number of columns")
    costs = numbers.take_amounts("costs", num_items)
    edges = _edges(numbers, num_items, num_elements)
    numbers.require_end("last row")
    return Contents(edges, costs, np.ones(num_elements), budget=None)


def write(problem: CoverageProblem, file: BinaryIO) -> None:
    r"""Write costs and edges; the format cannot store the budget or names.

    Raises
    ------
    InputError
        If a weight is not 1: the format cannot store weights.

    >>> import io
    >>> from thatch.problem.instances.toy import path
    >>> file = io.BytesIO()
    >>> write(path(2).problem, file)
    >>> file.getvalue()
    b'3 2\n1 1\n1\n1\n2\n1 2\n1\n2\n'
    """
    require_unit_weights(problem)
    file.write(f"{problem.num_elements} {problem.num_items}\n".encode())
    file.write(_lines(map(plain, problem.costs.tolist())))
    for a in range(problem.num_elements):
        columns = (problem.edges.items_of(a) + 1).tolist()
        file.write(f"{len(columns)}\n".encode() + _lines(map(str, columns)))


def _edges(numbers: TextNumbers, num_items: int, num_elements: int) -> Ints:
    first = numbers.position
    columns_of = []
    for a in range(num_elements):
        size = numbers.take_count(f"the size of row {a + 1}", max_count=num_items)
        columns_of.append(numbers.take(f"row {a + 1}", size))
    rows, items = numbered_members(
        numbers, columns_of, ("row", "column"), num_items, first, num_before=1
    )
    return np.column_stack([items, rows])


def numbered_members(
    numbers: TextNumbers,
    members_of: Sequence[Floats],
    kinds: tuple[str, str],
    last: int,
    first: int,
    *,
    num_before: int,
) -> tuple[Ints, Ints]:
    """The group of each member and its number, both from 0.

    Members are numbered from 1 to `last`. Groups start at the position `first`, each
    with `num_before` numbers that precede its members, the last of which counts them.
    """
    given = np.concatenate([np.zeros(0), *members_of])
    groups = np.repeat(np.arange(len(members_of)), [len(each) for each in members_of])

    def position_of(e: int) -> int:
        return first + e + num_before * (int(groups[e]) + 1)

    group, member = kinds
    numbers.require_numbered(f"{member}s", given, last, position_of)
    members = given.astype(np.int64) - 1
    repeat = first_repeat(groups * last + members)
    if repeat is not None:
        raise numbers.error(
            f"{member} {members[repeat] + 1} is repeated in {group} "
            f"{groups[repeat] + 1}.",
            position=position_of(repeat),
            hint=f"Remove it, and decrease the size of the {group} by 1.",
        )
    return groups, members


def require_unit_weights(problem: CoverageProblem) -> None:
    """Require that all weights are 1."""
    is_other = problem.weights != 1
    if not is_other.any():
        return
    a = int(np.argmax(is_other))
    names = problem.element_names
    place = a if names is None else repr(names[a])
    raise InputError(
        f"weights[{place}] is {plain(float(problem.weights[a]))}; in a set cover file "
        "all weights must be 1.",
        hint="Write .json, .npz or sparse text, which can store weights.",
    )


def _lines(words: Iterable[str]) -> bytes:
    listed = list(words)
    starts = range(0, len(listed), _NUMBERS_PER_LINE)
    lines = (" ".join(listed[first : first + _NUMBERS_PER_LINE]) for first in starts)
    return "".join(f"{line}\n" for line in lines).encode()
