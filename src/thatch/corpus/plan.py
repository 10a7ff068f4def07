"""A corpus cut into parts, each the same whoever works on it and when."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from thatch import __version__
from thatch.arrays import Ints
from thatch.corpus.places import Format, Place, inputs_of
from thatch.corpus.rows import Columns, Slice, slices_of
from thatch.corpus.settings import CorpusSettings
from thatch.errors import InputError

__all__ = ["Part", "Plan"]

#: How many rows a part has: enough to be worth writing, few enough to be done soon.
ROWS_A_PART = 500

#: Applies a function to tasks, in any order: what engines do.
Mapping = Callable[[Callable[[Any], Any], Sequence[Any]], Any]


@dataclass(frozen=True)
class Part:
    """Rows that are read, summarized and written together."""

    number: int
    rows: Slice
    #: Rows, counted from the first of the part, whose id an earlier row has.
    duplicates: tuple[int, ...] = ()

    def name(self, format: Format) -> str:
        """Name of the file that its answers are written to."""
        return f"part-{self.number:06}.{format.value}"


@dataclass(frozen=True)
class Plan:
    """What a job does: the parts, and what their columns are."""

    parts: tuple[Part, ...]
    columns: Columns
    #: Names and sizes of the input files.
    inputs: tuple[tuple[str, int], ...]

    @property
    def num_rows(self) -> int:
        """Rows of all parts."""
        return sum(part.rows.num_rows for part in self.parts)

    @classmethod
    def of(cls, source: Place, settings: CorpusSettings, map: Mapping) -> Plan:
        """Look through a corpus: cut it, and find the ids that come twice.

        Parameters
        ----------
        source
            A file, or a folder of them.
        settings
            Which columns matter.
        map
            How the parts are looked at: side by side, on whatever engine.
        """
        files = inputs_of(source)
        slices = [
            s for file in files for s in slices_of(file, rows_a_slice=ROWS_A_PART)
        ]
        if not slices:
            raise InputError(
                f"the input must have a row, got none in {source.address}.",
                hint="Check that it was written to its end.",
            )
        columns = Columns(settings.id, settings.text)
        columns = replace(columns, has_lists=_has_lists(slices[0], columns))
        found = dict(
            map(partial(_look, columns=replace(columns, has_numbers=True)), slices)
        )
        looks = [found[each] for each in slices]
        columns = replace(columns, has_numbers=all(each.has_numbers for each in looks))
        duplicates = _duplicates([each.keys for each in looks])
        return cls(
            tuple(
                Part(number, each, tuple(repeated))
                for number, (each, repeated) in enumerate(
                    zip(slices, duplicates, strict=True)
                )
            ),
            columns,
            tuple((file.address, file.size) for file in files),
        )

    def fingerprint(self, settings: CorpusSettings) -> str:
        """What must be the same for a job to be continued."""
        told = {
            "thatch": __version__,
            "inputs": self.inputs,
            "parts": len(self.parts),
            "id": settings.id,
            "text": settings.text,
            "budget": settings.budget,
            "seed": settings.seed,
            "max_bytes": settings.max_bytes,
            "summary": asdict(settings.summary),
            "background": [
                settings.background.num_documents,
                sorted(settings.background.counts.items()),
            ],
        }
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


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


def _has_lists(part: Slice, columns: Columns) -> bool:
    """Whether the first text of JSON lines is a list: the others should be too."""
    if part.format is not Format.JSON_LINES:
        return False
    with part.file.opened() as file:
        for line in file.read(part.stop).split(b"\n"):
            try:
                given = json.loads(line).get(columns.text)
            except (ValueError, AttributeError):
                continue
            if given is not None:
                return isinstance(given, list)
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
