"""Sparse text: counts and budget, one edge per line numbered from 1, costs, weights.

::

    items elements edges budget
    item element
    ...
    costs
    weights
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

import numpy as np

from thatch.arrays import Floats
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.formats.contents import Contents
from thatch.problem.instances.formats.text_numbers import (
    TextNumbers,
    first_repeat,
    plain,
)

_EDGES_PER_BLOCK = 2**17


def read(text: bytes, path: Path) -> Contents:
    r"""Read the contents of a file; `path` is for errors.

    >>> read(b"1 2 1 9.5\n1 2\n4\n7 8", Path("tiny.txt")).edges
    array([[0, 1]], dtype=int32)
    """
    numbers = TextNumbers(text, path)
    num_items = numbers.take_count("the number of items")
    num_elements = numbers.take_count("the number of elements")
    num_edges = numbers.take_count("the number of edges")
    budget = float(numbers.take_amounts("budget", 1)[0])
    edges = _edges(numbers, num_items, num_elements, num_edges)
    costs = numbers.take_amounts("costs", num_items)
    weights = numbers.take_amounts("weights", num_elements)
    numbers.require_end("weights")
    return Contents(edges, costs, weights, budget)


def write(problem: CoverageProblem, file: BinaryIO) -> None:
    r"""Write everything but names, which the format cannot store.

    >>> import io
    >>> from thatch.problem.instances.toy import cheap_crumb
    >>> file = io.BytesIO()
    >>> write(cheap_crumb().problem, file)
    >>> file.getvalue()
    b'2 2 2 10\n1 1\n2 2\n1 10\n2 10\n'
    """
    counts = f"{problem.num_items} {problem.num_elements} {problem.num_edges}"
    file.write(f"{counts} {plain(problem.budget)}\n".encode())
    _write_edges(problem, file)
    file.write(_line(problem.costs))
    file.write(_line(problem.weights))


def _edges(
    numbers: TextNumbers, num_items: int, num_elements: int, num_edges: int
) -> np.ndarray:
    first = numbers.position
    ends = numbers.take("edges", 2 * num_edges).reshape(num_edges, 2)
    numbers.require_numbered(
        "item numbers", ends[:, 0], num_items, lambda e: first + 2 * e
    )
    numbers.require_numbered(
        "element numbers", ends[:, 1], num_elements, lambda e: first + 2 * e + 1
    )
    edges = ends.astype(np.int32) - np.int32(1)
    repeat = first_repeat(edges[:, 0] * np.int64(num_elements) + edges[:, 1])
    if repeat is not None:
        i, a = (edges[repeat] + 1).tolist()
        raise numbers.error(
            f"edges must be distinct: item {i} with element {a} is repeated.",
            position=first + 2 * repeat,
            hint="Remove it, and decrease the number of edges in the first line by 1.",
        )
    return edges


def _write_edges(problem: CoverageProblem, file: BinaryIO) -> None:
    items = np.repeat(np.arange(problem.num_items), problem.edges.item_degrees)
    for first in range(0, problem.num_edges, _EDGES_PER_BLOCK):
        block = slice(first, first + _EDGES_PER_BLOCK)
        ends = np.column_stack([items[block], problem.edges.item_elements[block]]) + 1
        # One format for the whole block is many times faster than one per line.
        text = "%d %d\n" * len(ends) % tuple(ends.ravel().tolist())
        file.write(text.encode())


def _line(values: Floats) -> bytes:
    return f"{' '.join(map(plain, values.tolist()))}\n".encode()
