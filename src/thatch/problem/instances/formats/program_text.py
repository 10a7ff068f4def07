"""Integer programs as MPS and LP text, which most solvers read.

MPS is the free form: names are separated by blanks and may have any length. Lines of
comments at the start of a file say which column is which item or element, where its
name had to be changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import BinaryIO

import numpy as np

from thatch.arrays import Floats
from thatch.problem.instances.formats.text_numbers import plain
from thatch.problem.instances.integer_program import IntegerProgram, Row, Sense

_LETTERS = {Sense.AT_MOST: "L", Sense.AT_LEAST: "G", Sense.EQUAL: "E"}
_TERMS_PER_LINE = 5
_LINES_PER_WRITE = 10_000


def write_mps(program: IntegerProgram, file: BinaryIO) -> None:
    r"""Write a program as free MPS.

    >>> import io
    >>> from thatch.problem.instances.integer_program import coverage_program
    >>> from thatch.problem.instances.toy import cheap_crumb
    >>> file = io.BytesIO()
    >>> write_mps(coverage_program(cheap_crumb().problem), file)
    >>> file.getvalue().decode().splitlines()[:4]
    ['NAME thatch', 'OBJSENSE', '    MAX', 'ROWS']
    """
    _write(_mps_lines(program), file)


def write_lp(program: IntegerProgram, file: BinaryIO) -> None:
    r"""Write a program in the LP format of CPLEX.

    >>> import io
    >>> from thatch.problem.instances.integer_program import coverage_program
    >>> from thatch.problem.instances.toy import cheap_crumb
    >>> file = io.BytesIO()
    >>> write_lp(coverage_program(cheap_crumb().problem), file)
    >>> print(file.getvalue().decode())
    Maximize
     objective: 2 element_a + 10 element_b
    Subject To
     covers_a: element_a - item_crumb <= 0
     covers_b: element_b - item_loaf <= 0
     budget: item_crumb + 10 item_loaf <= 10
    Bounds
     element_a <= 1
     element_b <= 1
    Binaries
     item_crumb item_loaf
    End
    <BLANKLINE>
    """
    _write(_lp_lines(program), file)


def _mps_lines(program: IntegerProgram) -> Iterator[str]:
    yield from _comments(program, "*")
    yield "NAME thatch"
    if program.is_maximized:
        yield "OBJSENSE"
        yield "    MAX"
    yield "ROWS"
    yield " N objective"
    for row in program.rows:
        yield f" {_LETTERS[row.sense]} {row.name}"
    yield "COLUMNS"
    yield from _mps_columns(program)
    yield "RHS"
    for row in program.rows:
        if row.right_side:
            yield f" rhs {row.name} {plain(row.right_side)}"
    yield "BOUNDS"
    for name, is_integer, lower, upper in _columns(program):
        yield from _mps_bounds(name, lower, upper, is_integer=is_integer)
    yield "ENDATA"


def _mps_columns(program: IntegerProgram) -> Iterator[str]:
    num_columns = len(program.column_names)
    start, rows, values = _by_column(program.rows, num_columns)
    row_names = [row.name for row in program.rows]
    objective = program.objective.tolist()
    within = False
    for k, name in enumerate(program.column_names):
        if bool(program.is_integer[k]) is not within:
            within = not within
            yield f" marker 'MARKER' '{'INTORG' if within else 'INTEND'}'"
        first, last = start[k], start[k + 1]
        # A column without entries would not exist, so that it gets one here.
        if objective[k] or first == last:
            yield f" {name} objective {plain(objective[k])}"
        for position in range(first, last):
            yield f" {name} {row_names[rows[position]]} {plain(values[position])}"
    if within:
        yield " marker 'MARKER' 'INTEND'"


def _by_column(
    rows: Sequence[Row], num_columns: int
) -> tuple[list[int], list[int], list[float]]:
    """Where the entries of each column start, their rows, and their values."""
    none = np.zeros(0, dtype=np.int64)
    columns = np.concatenate([none, *(row.columns for row in rows)])
    values: Floats = np.concatenate([np.zeros(0), *(row.coefficients for row in rows)])
    owners = np.repeat(np.arange(len(rows)), [row.columns.size for row in rows])
    order = np.argsort(columns, kind="stable")
    counts = np.bincount(columns, minlength=num_columns)
    start = np.concatenate([[0], np.cumsum(counts)])
    return start.tolist(), owners[order].tolist(), values[order].tolist()


def _mps_bounds(
    name: str, lower: float, upper: float, *, is_integer: bool
) -> Iterator[str]:
    if lower == upper:
        yield f" FX bound {name} {plain(lower)}"
    elif is_integer and (lower, upper) == (0.0, 1.0):
        yield f" BV bound {name}"
    else:
        if lower:
            yield f" LO bound {name} {plain(lower)}"
        # Without a bound, some readers take 1 for the largest value of an integer.
        kind = f"PL bound {name}" if upper == np.inf else f"UP bound {name}"
        yield f" {kind}" if upper == np.inf else f" {kind} {plain(upper)}"


def _lp_lines(program: IntegerProgram) -> Iterator[str]:
    names = program.column_names
    yield from _comments(program, "\\")
    yield "Maximize" if program.is_maximized else "Minimize"
    start, *_ = _by_column(program.rows, len(names))
    # Some readers refuse a column that is in no row and not in the objective.
    costs = [
        (k, value)
        for k, value in enumerate(program.objective.tolist())
        if value or start[k] == start[k + 1]
    ]
    yield from _wrapped(" objective:", _terms(costs, names))
    yield "Subject To"
    for row in program.rows:
        entries = zip(row.columns.tolist(), row.coefficients.tolist(), strict=True)
        terms = _terms(list(entries), names)
        end = f"{row.sense.value} {plain(row.right_side)}"
        yield from _wrapped(f" {row.name}:", [*terms, end])
    yield "Bounds"
    for name, is_integer, lower, upper in _columns(program):
        yield from _lp_bounds(name, lower, upper, is_integer=is_integer)
    integers = [each for each in _columns(program) if each[1]]
    binaries = [name for name, _, *bounds in integers if bounds == [0.0, 1.0]]
    others = [name for name, _, *bounds in integers if bounds != [0.0, 1.0]]
    for heading, listed in (("Binaries", binaries), ("Generals", others)):
        if listed:
            yield heading
            yield from _wrapped("", listed)
    yield "End"


def _lp_bounds(
    name: str, lower: float, upper: float, *, is_integer: bool
) -> Iterator[str]:
    if lower == upper:
        yield f" {name} = {plain(lower)}"
    elif is_integer and (lower, upper) == (0.0, 1.0):
        return  # binaries have these bounds
    elif lower:
        limit = "" if upper == np.inf else f" <= {plain(upper)}"
        yield f" {plain(lower)} <= {name}{limit}"
    elif upper != np.inf:
        yield f" {name} <= {plain(upper)}"


def _terms(entries: Sequence[tuple[int, float]], names: Sequence[str]) -> Iterator[str]:
    """Terms of a sum, each with its sign; a sum of nothing is 0 of the first column."""
    if not entries and names:
        entries = [(0, 0.0)]
    for position, (k, value) in enumerate(entries):
        sign = "-" if value < 0 else "+" if position else ""
        size = "" if abs(value) == 1 else plain(abs(value))
        yield " ".join(word for word in (sign, size, names[k]) if word)


def _wrapped(start: str, words: Iterable[str]) -> Iterator[str]:
    listed = list(words)
    yield " ".join([start, *listed[:_TERMS_PER_LINE]])
    for first in range(_TERMS_PER_LINE, len(listed), _TERMS_PER_LINE):
        yield " ".join([" ", *listed[first : first + _TERMS_PER_LINE]])


def _columns(program: IntegerProgram) -> Iterator[tuple[str, bool, float, float]]:
    return zip(
        program.column_names,
        program.is_integer.tolist(),
        program.lower.tolist(),
        program.upper.tolist(),
        strict=True,
    )


def _comments(program: IntegerProgram, mark: str) -> Iterator[str]:
    """What each column is called in the problem, if not as in the file."""
    for name, label in zip(program.column_names, program.labels, strict=True):
        if name.partition("_")[2] != label:
            yield f"{mark} {name}: {json.dumps(label, ensure_ascii=False)}"


def _write(lines: Iterable[str], file: BinaryIO) -> None:
    for batch in _batches(lines):
        file.write("".join(f"{line}\n" for line in batch).encode())


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(lines)
    while batch := list(islice(remaining, _LINES_PER_WRITE)):
        yield batch
