"""A corpus cut into parts, each the same whoever works on it and when."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from thatch.arrays import Ints
from thatch.corpus.rows.columns import Columns
from thatch.corpus.rows.row_slices import (
    Slice,
    large_slices_of,
    require_columns_in,
    slices_of,
)
from thatch.corpus.storage import Format, Place
from thatch.errors import InputError

__all__ = ["PART", "ROWS_PER_CHUNK", "Chunk", "Plan"]

#: How many rows a part has: enough to be worth writing, few enough to be done soon.
ROWS_PER_CHUNK = 500

#: How the names of their files begin.
PART = "part-"

#: Applies a function to tasks, in any order: what engines do.
Map = Callable[[Callable[[Any], Any], Sequence[Any]], Any]


@dataclass(frozen=True)
class Chunk:
    """Rows that are read, summarized and written together."""

    number: int
    rows: Slice
    #: Rows, counted from the first of the part, whose id an earlier row has.
    duplicates: tuple[int, ...] = ()
    #: Whether some row is known to end the process that works on it.
    is_dangerous: bool = False

    def name(self, format: Format) -> str:
        """Name of the file that its answers are written to."""
        return f"{PART}{self.number:06}.{format.value}"


@dataclass(frozen=True)
class Plan:
    """What a job does: the parts, and what their columns are."""

    chunks: tuple[Chunk, ...]
    columns: Columns

    @property
    def num_rows(self) -> int:
        """Rows of all parts."""
        return sum(chunk.rows.num_rows for chunk in self.chunks)

    @classmethod
    def without_ids(cls, files: list[Place], text: str) -> Plan:
        """Cut a corpus into few parts, whose rows need not be told apart."""
        columns = Columns(None, text)
        require_columns_in(files, columns)
        return cls._of(list(large_slices_of(files)), columns)

    @classmethod
    def of(cls, files: list[Place], columns: Columns, map: Map) -> Plan:
        """Look through a corpus: cut it, and find the ids that come twice.

        Parameters
        ----------
        files
            What to read.
        columns
            Which columns matter.
        map
            How the parts are looked at: side by side, on whatever engine.
        """
        columns = replace(columns, has_numbers=True)
        slices = list(slices_of(files, rows_a_slice=ROWS_PER_CHUNK))
        plan = cls._of(slices, columns)
        found = dict(map(partial(_look, columns=plan.columns), slices))
        looks = [found[each] for each in slices]
        duplicates = _duplicates([each.keys for each in looks])
        chunks = tuple(
            replace(
                chunk,
                rows=replace(chunk.rows, num_rows=look.keys.size),
                duplicates=tuple(repeated),
            )
            for chunk, look, repeated in zip(
                plan.chunks, looks, duplicates, strict=True
            )
            # Lines may all be empty.
            if look.keys.size
        )
        if not chunks:
            raise _no_rows()
        has_numbers = all(each.has_numbers for each in looks)
        return cls(chunks, replace(plan.columns, has_numbers=has_numbers))

    @classmethod
    def _of(cls, slices: list[Slice], columns: Columns) -> Plan:
        if not slices:
            raise _no_rows()
        chunks = tuple(Chunk(number, each) for number, each in enumerate(slices))
        return cls(chunks, replace(columns, has_lists=_has_lists(slices, columns.text)))


def _no_rows() -> InputError:
    return InputError(
        "the input must have a row, got none.",
        hint="Check that it was written to its end.",
    )


@dataclass(frozen=True)
class _Look:
    """What a first look at a slice finds."""

    #: uint64, a hash of each row's id; 0 where there is none.
    keys: Ints
    has_numbers: bool


def _look(chunk: Slice, columns: Columns) -> _Look:
    ids = chunk.ids(columns)
    keys = [0 if id is None else _key(id) for id in ids]
    has_numbers = all(id is None or isinstance(id, int) for id in ids)
    return _Look(np.array(keys, dtype=np.uint64), has_numbers)


def _key(id: object) -> int:
    # A number and its digits are alike in the end: all are texts if some are.
    digest = hashlib.blake2b(str(id).encode(), digest_size=8)
    return int.from_bytes(digest.digest(), "big") or 1


def _has_lists(slices: list[Slice], text: str) -> bool:
    """Whether the first text in JSON lines is a list: the others should be too."""
    for chunk in slices:
        if chunk.format is Format.JSON_LINES:
            for row in chunk.objects():
                if row.get(text) is not None:
                    return isinstance(row[text], list)
    return False


def _duplicates(keys: Sequence[Ints]) -> list[list[int]]:
    """Rows of each slice whose key an earlier row has."""
    together = np.concatenate(keys)
    order = np.argsort(together, kind="stable")
    ordered = together[order]
    is_again = np.zeros(together.size, dtype=bool)
    is_again[order[1:]] = (ordered[1:] == ordered[:-1]) & (ordered[1:] != 0)
    ends = np.cumsum([each.size for each in keys])[:-1]
    return [np.flatnonzero(piece).tolist() for piece in np.split(is_again, ends)]
