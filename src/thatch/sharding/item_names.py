"""Names and ids of the items of a sharded problem, in mapped files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from thatch.arrays import Ints
from thatch.files.locations import Location
from thatch.sharding.array_files import mapped, write

__all__ = [
    "ItemIds",
    "ItemNames",
    "item_names_in",
    "write_item_ids",
    "write_item_names",
]

_IDS = "item_ids.npy"
_TEXTS, _ENDS = "item_names.npy", "item_name_ends.npy"


class ItemNames(Sequence[str]):
    """The names of items, each of which is read when it is needed.

    >>> ItemNames(np.frombuffer(b"eastwest", dtype=np.uint8), np.array([4, 8]))[1]
    'west'
    """

    def __init__(self, content: NDArray[np.uint8], ends: Ints) -> None:
        self._content = content
        self._ends = ends

    def __len__(self) -> int:
        return self._ends.size

    @overload
    def __getitem__(self, position: int) -> str: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[str]: ...
    def __getitem__(self, position: int | slice) -> str | Sequence[str]:
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        i = range(len(self))[position]
        start = int(self._ends[i - 1]) if i else 0
        return self._content[start : int(self._ends[i])].tobytes().decode()


class ItemIds(Sequence[int]):
    """The integer ids of items."""

    def __init__(self, ids: Ints) -> None:
        self._ids = ids

    def __len__(self) -> int:
        return self._ids.size

    @overload
    def __getitem__(self, position: int) -> int: ...
    @overload
    def __getitem__(self, position: slice) -> Sequence[int]: ...
    def __getitem__(self, position: int | slice) -> int | Sequence[int]:
        found: int | list[int] = self._ids[position].tolist()
        return found


def write_item_ids(folder: Location, ids: Ints) -> None:
    """Write ids beside a problem, unless they count from 0."""
    if ids.size and (ids[0] != 0 or ids[-1] != ids.size - 1):
        write(folder.child(_IDS), ids)


def write_item_names(folder: Location, names: Iterable[str]) -> None:
    """Write names beside a problem."""
    content = bytearray()
    ends = []
    for name in names:
        content += name.encode()
        ends.append(len(content))
    write(folder.child(_TEXTS), np.frombuffer(content, dtype=np.uint8))
    write(folder.child(_ENDS), np.array(ends, dtype=np.int64))


def item_names_in(folder: Location) -> ItemNames | ItemIds | None:
    """The names or ids of the items; None if they count from 0."""
    if folder.child(_IDS).exists:
        return ItemIds(mapped(folder.child(_IDS)))
    if folder.child(_TEXTS).exists:
        return ItemNames(mapped(folder.child(_TEXTS)), mapped(folder.child(_ENDS)))
    return None
