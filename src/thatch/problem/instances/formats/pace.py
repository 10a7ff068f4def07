r"""PACE 2025: dominating sets (.gr) and hitting sets (.hgr); unit costs, no budget.

::

    p ds nodes edges          p hs members sets
    one edge per line         one set per line: its members

Nodes and members are numbered from 1. Lines that start with c are comments.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from thatch.arrays import Ints, distinct
from thatch.errors import FileFormatError
from thatch.problem.instances.formats.contents import Contents, max_described
from thatch.problem.instances.formats.text_numbers import TextNumbers

#: How a file in these formats starts, after comments.
START = re.compile(rb"(?:\s*+c(?:[ \t][^\n]*+)?\n)*+\s*+p[ \t]++(ds|hs)\s")
_COMMENT = re.compile(rb"^[ \t]*c(?=\s).*$", re.MULTILINE)


def read(text: bytes, path: Path) -> Contents:
    r"""Read the contents of a file; `path` is for errors.

    >>> read(b"p ds 3 1\n1 2\n", Path("tiny.gr")).edges.tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1], [2, 2]]
    >>> read(b"c two sets\np hs 3 2\n1 2\n2 3\n", Path("tiny.hgr")).edges.tolist()
    [[0, 0], [1, 0], [1, 1], [2, 1]]
    """
    start = START.match(text)
    if start is None:
        raise FileFormatError(
            path,
            "its first line is not like 'p ds 5 4' or 'p hs 5 4'.",
            hint="Check that it is a dominating set or hitting set of PACE 2025.",
        )
    # Blanks in their place: errors find their lines.
    body = _COMMENT.sub(lambda found: b" " * len(found.group()), text)
    header = text[: start.end()]
    blank = bytes(10 if each == 10 else 32 for each in header)
    numbers = TextNumbers(blank + body[start.end() :], path)
    is_graph = start.group(1) == b"ds"
    members, groups = ("nodes", "edges") if is_graph else ("members", "sets")
    most = max_described(numbers.values.size)
    num_members = numbers.take_count(f"the number of {members}", max_count=most)
    num_groups = numbers.take_count(f"the number of {groups}", max_count=most)
    if is_graph:
        return _dominating_set(numbers, num_members, num_groups)
    return _hitting_set(numbers, num_members, num_groups)


def _dominating_set(numbers: TextNumbers, num_nodes: int, num_edges: int) -> Contents:
    first = numbers.position
    ends = numbers.take("edges", 2 * num_edges)
    numbers.require_numbered("edges", ends, num_nodes, lambda e: first + e)
    numbers.require_end("last edge")
    pairs = ends.astype(np.int64).reshape(-1, 2) - 1
    itself = np.column_stack([np.arange(num_nodes)] * 2)
    return _contents(
        np.concatenate([itself, pairs, pairs[:, ::-1]]), num_nodes, num_nodes
    )


def _hitting_set(numbers: TextNumbers, num_members: int, num_sets: int) -> Contents:
    first = numbers.position
    members = numbers.take("sets", numbers.values.size - first)
    numbers.require_numbered("sets", members, num_members, lambda e: first + e)
    numbers.require_end("last set")
    lines = numbers.lines[first:]
    is_first = np.append(True, lines[1:] != lines[:-1])[: lines.size]
    found = int(np.count_nonzero(is_first))
    if found != num_sets:
        raise numbers.error(
            f"there are {found} sets; the first line says {num_sets}.",
            position=first - 1,
            hint="Write one set per line; no set is empty.",
        )
    sets = np.cumsum(is_first) - 1
    ends = np.column_stack([members.astype(np.int64) - 1, sets])
    return _contents(ends, num_members, num_sets)


def _contents(ends: Ints, num_items: int, num_elements: int) -> Contents:
    """Contents with unit costs and weights; edges may be repeated."""
    keys = distinct(ends[:, 0] * num_elements + ends[:, 1])
    edges = np.column_stack(np.divmod(keys, max(num_elements, 1)))
    return Contents(edges, np.ones(num_items), np.ones(num_elements), budget=None)
