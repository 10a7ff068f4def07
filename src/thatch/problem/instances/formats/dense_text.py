"""Dense text of the budgeted coverage literature: one row of 0 and 1 per item.

::

    m=<items> n=<elements> knapsack size=<budget>

    The weight of <items> items_next
    costs

    The profit of <elements> elements_next
    weights

    Relation matix
    rows of 0 and 1

"matix" is how the published files spell it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import BinaryIO

import numpy as np

from thatch.arrays import Floats
from thatch.errors import FileFormatError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.formats.contents import Contents
from thatch.problem.instances.formats.text_numbers import TextNumbers, plain

# The length of a number is limited: the start of the next name may be part of it, and
# trying all lengths of two numbers would take quadratic time.
_HEADER = re.compile(
    rb"\s*m\s*=\s*([^\s,;]{1,400})[\s,;]*n\s*=\s*([^\s,;]{1,400})"
    rb"[\s,;]*knapsack\s+size\s*=\s*([^\s,;]+)",
    re.IGNORECASE,
)
_HEADINGS = re.compile(rb"^[^\S\n]*[a-z\x80-\xff].*", re.IGNORECASE | re.MULTILINE)


def read(text: bytes, path: Path) -> Contents:
    r"""Read the contents of a file; `path` is for errors.

    The text of headings is ignored, and numbers may extend over any number of lines.

    >>> text = b"m=1 n=2 knapsack size=9\nCosts\n4\nWeights\n7 8\nMatrix\n0 1"
    >>> read(text, Path("tiny.dense")).edges
    array([[0, 1]])
    """
    numbers = TextNumbers(_without_words(text, path), path)
    num_items = numbers.take_count("the number of items")
    num_elements = numbers.take_count("the number of elements")
    budget = float(numbers.take_amounts("knapsack size", 1)[0])
    costs = numbers.take_amounts("costs", num_items)
    weights = numbers.take_amounts("weights", num_elements)
    matrix = _matrix(numbers, num_items, num_elements)
    numbers.require_end("matrix")
    return Contents(np.argwhere(matrix), costs, weights, budget)


def write(problem: CoverageProblem, file: BinaryIO) -> None:
    """Write everything but names, which the format cannot store.

    >>> import io
    >>> from thatch.problem.instances.toy import cheap_crumb
    >>> file = io.BytesIO()
    >>> write(cheap_crumb().problem, file)
    >>> file.getvalue().splitlines()[-3:]
    [b'Relation matix', b'1 0', b'0 1']
    """
    num_items, num_elements = problem.num_items, problem.num_elements
    file.write(
        f"m={num_items} n={num_elements} knapsack size={plain(problem.budget)}\n\n"
        f"The weight of {num_items} items_next\n{_line(problem.costs)}\n\n"
        f"The profit of {num_elements} elements_next\n{_line(problem.weights)}\n\n"
        "Relation matix\n".encode()
    )
    zeros = np.frombuffer(b"0 " * num_elements, dtype=np.uint8)
    for i in range(num_items):
        row = zeros.copy()
        row[2 * problem.edges.elements_of(i).astype(np.int64)] = ord("1")
        file.write(row.tobytes()[:-1] + b"\n")


def _without_words(text: bytes, path: Path) -> bytes:
    """Return the text without words; every number remains on its line."""
    header = _HEADER.match(text)
    if header is None:
        line = 1 + text[: len(text) - len(text.lstrip())].count(b"\n")
        shown = text.lstrip()[:200].split(b"\n")[0].rstrip().decode("utf-8", "replace")
        raise FileFormatError(
            path,
            f"the first line is {shown[:60]!r}; expected 'm=<items> n=<elements> "
            "knapsack size=<budget>'.",
            line=line,
            hint="Complete the line.",
        )
    lines_above = b"\n" * text.count(b"\n", 0, header.end())
    rest = _HEADINGS.sub(b"", text[header.end() :])
    return lines_above + b" ".join(header.groups()) + b" " + rest


def _matrix(numbers: TextNumbers, num_items: int, num_elements: int) -> Floats:
    first = numbers.position
    entries = numbers.take("the matrix", num_items * num_elements)
    numbers.require(
        (entries == 0) | (entries == 1),
        lambda place: first + place,
        "the matrix",
        "its entries must be 0 or 1",
        hint="Write 1 where the item covers the element, else 0.",
    )
    return entries.reshape(num_items, num_elements)


def _line(values: Floats) -> str:
    return " ".join(map(plain, values.tolist()))
