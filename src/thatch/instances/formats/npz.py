"""NumPy's .npz: the arrays of a problem, for large ones.

Arrays: ``magic`` ("thatch-coverage 1"), ``budget``, ``costs``, ``weights``,
``item_elements`` (the elements of item 0, then of item 1 ..., numbered from 0) and
``item_start`` (where each item's begin, and where the last one's end); and, where there
are names, ``item_names`` and ``element_names``.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Floats, Indices
from thatch.errors import FileFormatError, InputError
from thatch.instances.formats.contents import Contents
from thatch.instances.formats.text_numbers import LARGEST_COUNT
from thatch.problem.coverage_problem import CoverageProblem

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


def read(content: bytes, path: Path) -> Contents:
    """Return what the arrays hold; `path` is for messages.

    >>> from thatch.instances.toy import cheap_crumb
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
    """Write everything, uncompressed: edges hardly compress, and this is fast.

    The same problem gives the same bytes.

    >>> from thatch.instances.toy import cheap_crumb
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
    # NumPy would leave an open archive behind if the file failed in the middle of it.
    archive = io.BytesIO()
    np.savez(archive, **arrays)
    file.write(archive.getbuffer())


def _require_no_final_nul(field: str, names: tuple[str, ...]) -> None:
    for name in names:
        if name.endswith("\0"):
            raise InputError(
                f"{field} must not end in a NUL, which .npz drops, got {name!r}.",
                hint="Rename it, or write .json.",
            )


class _Arrays:
    """The arrays of the file, each checked for its kind and shape when asked for."""

    def __init__(self, content: bytes, path: Path) -> None:
        self._path = path
        self._arrays = self._loaded(content)
        magic = self._strings("magic", ndim=0)[0]
        if magic != _MAGIC:
            raise self._error(f"magic must be {_MAGIC!r}, got {magic[:40]!r}.")

    def floats(self, name: str, *, ndim: int) -> Floats:
        array = self._array(name, "iuf", "numbers", ndim=ndim)
        with np.errstate(over="ignore"):  # CoverageProblem rejects infinite ones
            return array.astype(np.float64)

    def names(self, name: str) -> tuple[str, ...] | None:
        return tuple(self._strings(name, ndim=1)) if name in self._arrays else None

    def edges(self, *, num_items: int) -> Indices:
        elements = self._elements()
        starts = self._array("item_start", "iu", "whole numbers", ndim=1)
        if starts.size != num_items + 1:
            raise self._error(
                f"item_start must be one number more than the {num_items} costs, "
                f"got {starts.size} numbers."
            )
        if starts[0] != 0 or starts[-1] != elements.size or _descends(starts):
            raise self._error(
                "item_start must ascend from 0 to the number of item_elements, "
                f"{elements.size}, got something else."
            )
        sizes = (starts[1:] - starts[:-1]).astype(np.int64)
        items = np.repeat(np.arange(num_items, dtype=np.int32), sizes)
        return np.column_stack([items, elements])

    def _elements(self) -> Indices:
        array = self._array("item_elements", "iu", "whole numbers", ndim=1)
        is_outside = (array < 0) | (array > LARGEST_COUNT)
        if is_outside.any():
            e = int(np.argmax(is_outside))
            raise self._error(
                f"item_elements must be from 0 to {LARGEST_COUNT}, got {array[e]} "
                f"at edge {e}."
            )
        return array.astype(np.int32)

    def _strings(self, name: str, *, ndim: int) -> list[str]:
        array = self._array(name, "U", "strings", ndim=ndim)
        try:
            strings: list[str] = np.atleast_1d(array).tolist()
            return strings
        except (ValueError, SystemError):
            raise self._error(
                f"{name} must be strings, got one that is not Unicode."
            ) from None

    def _array(self, name: str, kinds: str, what: str, *, ndim: int) -> NDArray[Any]:
        if name not in self._arrays:
            raise self._error(f"{name} must be there, got no such array.")
        array = self._arrays[name]
        if array.dtype.kind not in kinds or array.ndim != ndim:
            raise self._error(
                f"{name} must be {what} in {ndim} dimensions, got {array.dtype} in "
                f"{array.ndim}."
            )
        return array

    def _loaded(self, content: bytes) -> dict[str, NDArray[Any]]:
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as file:
                return {name: file[name] for name in _ARRAYS if name in file}
        except Exception as error:
            # Damaged archives fail in a dozen ways, from zlib.error to KeyError.
            what = "a damaged one" if content[:2] == b"PK" else "another kind of file"
            raise self._error(
                f"the file must be an .npz archive of plain arrays, got {what}."
            ) from error

    def _error(self, message: str) -> FileFormatError:
        return FileFormatError(
            self._path, message, hint="Write the file again with thatch."
        )


def _descends(starts: NDArray[Any]) -> bool:
    return bool((starts[1:] < starts[:-1]).any())
