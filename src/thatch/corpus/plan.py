"""A corpus cut into parts, each the same whoever works on it and when."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from thatch.arrays import Ints
from thatch.corpus.places import Format, Place, inputs_of
from thatch.corpus.rows import Columns, Slice, slices_of
from thatch.corpus.settings import CorpusSettings
from thatch.errors import InputError

__all__ = ["PART", "Part", "Plan"]

#: How many rows a part has: enough to be worth writing, few enough to be done soon.
ROWS_A_PART = 500

#: How the names of their files begin.
PART = "part-"

#: Applies a function to tasks, in any order: what engines do.
Mapping = Callable[[Callable[[Any], Any], Sequence[Any]], Any]


@dataclass(frozen=True)
class Part:
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

    parts: tuple[Part, ...]
    columns: Columns

    @property
    def num_rows(self) -> int:
        """Rows of all parts."""
        return sum(part.rows.num_rows for part in self.parts)

    @classmethod
    def without_ids(cls, source: Place, settings: CorpusSettings) -> Plan:
        """Cut a corpus whose rows need not be told apart."""
        return cls._cut(source, Columns(None, settings.text))

    @classmethod
    def of(
        cls,
        source: Place,
        settings: CorpusSettings,
        map: Mapping,
        *,
        is_marked: bool = False,
    ) -> Plan:
        """Look through a corpus: cut it, and find the ids that come twice.

        Parameters
        ----------
        source
            A file, or a folder of them.
        settings
            Which columns matter.
        map
            How the parts are looked at: side by side, on whatever engine.
        is_marked
            Whether columns say what is wrong with some rows.
        """
        columns = Columns(
            settings.id, settings.text, has_numbers=True, is_marked=is_marked
        )
        plan = cls._cut(source, columns)
        slices = [part.rows for part in plan.parts]
        found = dict(map(partial(_look, columns=plan.columns), slices))
        looks = [found[each] for each in slices]
        duplicates = _duplicates([each.keys for each in looks])
        parts = tuple(
            replace(part, duplicates=tuple(repeated))
            for part, repeated in zip(plan.parts, duplicates, strict=True)
        )
        has_numbers = all(each.has_numbers for each in looks)
        return cls(parts, replace(plan.columns, has_numbers=has_numbers))

    @classmethod
    def _cut(cls, source: Place, columns: Columns) -> Plan:
        files = inputs_of(source)
        slices = list(slices_of(files, columns, rows_a_slice=ROWS_A_PART))
        if not slices:
            raise InputError(
                f"the input must have a row, got none in {source.address}.",
                hint="Check that it was written to its end.",
            )
        parts = tuple(Part(number, each) for number, each in enumerate(slices))
        return cls(parts, replace(columns, has_lists=_has_lists(slices, columns.text)))


@dataclass(frozen=True)
class _Look:
    """What a first look at a slice finds."""

    #: uint64, a hash of each row's id; 0 where there is none.
    keys: Ints
    has_numbers: bool


def _look(part: Slice, columns: Columns) -> _Look:
    ids = part.ids(columns)
    keys = [0 if id is None else _key(id) for id in ids]
    has_numbers = all(id is None or isinstance(id, int) for id in ids)
    return _Look(np.array(keys, dtype=np.uint64), has_numbers)


def _key(id: object) -> int:
    digest = hashlib.blake2b(f"{type(id).__name__}:{id}".encode(), digest_size=8)
    return int.from_bytes(digest.digest(), "big") or 1


def _has_lists(slices: list[Slice], text: str) -> bool:
    """Whether the first text in JSON lines is a list: the others should be too."""
    for part in slices:
        if part.format is Format.JSON_LINES:
            for row in part.objects():
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
