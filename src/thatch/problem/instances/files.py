"""Problems read from files and written to files."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from enum import Enum
from pathlib import Path
from typing import BinaryIO

import numpy as np

from thatch.errors import FileFormatError, InputError, InputTypeError, ThatchError
from thatch.files.atomic_writes import atomic_write
from thatch.files.encodings import UTF_8_MARK
from thatch.files.reading import read_bytes
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.formats import (
    dense_text,
    native_json,
    npz,
    pace,
    program_text,
    rail,
    set_cover,
    sparse_text,
)
from thatch.problem.instances.formats.contents import Contents
from thatch.problem.instances.integer_program import IntegerProgram, coverage_program


class FileFormat(Enum):
    """File formats of problems; the value is the suffix of files that are written."""

    #: thatch's JSON: complete, and readable by people.
    JSON = ".json"
    #: NumPy arrays: complete, small and fast.
    NPZ = ".npz"
    #: Counts, one edge per line, costs and weights; no names.
    SPARSE = ".txt"
    #: Costs, weights and a 0/1 matrix; no names.
    DENSE = ".dense"
    #: OR-Library set cover: costs and edges; no weights, budget or names.
    SET_COVER = ".scp"
    #: Rail set cover: the same, by columns.
    RAIL = ".rail"
    #: Dominating set of PACE 2025; read, but not written.
    DOMINATING_SET = ".gr"
    #: Hitting set of PACE 2025; read, but not written.
    HITTING_SET = ".hgr"
    #: Integer program for other solvers; written, but not read.
    MPS = ".mps"
    #: The same, readable by people.
    LP = ".lp"


_Reader = Callable[[bytes, Path], Contents]
_PROGRAM_WRITERS = {
    FileFormat.MPS: program_text.write_mps,
    FileFormat.LP: program_text.write_lp,
}
_WRITERS: dict[FileFormat, Callable[[CoverageProblem, BinaryIO], None]] = {
    FileFormat.JSON: native_json.write,
    FileFormat.NPZ: npz.write,
    FileFormat.SPARSE: sparse_text.write,
    FileFormat.DENSE: dense_text.write,
    FileFormat.SET_COVER: set_cover.write,
    FileFormat.RAIL: rail.write,
}
_READERS: dict[str, _Reader] = {
    FileFormat.JSON.value: native_json.read,
    FileFormat.RAIL.value: rail.read,
    FileFormat.DOMINATING_SET.value: pace.read,
    FileFormat.HITTING_SET.value: pace.read,
}
_DENSE_START = re.compile(rb"m\s*=", re.IGNORECASE)
_NUMBER_START = re.compile(rb"[+-]?\.?\d")


def read_instance(
    path: str | Path, *, budget: float | None = None, unit_costs: bool = False
) -> CoverageProblem:
    r"""Read a problem from a file in any of the formats of `FileFormat`.

    The suffixes .json, .npz, .rail, .gr and .hgr name the format; that of other files
    is recognized by their contents. Integer programs (.mps, .lp) cannot be read.

    Parameters
    ----------
    path
        The file.
    budget
        Maximum total cost. Default: that of the file.
    unit_costs
        Whether every item costs 1, instead of the costs in the file.

    Raises
    ------
    FileFormatError
        If the file does not follow its format.
    InputError
        If the file cannot be read, or there is no budget.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tiny.txt"
    >>> _ = path.write_text("1 2 1 5\n1 2\n4\n7 8")
    >>> read_instance(path)
    CoverageProblem(1 items, 2 elements, 1 edges, budget 5)
    >>> read_instance(path, budget=3, unit_costs=True).costs
    array([1.])
    """
    path = Path(path)
    try:
        contents = contents_of(read_bytes(path), path)
        return _problem(contents, path, budget=budget, unit_costs=unit_costs)
    except MemoryError:
        raise InputError(
            f"out of memory while reading {path}.",
            hint="Use a machine with more memory, or a smaller instance.",
        ) from None


def problem_from_json(
    values: object,
    *,
    budget: float | None = None,
    unit_costs: bool = False,
    max_elements: int | None = None,
) -> CoverageProblem:
    """Return the problem that parsed JSON contains.

    Parameters
    ----------
    values
        The object, as in a file of the format `FileFormat.JSON`.
    budget, unit_costs
        As in `read_instance`.
    max_elements
        Maximum number of elements if there are no weights. Default: that of files.

    >>> values = {"format": "thatch-coverage", "version": 1, "sets": [[0], [0, 1]]}
    >>> problem_from_json(values, budget=1)
    CoverageProblem(2 items, 2 elements, 3 edges, budget 1)
    """
    place = Path("problem")
    contents = native_json.contents_of(values, place, max_elements=max_elements)
    return _problem(contents, place, budget=budget, unit_costs=unit_costs)


def write_instance(
    problem: CoverageProblem, path: str | Path, *, format: FileFormat | None = None
) -> None:
    """Write a problem to a file, by an atomic write.

    Parameters
    ----------
    problem
        The problem. Some formats cannot store all of it: see `FileFormat`.
    path
        The file; it is overwritten if it exists.
    format
        The format. Default: that of the suffix.

    Raises
    ------
    InputError
        If the suffix is unknown, the format cannot store the weights or the
        constraints, or the file cannot be written.

    >>> import tempfile
    >>> from thatch.problem.instances.toy import cheap_crumb
    >>> path = Path(tempfile.mkdtemp()) / "crumb.json"
    >>> write_instance(cheap_crumb().problem, path)
    >>> read_instance(path).item_names
    ('crumb', 'loaf')
    """
    path = Path(path)
    chosen = _format_to_write(path, format, _WRITERS | _PROGRAM_WRITERS)
    if chosen in _PROGRAM_WRITERS:
        write_program(coverage_program(problem), path, format=chosen)
        return
    if problem.constraints is not None and chosen is not FileFormat.JSON:
        kind = problem.constraints.kinds[0]
        raise InputError(
            f"the problem has constraints ({kind.value}), which {chosen.value} files "
            "cannot store.",
            hint="Write .json, .mps or .lp, or a problem without constraints.",
        )
    _write(path, lambda file: _WRITERS[chosen](problem, file))


def write_program(
    program: IntegerProgram, path: str | Path, *, format: FileFormat | None = None
) -> None:
    """Write an integer program to a file that other solvers read.

    Parameters
    ----------
    program
        The program: see `thatch.problem.instances.integer_program`.
    path
        The file; it is overwritten if it exists.
    format
        `FileFormat.MPS` or `FileFormat.LP`. Default: that of the suffix.

    >>> import tempfile
    >>> from thatch.problem.instances.integer_program import partial_cover_program
    >>> from thatch.problem.instances.toy import path as path_of
    >>> path = Path(tempfile.mkdtemp()) / "cover.lp"
    >>> write_program(partial_cover_program(path_of(2).problem), path)
    >>> path.read_text().splitlines()[1]
    ' objective: item_0 + item_1'
    """
    path = Path(path)
    chosen = _format_to_write(path, format, _PROGRAM_WRITERS)
    _write(path, lambda file: _PROGRAM_WRITERS[chosen](program, file))


def _write(path: Path, write: Callable[[BinaryIO], None]) -> None:
    with atomic_write(path) as draft, draft.open("wb") as file:
        write(file)


def _problem(
    contents: Contents, path: Path, *, budget: float | None, unit_costs: bool
) -> CoverageProblem:
    if contents.budget is None and budget is None:
        raise InputError(
            f"budget is missing: {path} contains none.",
            hint="Set the option budget, or add a budget to the file.",
        )
    try:
        # The caller's budget is set later: if it is wrong, the file is not to blame.
        problem = contents.problem(budget=contents.budget or 0.0)
    except ThatchError as error:
        raise FileFormatError(path, error.message, hint=error.hint) from error
    if budget is not None:
        problem = problem.with_budget(budget)
    return problem.with_costs(np.ones(problem.num_items)) if unit_costs else problem


def contents_of(content: bytes, path: Path) -> Contents:
    r"""Contents of a file in any of the formats of `FileFormat`, from its bytes.

    Parameters
    ----------
    content
        The bytes.
    path
        Name of the file: its suffix, for the format, and for errors.

    >>> contents_of(b"1 2 1 5\n1 2\n4\n7 8", Path("tiny.txt")).budget
    5.0
    """
    if not content or content.isspace():
        raise FileFormatError(
            path,
            "the file is empty.",
            hint="Check that it was written completely.",
        )
    suffix = path.suffix.lower()
    if suffix in {known.value for known in _PROGRAM_WRITERS}:
        raise FileFormatError(
            path,
            f"{suffix} files are written for other solvers; they cannot be read.",
            hint="Read the problem that it was made from.",
        )
    if suffix == FileFormat.NPZ.value:
        return npz.read(content, path)
    text = _text(content, path)
    if suffix in _READERS:
        return _READERS[suffix](text, path)
    return _reader_of(text, path)(text, path)


def _text(content: bytes, path: Path) -> bytes:
    """Return the content without byte order mark; require UTF-8."""
    if b"\0" in content:
        raise FileFormatError(
            path,
            "the file is binary; UTF-8 text was expected.",
            hint="Save it as UTF-8; NumPy arrays need the suffix .npz.",
        )
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise FileFormatError(
            path,
            f"the file is not UTF-8 text: byte {content[error.start]:#04x}.",
            line=content.count(b"\n", 0, error.start) + 1,
            hint="Save it as UTF-8.",
        ) from error
    return content.removeprefix(UTF_8_MARK)


def _reader_of(text: bytes, path: Path) -> _Reader:
    """Return the reader of the format that the first line shows."""
    start = text.lstrip()
    if start.startswith(b"{"):
        return native_json.read
    if _DENSE_START.match(start):
        return dense_text.read
    if pace.START.match(text):
        return pace.read
    first_line = start.partition(b"\n")[0].rstrip()
    readers = {4: sparse_text.read, 2: rail.read_either}
    num_words = len(first_line.split())
    if _NUMBER_START.match(first_line) and num_words in readers:
        return readers[num_words]
    shown = first_line.decode("utf-8", "replace")
    raise FileFormatError(
        path,
        f"the format is unknown: the first line is {shown[:60]!r}.",
        line=text.count(b"\n", 0, len(text) - len(start)) + 1,
        hint="Start with 'items elements edges budget', 'rows columns' or "
        "'m=... n=... knapsack size=...', or use .json or .npz.",
    )


def _format_to_write(
    path: Path, format: FileFormat | None, known: Collection[FileFormat]
) -> FileFormat:
    if not (format is None or isinstance(format, FileFormat)):
        raise InputTypeError(
            f"format is {format!r}; a FileFormat was expected.",
            hint="Pass FileFormat.JSON, for example.",
        )
    suffix = path.suffix.lower() if format is None else format.value
    suffixes = [each.value for each in known]
    if suffix not in suffixes:
        what = (
            f"{path.name} has the suffix {suffix!r}"
            if format is None
            else (f"format is {format}")
        )
        raise InputError(
            f"{what}, which cannot store this.",
            hint=f"Use one of {', '.join(suffixes)}.",
        )
    return FileFormat(suffix)
