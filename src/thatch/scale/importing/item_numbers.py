"""Numbers of items: integers in their order, names by their first appearance."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from thatch.arrays import Flags, Floats, Ints, distinct
from thatch.files.locations import Location
from thatch.scale.shards.sharded_problem import write_item_ids, write_item_names
from thatch.tables.arrow import pa

# New ids are sorted in among the others when there are as many of them as others.
_MIN_NEW_IDS = 2**20


class IntegerItems:
    """Items with integer ids; `add` all of them, then they have numbers."""

    def __init__(self) -> None:
        self._ids = np.zeros(0, dtype=np.int64)
        self._new: list[Ints] = []

    def __len__(self) -> int:
        self._merge()
        return self._ids.size

    def add(self, ids: pa.Array) -> Ints:
        """Add the ids that are new; return a key of each."""
        keys = np.asarray(ids)
        own = distinct(keys)
        self._new.append(own[~self._is_known(own)])
        if sum(map(len, self._new)) > max(_MIN_NEW_IDS, self._ids.size):
            self._merge()
        return keys

    def first_unknown(self, ids: pa.Array) -> int | None:
        """Position of the first id that was not added."""
        self._merge()
        is_unknown = ~self._is_known(np.asarray(ids))
        return int(np.argmax(is_unknown)) if is_unknown.any() else None

    def keys(self, ids: pa.Array) -> Ints:
        """Keys of ids that were added."""
        return np.asarray(ids)

    def numbers(self, keys: Ints) -> Ints:
        """The number of each key."""
        self._merge()
        if self._is_range:
            return keys
        return np.searchsorted(self._ids, keys)

    def label(self, key: int) -> str:
        """The id for an error."""
        return str(key)

    def write(self, folder: Location) -> None:
        """Write the ids beside a problem."""
        write_item_ids(folder, self._ids)

    @property
    def _is_range(self) -> bool:
        ids = self._ids
        return ids.size == 0 or bool(ids[0] == 0 and ids[-1] == ids.size - 1)

    def _is_known(self, keys: Ints) -> Flags:
        if self._ids.size == 0:
            return np.zeros(keys.size, dtype=np.bool_)
        if self._is_range:
            return keys < self._ids.size
        places = np.searchsorted(self._ids, keys)
        found: Flags = self._ids[np.minimum(places, self._ids.size - 1)] == keys
        return found

    def _merge(self) -> None:
        if self._new:
            self._ids = distinct(self._ids, *self._new)
            self._new.clear()


class NamedItems:
    """Items whose ids are text; `add` all of them, then they have numbers."""

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._number_of)

    def add(self, ids: pa.Array) -> Ints:
        """Add the ids that are new; return a key of each."""
        number_of = self._number_of
        return _each(ids, lambda name: number_of.setdefault(name, len(number_of)))

    def first_unknown(self, ids: pa.Array) -> int | None:
        """Position of the first id that was not added."""
        keys = self.keys(ids)
        is_unknown = keys < 0
        return int(np.argmax(is_unknown)) if is_unknown.any() else None

    def keys(self, ids: pa.Array) -> Ints:
        """Keys of ids that were added; -1 for others."""
        return _each(ids, lambda name: self._number_of.get(name, -1))

    def numbers(self, keys: Ints) -> Ints:
        """The number of each key."""
        return keys

    def label(self, key: int) -> str:
        """The id for an error."""
        return repr(list(self._number_of)[key])

    def write(self, folder: Location) -> None:
        """Write the names beside a problem."""
        write_item_names(folder, self._number_of)


def _each(ids: pa.Array, number: Callable[[str], int]) -> Ints:
    """The number of each id, which is asked for once per name."""
    encoded = ids.dictionary_encode()
    numbers = np.array([*map(number, encoded.dictionary.to_pylist())], dtype=np.int64)
    found: Ints = numbers[np.asarray(encoded.indices)]
    return found


def in_order(keys: Ints, values: Floats) -> tuple[Floats, int | None]:
    """Values sorted by key, and the position of the first key that is repeated."""
    order = np.argsort(keys, kind="stable")
    is_repeat = keys[order[1:]] == keys[order[:-1]]
    repeat = int(order[1:][is_repeat].min()) if is_repeat.any() else None
    return values[order], repeat
