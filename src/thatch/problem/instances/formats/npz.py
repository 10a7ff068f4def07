"""NumPy's .npz: the arrays of a problem, for large problems.

The arrays are ``magic`` ("thatch-coverage 1"), ``budget``, ``costs``, ``weights``,
``item_elements`` (the elements of item 0, then of item 1, and so on, numbered from 0)
and ``item_start`` (where the elements of each item start, and where the last ones end).
``item_names`` and ``element_names`` are optional.
"""

from __future__ import annotations

import io
import sys
import zipfile
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Floats, Indices
from thatch.errors import FileFormatError, InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.formats.contents import Contents, max_described
from thatch.problem.instances.formats.text_numbers import MAX_COUNT

_MAGIC = "thatch-coverage 1"
_NAMES = ("item_names", "element_names")
_ARRAYS = (
    "magic",
    "budget",
    "costs",
    "weights",
    "item_start",
    "item_elements",
    *_NAMES,
)
_MAX_HEADER = 10_000  # bytes; headers of numbers and strings have about 100


def read(content: bytes, path: Path) -> Contents:
    """Read the contents of a file; `path` is for errors.

    >>> from thatch.problem.instances.toy import cheap_crumb
    >>> file = io.BytesIO()
    >>> write(cheap_crumb().problem, file)
    >>> read(file.getvalue(), Path("tiny.npz")).item_names
    ('crumb', 'loaf')
    """
    arrays = _Arrays(content, path)
    costs = arrays.floats("costs", ndim=1)
    return Contents(
        arrays.edges(num_items=costs.size),
        costs,
        arrays.floats("weights", ndim=1),
        float(arrays.floats("budget", ndim=0)),
        arrays.names("item_names"),
        arrays.names("element_names"),
    )


def write(problem: CoverageProblem, file: BinaryIO) -> None:
    """Write everything, uncompressed, because edges hardly compress.

    The same problem gives the same bytes.

    >>> from thatch.problem.instances.toy import cheap_crumb
    >>> file = io.BytesIO()
    >>> write(cheap_crumb().problem, file)
    >>> np.load(io.BytesIO(file.getvalue()))["costs"]
    array([ 1., 10.])
    """
    arrays: dict[str, Any] = {
        "magic": np.array(_MAGIC),
        "budget": np.float64(problem.budget),
        "costs": problem.costs,
        "weights": problem.weights,
        "item_start": problem.edges.item_start,
        "item_elements": problem.edges.item_elements,
    }
    for field in _NAMES:
        names = getattr(problem, field)
        if names is not None:
            _require_no_final_nul(field, names)
            arrays[field] = np.array(names, dtype=np.str_)
    # If writing to the file failed, NumPy would leave an open archive.
    archive = io.BytesIO()
    np.savez(archive, **arrays)
    file.write(archive.getbuffer())


def _require_no_final_nul(field: str, names: tuple[str, ...]) -> None:
    for name in names:
        if name.endswith("\0"):
            raise InputError(
                f"{field} contains {name!r}, whose final NUL .npz cannot store.",
                hint="Rename it, or write .json.",
            )


class _Arrays:
    """The arrays of the file, each checked when it is used."""

    def __init__(self, content: bytes, path: Path) -> None:
        self._path = path
        self._arrays = self._loaded(content)
        magic = self._strings("magic", ndim=0)[0]
        if magic != _MAGIC:
            raise self._error(f"magic is {magic[:40]!r}; expected {_MAGIC!r}.")

    def floats(self, name: str, *, ndim: int) -> Floats:
        array = self._array(name, "iuf", "numbers", ndim=ndim)
        with np.errstate(over="ignore"):  # CoverageProblem rejects infinite ones
            return array.astype(np.float64)

    def names(self, name: str) -> tuple[str, ...] | None:
        return tuple(self._strings(name, ndim=1)) if name in self._arrays else None

    def edges(self, *, num_items: int) -> Indices:
        elements = self._elements()
        starts = self._array("item_start", "iu", "integers", ndim=1)
        if starts.size != num_items + 1:
            raise self._error(
                f"item_start has {starts.size} numbers; expected {num_items + 1}, one "
                "more than there are costs."
            )
        if starts[0] != 0 or starts[-1] != elements.size or _is_unsorted(starts):
            raise self._error(
                "item_start must be sorted, start with 0 and end with "
                f"{elements.size}, the number of item_elements."
            )
        sizes = (starts[1:] - starts[:-1]).astype(np.int64)
        items = np.repeat(np.arange(num_items, dtype=np.int32), sizes)
        return np.column_stack([items, elements])

    def _elements(self) -> Indices:
        array = self._array("item_elements", "iu", "integers", ndim=1)
        is_outside = (array < 0) | (array > MAX_COUNT)
        if is_outside.any():
            e = int(np.argmax(is_outside))
            raise self._error(
                f"item_elements[{e}] is {array[e]}; it must be between 0 and "
                f"{MAX_COUNT}."
            )
        return array.astype(np.int32)

    def _strings(self, name: str, *, ndim: int) -> list[str]:
        array = self._array(name, "U", "strings", ndim=ndim)
        # Python makes strings of larger code points, too, and fails when it uses them.
        if array.dtype.itemsize and array.size:
            code = np.dtype(np.uint32).newbyteorder(array.dtype.byteorder)
            if np.atleast_1d(array).view(code).max() > sys.maxunicode:
                raise self._error(
                    f"{name} contains a string that is not valid Unicode."
                )
        strings: list[str] = np.atleast_1d(array).tolist()
        return strings

    def _array(self, name: str, kinds: str, what: str, *, ndim: int) -> NDArray[Any]:
        if name not in self._arrays:
            raise self._error(f"the array {name} is missing.")
        array = self._arrays[name]
        if array.dtype.kind not in kinds or array.ndim != ndim:
            raise self._error(
                f"{name} is {array.dtype} in {array.ndim} dimensions; {what} in {ndim} "
                "dimensions were expected."
            )
        return array

    def _loaded(self, content: bytes) -> dict[str, NDArray[Any]]:
        try:
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                members = set(archive.namelist())
                names = [name for name in _ARRAYS if f"{name}.npy" in members]
                sizes = {name: self._declared_size(archive, name) for name in names}
                self._require_size(sizes, len(content))
                return {name: _array(archive, name) for name in names}
        except FileFormatError:
            raise
        except Exception as error:
            # Damaged archives raise many exceptions, from zlib.error to KeyError.
            what = "is damaged" if content[:2] == b"PK" else "is not an .npz archive"
            raise self._error(f"the file {what}.") from error

    def _require_size(self, sizes: dict[str, int], num_bytes: int) -> None:
        limit = max_described(num_bytes)
        total = sum(sizes.values())
        if total > limit:
            largest = max(sizes, key=sizes.__getitem__)
            raise self._error(
                f"the arrays have {total} entries, {sizes[largest]} of them in "
                f"{largest}; a file of {num_bytes} bytes may have at most {limit}.",
                hint="Write the file without compression.",
            )

    def _declared_size(self, archive: zipfile.ZipFile, name: str) -> int:
        """Number of entries that the header of an array declares; none is loaded."""
        with archive.open(f"{name}.npy") as file:
            version = np.lib.format.read_magic(file)
            # The header of version 3 differs from 2 in field names, which none has.
            width, read_header = (
                (2, np.lib.format.read_array_header_1_0)
                if version == (1, 0)
                else (4, np.lib.format.read_array_header_2_0)
            )
            # NumPy reads a header of up to 4 GiB before it checks its length.
            length = file.read(width)
            num_bytes = int.from_bytes(length, "little")
            if num_bytes > _MAX_HEADER:
                raise self._error(
                    f"the header of {name} has {num_bytes} bytes; it may have at most "
                    f"{_MAX_HEADER}."
                )
            shape, _, dtype = read_header(io.BytesIO(length + file.read(num_bytes)))
            header_size = file.tell()
        size = prod(map(int, shape))  # Python's integers do not overflow
        content_size = archive.getinfo(f"{name}.npy").file_size - header_size
        if content_size != size * dtype.itemsize:
            raise ValueError(f"{name} does not have the size that its header declares")
        # Long names count as several entries.
        # of the largest numbers
        return max(size, content_size // 8)

    def _error(
        self, message: str, *, hint: str = "Write the file again with thatch."
    ) -> FileFormatError:
        return FileFormatError(self._path, message, hint=hint)


def _array(archive: zipfile.ZipFile, name: str) -> NDArray[Any]:
    with archive.open(f"{name}.npy") as file:
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
        return array


def _is_unsorted(starts: NDArray[Any]) -> bool:
    return bool((starts[1:] < starts[:-1]).any())
