"""A corpus cut into chunks, in the same way on every run."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from thatch.arrays import Ints
from thatch.corpus.rows.columns import Columns, common_type
from thatch.corpus.rows.row_slices import (
    Slice,
    large_slices_of,
    require_columns_in,
    slices_of,
)
from thatch.errors import InputError
from thatch.files.locations import Format, Location
from thatch.tables.arrow import pa

#: Rows per chunk: enough to be worth a file, few enough to be finished soon.
ROWS_PER_CHUNK = 500

#: Start of the names of output files, as Spark and dask name them.
CHUNK_PREFIX = "part-"

#: The `map` method of an engine.
Map = Callable[[Callable[[Any], Any], Sequence[Any]], Any]


@dataclass(frozen=True)
class Chunk:
    """Rows that are read, summarized and written together, in one file."""

    number: int
    rows: Slice
    #: Indices in the chunk of rows that have the id of an earlier row.
    duplicates: tuple[int, ...] = ()
    #: Whether to summarize its rows in an isolated process, which some of them end.
    is_isolated: bool = False

    def name(self, format: Format) -> str:
        """Name of its output file."""
        return f"{CHUNK_PREFIX}{self.number:06}.{format.value}"


@dataclass(frozen=True)
class Plan:
    """The chunks of a job, and the columns to read."""

    chunks: tuple[Chunk, ...]
    columns: Columns

    @property
    def num_rows(self) -> int:
        """Number of rows in all chunks."""
        return sum(chunk.rows.num_rows for chunk in self.chunks)

    @classmethod
    def without_ids(cls, files: list[Location], text: str) -> Plan:
        """Cut a corpus into few large chunks, for work that needs no row ids."""
        columns = Columns(None, text)
        require_columns_in(files, columns)
        return cls._of(list(large_slices_of(files)), columns)

    @classmethod
    def of(cls, files: list[Location], columns: Columns, map: Map) -> Plan:
        """Cut a corpus into chunks, and find repeated ids."""
        columns = replace(columns, has_numbers=True)
        slices = list(slices_of(files, rows_per_slice=ROWS_PER_CHUNK))
        plan = cls._of(slices, columns)
        found = dict(map(partial(_scan, columns=plan.columns), slices))
        scans = [found[each] for each in slices]
        duplicates = _duplicates([each.keys for each in scans])
        chunks = tuple(
            replace(
                chunk,
                rows=replace(chunk.rows, num_rows=scan.keys.size),
                duplicates=tuple(repeated),
            )
            for chunk, scan, repeated in zip(
                plan.chunks, scans, duplicates, strict=True
            )
            # All lines of a chunk may be empty.
            if scan.keys.size
        )
        if not chunks:
            raise _no_rows()
        has_numbers = all(each.has_numbers for each in scans)
        kept_types = tuple(
            common_type(set().union(*types))
            for types in zip(*(each.kept_types for each in scans), strict=True)
        )
        columns = replace(plan.columns, has_numbers=has_numbers, kept_types=kept_types)
        return cls(chunks, columns)

    @classmethod
    def _of(cls, slices: list[Slice], columns: Columns) -> Plan:
        if not slices:
            raise _no_rows()
        chunks = tuple(Chunk(number, each) for number, each in enumerate(slices))
        return cls(chunks, replace(columns, has_lists=_has_lists(slices, columns.text)))


def _no_rows() -> InputError:
    return InputError(
        "the input has no rows.",
        hint="Check that it was written completely.",
    )


@dataclass(frozen=True)
class _Scan:
    """What is known of a slice after it was read once."""

    #: uint64, shape (num_rows,): hash of each id; 0 if there is none.
    keys: Ints
    has_numbers: bool
    #: Types of each kept column.
    kept_types: list[set[pa.DataType]]


def _scan(chunk: Slice, columns: Columns) -> _Scan:
    ids, kept_types = chunk.scanned(columns)
    keys = [0 if id is None else _key(id) for id in ids]
    has_numbers = all(id is None or isinstance(id, int) for id in ids)
    return _Scan(np.array(keys, dtype=np.uint64), has_numbers, kept_types)


def _key(id: object) -> int:
    # 1 and "1" are equal: if some ids are strings, all become strings.
    digest = hashlib.blake2b(str(id).encode(), digest_size=8)
    return int.from_bytes(digest.digest(), "big") or 1


def _has_lists(slices: list[Slice], text: str) -> bool:
    """Whether the first text in JSON lines is a list; then all should be lists."""
    for chunk in slices:
        if chunk.format is Format.JSON_LINES:
            for row in chunk.objects():
                if row.get(text) is not None:
                    return isinstance(row[text], list)
    return False


def _duplicates(keys: Sequence[Ints]) -> list[list[int]]:
    """Rows of each slice that have the key of an earlier row."""
    together = np.concatenate(keys)
    order = np.argsort(together, kind="stable")
    ordered = together[order]
    is_repeated = np.zeros(together.size, dtype=bool)
    is_repeated[order[1:]] = (ordered[1:] == ordered[:-1]) & (ordered[1:] != 0)
    ends = np.cumsum([each.size for each in keys])[:-1]
    return [np.flatnonzero(piece).tolist() for piece in np.split(is_repeated, ends)]
