"""Problems from files and to files."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import BinaryIO

import numpy as np

from thatch.errors import FileFormatError, InputError, InputTypeError, ThatchError
from thatch.files.atomic_writes import atomic_write
from thatch.instances.formats import (
    dense_text,
    native_json,
    npz,
    set_cover,
    sparse_text,
)
from thatch.instances.formats.contents import Contents
from thatch.problem.coverage_problem import CoverageProblem

__all__ = ["FileFormat", "problem_from_json", "read_instance", "write_instance"]


class FileFormat(Enum):
    """How a file holds a problem; the value is the extension it is written with."""

    #: Our own: holds everything, also readable by people.
    JSON = ".json"
    #: NumPy's arrays: holds everything, small and fast.
    NPZ = ".npz"
    #: Counts, an edge a line, costs, weights; no names.
    SPARSE = ".txt"
    #: Costs, weights and a 0/1 matrix; no names.
    DENSE = ".dense"
    #: OR-Library set cover: costs and edges; no weights, budget or names.
    SET_COVER = ".scp"


_Reader = Callable[[bytes, Path], Contents]
_WRITERS: dict[FileFormat, Callable[[CoverageProblem, BinaryIO], None]] = {
    FileFormat.JSON: native_json.write,
    FileFormat.NPZ: npz.write,
    FileFormat.SPARSE: sparse_text.write,
    FileFormat.DENSE: dense_text.write,
    FileFormat.SET_COVER: set_cover.write,
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DENSE_START = re.compile(rb"m\s*=", re.IGNORECASE)
_NUMBER_START = re.compile(rb"[+-]?\.?\d")


def read_instance(
    path: str | Path, *, budget: float | None = None, unit_costs: bool = False
) -> CoverageProblem:
    r"""Problem from a file in any of our formats.

    The extensions .json and .npz say what they are; other files are told apart by how
    they begin.

    Parameters
    ----------
    path
        The file.
    budget
        The most total cost allowed, in place of the file's own.
    unit_costs
        Whether every item costs 1, whatever the file says.

    Raises
    ------
    FileFormatError
        If the file breaks its format.
    InputError
        If the file cannot be read, or neither it nor the caller gives a budget.

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
        contents = _contents(_bytes(path), path)
        return _problem(contents, path, budget=budget, unit_costs=unit_costs)
    except MemoryError:
        raise InputError(
            f"the instance must fit into memory, got more in {path}.",
            hint="Use a machine with more memory, or a smaller instance.",
        ) from None


def problem_from_json(
    values: object, *, budget: float | None = None, unit_costs: bool = False
) -> CoverageProblem:
    """Problem from what our JSON holds, already parsed.

    Parameters
    ----------
    values
        The object that a file would hold.
    budget, unit_costs
        As in `read_instance`.

    >>> values = {"format": "thatch-coverage", "version": 1, "sets": [[0], [0, 1]]}
    >>> problem_from_json(values, budget=1)
    CoverageProblem(2 items, 2 elements, 3 edges, budget 1)
    """
    place = Path("problem")
    contents = native_json.contents_of(values, place)
    return _problem(contents, place, budget=budget, unit_costs=unit_costs)


def write_instance(
    problem: CoverageProblem, path: str | Path, *, format: FileFormat | None = None
) -> None:
    """Write a problem to a file, which appears whole or not at all.

    Parameters
    ----------
    problem
        What to write. A format may be unable to hold all of it: see `FileFormat`.
    path
        The file, replaced if it exists.
    format
        The one whose extension the file has, unless given.

    Raises
    ------
    InputError
        If the extension is unknown, the format cannot hold the weights, or the file
        cannot be written.

    >>> import tempfile
    >>> from thatch.instances.toy import cheap_crumb
    >>> path = Path(tempfile.mkdtemp()) / "crumb.json"
    >>> write_instance(cheap_crumb().problem, path)
    >>> read_instance(path).item_names
    ('crumb', 'loaf')
    """
    path = Path(path)
    writer = _WRITERS[_format_to_write(path, format)]
    try:
        with atomic_write(path) as draft, draft.open("wb") as file:
            writer(problem, file)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror or error}.",
            hint="Check that there is room and that you may write there.",
        ) from error


def _problem(
    contents: Contents, path: Path, *, budget: float | None, unit_costs: bool
) -> CoverageProblem:
    if contents.budget is None and budget is None:
        raise InputError(
            f"budget must be given: {path} holds none.",
            hint="Pass --budget, or budget=... in Python.",
        )
    try:
        # The caller's budget is set later: it is not the file that may be wrong then.
        problem = contents.problem(budget=contents.budget or 0.0)
    except ThatchError as error:
        raise FileFormatError(path, error.message, hint=error.hint) from error
    if budget is not None:
        problem = problem.with_budget(budget)
    return problem.with_costs(np.ones(problem.num_items)) if unit_costs else problem


def _contents(content: bytes, path: Path) -> Contents:
    if not content or content.isspace():
        raise FileFormatError(
            path,
            "the file must hold a problem, got an empty file.",
            hint="Check that it was written to its end.",
        )
    if path.suffix.lower() == FileFormat.NPZ.value:
        return npz.read(content, path)
    text = _text(content, path)
    if path.suffix.lower() == FileFormat.JSON.value:
        return native_json.read(text, path)
    return _reader_of(text, path)(text, path)


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_dir():
            return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"{path} cannot be read: {reason}.",
            hint="Check its spelling, and that you may read it.",
        ) from error
    raise InputError(
        f"the instance must be a file, got the folder {path}.",
        hint="Name a file inside it.",
    )


def _text(content: bytes, path: Path) -> bytes:
    """Return the content without byte order mark, if it is text."""
    if b"\0" in content:
        raise FileFormatError(
            path,
            "the file must be UTF-8 text, got binary content.",
            hint="Save it as UTF-8; arrays of NumPy need the extension .npz.",
        )
    try:
        content.decode()
    except UnicodeDecodeError as error:
        raise FileFormatError(
            path,
            f"the file must be UTF-8 text, got the byte {content[error.start]:#x}.",
            line=content.count(b"\n", 0, error.start) + 1,
            hint="Save it as UTF-8.",
        ) from error
    return content.removeprefix(_BYTE_ORDER_MARK)


def _reader_of(text: bytes, path: Path) -> _Reader:
    """Return the reader that knows texts which begin like this one."""
    start = text.lstrip()
    if start.startswith(b"{"):
        return native_json.read
    if _DENSE_START.match(start):
        return dense_text.read
    first_line = start.partition(b"\n")[0].rstrip()
    readers = {4: sparse_text.read, 2: set_cover.read}
    num_words = len(first_line.split())
    if _NUMBER_START.match(first_line) and num_words in readers:
        return readers[num_words]
    shown = first_line.decode("utf-8", "replace")
    raise FileFormatError(
        path,
        "the first line must be 'items elements edges budget', 'rows columns' or "
        f"'m=... n=... knapsack size=...', got {shown[:60]!r}.",
        line=text.count(b"\n", 0, len(text) - len(start)) + 1,
        hint="Convert it to one of these, to .json or to .npz.",
    )


def _format_to_write(path: Path, format: FileFormat | None) -> FileFormat:
    if isinstance(format, FileFormat):
        return format
    if format is not None:
        raise InputTypeError(
            f"format must be a FileFormat, got {format!r}.",
            hint="Pass FileFormat.JSON, for example.",
        )
    extensions = [known.value for known in FileFormat]
    if path.suffix.lower() not in extensions:
        raise InputError(
            f"the extension must be one of {', '.join(extensions)}, got {path.name!r}.",
            hint="Give the output one of these endings.",
        )
    return FileFormat(path.suffix.lower())
