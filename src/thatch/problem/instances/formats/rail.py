"""Rail set cover: rows are elements of weight 1, columns are items; no budget.

::

    rows columns
    for each column, its cost, the number of rows it covers, and these rows, from 1

The first line is that of the other set cover format, which lists the columns of each
row. Which of the two a file is in follows from the counts that it contains.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.formats import set_cover
from thatch.problem.instances.formats.contents import Contents, max_described
from thatch.problem.instances.formats.text_numbers import TextNumbers, plain


def read(text: bytes, path: Path) -> Contents:
    r"""Read the contents of a file; `path` is for errors.

    >>> read(b"2 2\n5 2 1 2\n3 1 2\n", Path("tiny.rail")).edges.tolist()
    [[0, 0], [0, 1], [1, 1]]
    """
    return _contents(TextNumbers(text, path))


def read_either(text: bytes, path: Path) -> Contents:
    r"""Read a file in this format or in that of `set_cover`.

    >>> read_either(b"2 1\n5 2 1 2\n", Path("tiny.txt")).costs
    array([5.])
    >>> read_either(b"2 1\n5\n1\n1\n1\n1\n", Path("tiny.txt")).costs
    array([5.])
    """
    numbers = TextNumbers(text, path)
    if _is_by_column(numbers.values, text):
        return _contents(numbers)
    return set_cover.contents(numbers)


def write(problem: CoverageProblem, file: BinaryIO) -> None:
    r"""Write costs and edges, of the same problems as `set_cover.write`.

    >>> import io
    >>> from thatch.problem.instances.toy import path
    >>> file = io.BytesIO()
    >>> write(path(2).problem, file)
    >>> file.getvalue()
    b'3 2\n1 2 1 2\n1 2 2 3\n'
    """
    set_cover.require_unit_weights(problem)
    file.write(f"{problem.num_elements} {problem.num_items}\n".encode())
    for i, cost in enumerate(problem.costs.tolist()):
        rows = (problem.edges.elements_of(i) + 1).tolist()
        words = [plain(cost), str(len(rows)), *map(str, rows)]
        file.write(f"{' '.join(words)}\n".encode())


def _contents(numbers: TextNumbers) -> Contents:
    # Nothing else in the file tells how many rows there are: any column may cover few.
    most = max_described(numbers.values.size)
    num_elements = numbers.take_count("the number of rows", max_count=most)
    num_items = numbers.take_count("the number of columns")
    costs, edges = _columns(numbers, num_items, num_elements)
    numbers.require_end("last column")
    return Contents(edges, costs, np.ones(num_elements), budget=None)


def _columns(
    numbers: TextNumbers, num_items: int, num_elements: int
) -> tuple[Floats, Ints]:
    first = numbers.position
    costs, rows_of = [], []
    for i in range(num_items):
        costs.append(numbers.take(f"the cost of column {i + 1}", 1))
        size = numbers.take_count(f"the size of column {i + 1}", max_count=num_elements)
        rows_of.append(numbers.take(f"column {i + 1}", size))

    def position_of_cost(i: int) -> int:
        return first + 2 * i + sum(len(each) for each in rows_of[:i])

    amounts = np.concatenate([np.zeros(0), *costs])
    numbers.require_amounts("costs", amounts, position_of_cost)
    items, elements = set_cover.numbered_members(
        numbers, rows_of, ("column", "row"), num_elements, first, num_before=2
    )
    return amounts, np.column_stack([items, elements])


def _is_by_column(values: Floats, text: bytes) -> bool:
    """Whether the numbers of a file fit this format better than the other one."""
    if values.size < 2 or not ((values[:2] >= 0) & np.isfinite(values[:2])).all():
        return False
    num_rows, num_columns = values[:2].tolist()
    is_by_row = _has_groups(
        values,
        int(2 + num_columns),
        num_before=0,
        num_groups=num_rows,
        last=num_columns,
    )
    is_by_column = _has_groups(
        values, 2, num_before=1, num_groups=num_columns, last=num_rows
    )
    if is_by_row != is_by_column:
        return is_by_column
    # Few numbers can fit both. If they fit neither, the error should be that of the
    # format that the second line shows.
    lines = text.strip().splitlines()[1 : None if is_by_row else 2]
    return bool(lines) and all(map(_is_column, lines))


def _is_column(line: bytes) -> bool:
    words = line.split()
    return len(words) > 1 and words[1] == str(len(words) - 2).encode()


def _has_groups(
    values: Floats, first: int, *, num_before: int, num_groups: float, last: float
) -> bool:
    """Whether groups of numbers from 1 to `last` end exactly with the file.

    Parameters
    ----------
    values
        All numbers of the file.
    first
        Position of the first group.
    num_before
        How many numbers precede the size of each group, which precedes the group.
    num_groups
        How many groups there are.
    last
        The largest number that a group may contain.
    """
    if first + (num_before + 1) * num_groups > values.size:
        return False
    sizes = values.tolist()
    is_member = np.ones(values.size, dtype=np.bool_)
    is_member[:first] = False
    position = first
    for _ in range(int(num_groups)):
        is_member[position : position + num_before + 1] = False
        position += num_before
        if position >= len(sizes) or not 0 <= sizes[position] <= len(sizes):
            return False
        position += 1 + int(sizes[position])
    members = values[is_member]
    is_number = (members >= 1) & (members <= last) & (members == np.floor(members))
    return position == len(sizes) and bool(is_number.all())
