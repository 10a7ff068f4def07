"""Edges divided among buckets on disk, each of which is sorted in memory: a shard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from thatch._kernels import graph, hashing
from thatch.arrays import Floats, Indices, Ints
from thatch.errors import FileFormatError
from thatch.scale.importing.edge_tables import EdgeTables
from thatch.scale.importing.item_numbers import IntegerItems, NamedItems
from thatch.tables.arrow import pa

#: Numbers of buckets have 16 bits.
MAX_BUCKETS = 2**16


class Buckets:
    """Rows of a table, in one file per bucket.

    Rows of the same id are in the same bucket, in the order in which they were added.
    """

    def __init__(self, folder: Path, name: str, num_buckets: int) -> None:
        self._folder = folder
        self._name = name
        self._num_buckets = num_buckets
        self._schema: Any = None

    def add(self, ids: pa.Array, **columns: Any) -> None:
        """Add rows: their ids, and the values of the other columns."""
        numbers = _bucket_numbers(ids, self._num_buckets)
        order = np.argsort(numbers, kind="stable")
        ends = np.cumsum(np.bincount(numbers, minlength=self._num_buckets))
        rows = pa.record_batch(
            [ids, *map(pa.array, columns.values())], names=["id", *columns]
        ).take(pa.array(order))
        self._schema = rows.schema
        start = 0
        for bucket, end in enumerate(ends.tolist()):
            if end > start:
                # Opened again for every batch: there may be more buckets than files
                # that a process may have open.
                with self._path(bucket).open("ab") as file:
                    file.write(rows.slice(start, end - start).serialize())
                start = end

    def read(self, bucket: int) -> list[Any]:
        """The columns of a bucket, ids first; its file is removed."""
        path = self._path(bucket)
        batches = []
        if path.exists():
            with pa.OSFile(str(path)) as stream:
                while stream.tell() < stream.size():
                    message = pa.ipc.read_message(stream)
                    batches.append(pa.ipc.read_record_batch(message, self._schema))
            path.unlink()
        table = pa.Table.from_batches(batches, schema=self._schema)
        return [
            pa.concat_arrays(column.chunks or [pa.array([], type=column.type)])
            for column in table.columns
        ]

    def _path(self, bucket: int) -> Path:
        return self._folder / f"{self._name}-{bucket:05}"


def _bucket_numbers(ids: pa.Array, num_buckets: int) -> np.ndarray:
    numbers = np.empty(len(ids), dtype=np.uint16)
    if pa.types.is_integer(ids.type):
        hashing.buckets_of_integers(np.asarray(ids), num_buckets, numbers)
        return numbers
    _, starts, content = ids.buffers()
    first = np.frombuffer(starts, dtype=np.int64)[ids.offset :][: len(ids) + 1]
    texts = np.frombuffer(content or b"", dtype=np.uint8)
    hashing.buckets_of_texts(texts, first, num_buckets, numbers)
    return numbers


@dataclass(frozen=True, eq=False)
class SortedBucket:
    """Elements in the order of their first rows, and their edges in that of items."""

    #: int64, shape (num_elements + 1,): where the edges of each element start.
    element_start: Ints
    #: int64, shape (num_edges,): numbers of items in the problem.
    items: Ints
    #: float64, shape (num_elements,).
    weights: Floats


@dataclass(frozen=True, order=True)
class _BadRow:
    """A row that is refused; rows of the weights come before those of the edges."""

    is_edge: bool
    row: int
    error: FileFormatError = field(compare=False)


def sorted_buckets(
    tables: EdgeTables,
    items: IntegerItems | NamedItems,
    edges: Buckets,
    weights: Buckets | None,
    numbers: Iterable[int],
) -> Iterator[SortedBucket]:
    """Sort the edges of all buckets; they are checked against the weights.

    Edges are elements, keys of items, and rows. Weights are elements, their weights,
    and rows; None: 1 each. An error is about the first row of the weights, or else of
    the edges, that is wrong.
    """
    bad: list[_BadRow] = []
    for k in numbers:
        # The columns of a bucket are passed on, not kept: there is memory for one.
        found = _sorted_bucket(
            tables, items, edges.read(k), None if weights is None else weights.read(k)
        )
        if isinstance(found, SortedBucket):
            if not bad:
                yield found
        else:
            bad = [min([*bad, *found])]
    if bad:
        raise bad[0].error


def _sorted_bucket(
    tables: EdgeTables,
    items: IntegerItems | NamedItems,
    edges: list[Any],
    weights: list[Any] | None,
) -> SortedBucket | list[_BadRow]:
    """The bucket; or its bad rows, the first for each reason."""
    elements, keys, rows = edges
    bad: list[_BadRow] = []
    if weights is None:
        encoded = elements.dictionary_encode()
        weight_of = np.ones(len(encoded.dictionary))
        element_of = np.asarray(encoded.indices)
    else:
        # Elements are numbered by first appearance: those of the weights come first.
        weight_of = np.asarray(weights[1])
        encoded = pa.concat_arrays([weights[0], elements]).dictionary_encode()
        numbers = np.asarray(encoded.indices)
        element_of = numbers[weight_of.size :]
        bad = _bad_weights(
            tables, numbers[: weight_of.size], edges, element_of, weights
        )
    own, item_of = _numbered(items, keys)
    _, by_item = _grouped(item_of, own.size)
    # Elements without a weight are in error, but their edges are checked as well.
    element_start, by_element = _grouped(element_of[by_item], len(encoded.dictionary))
    order = by_item[by_element]
    ordered = item_of[order]
    if graph.first_repeat(element_start, ordered) >= 0:
        first, later = _first_repeat(element_of, item_of, order)
        message = (
            f"repeats {tables.edges.place(rows[first].as_py())}: the edge from item "
            f"{items.label(keys[later].as_py())} to element "
            f"{elements[later].as_py()!r}."
        )
        row = rows[later].as_py()
        error = tables.edges.error(row, message, hint="Keep one row per edge.")
        bad.append(_BadRow(True, row, error))
    return bad or SortedBucket(element_start, own[ordered], weight_of)


def _first_repeat(
    element_of: Indices, item_of: Indices, order: Indices
) -> tuple[int, int]:
    """The first edge that is repeated, by its repeat, and that repeat."""
    earlier, later = order[:-1], order[1:]
    is_repeat = item_of[earlier] == item_of[later]
    is_repeat &= element_of[earlier] == element_of[later]
    k = int(np.argmin(later[is_repeat]))
    return int(earlier[is_repeat][k]), int(later[is_repeat][k])


def _bad_weights(
    tables: EdgeTables,
    numbers: Indices,
    edges: list[Any],
    element_of: Indices,
    weights: list[Any],
) -> list[_BadRow]:
    """The first element with two weights, and the first edge to one without any."""
    table = tables.weights
    assert table is not None
    bad = []
    is_repeat = numbers != np.arange(numbers.size)
    if is_repeat.any():
        weighed, _, rows = weights
        k = int(np.argmax(is_repeat))
        row = rows[k].as_py()
        message = f"repeats element {weighed[k].as_py()!r}, which has a weight already."
        error = table.error(row, message, hint="Keep one row per element.")
        bad.append(_BadRow(False, row, error))
    is_unknown = element_of >= numbers.size
    if is_unknown.any():
        elements, _, rows = edges
        e = int(np.argmax(is_unknown))
        row = rows[e].as_py()
        error = tables.edges.error(
            row,
            f"has element {elements[e].as_py()!r}, which has no weight in "
            f"{table.source.address}.",
            hint="Add its weight, or leave the weights out.",
        )
        bad.append(_BadRow(True, row, error))
    return bad


def _numbered(items: IntegerItems | NamedItems, keys: pa.Array) -> tuple[Ints, Indices]:
    """Numbers of the distinct items, ascending, and the position of each among them."""
    encoded = keys.dictionary_encode()
    own = np.sort(np.asarray(encoded.dictionary))
    order = np.argsort(np.asarray(encoded.dictionary))
    position = np.empty(own.size, dtype=np.int32)
    position[order] = np.arange(own.size, dtype=np.int32)
    return items.numbers(own), position[np.asarray(encoded.indices)]


def _grouped(keys: Indices, num_keys: int) -> tuple[Ints, Indices]:
    starts = np.zeros(num_keys + 1, dtype=np.int64)
    order = np.empty(keys.size, dtype=np.int32)
    graph.group(np.ascontiguousarray(keys, dtype=np.int32), starts, order)
    return starts, order
