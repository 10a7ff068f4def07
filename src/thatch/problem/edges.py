"""Which item covers which element, grouped both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thatch._kernels import edges as kernel
from thatch.arrays import Indices, Ints, frozen
from thatch.errors import InputError, InputTypeError

_LARGEST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Edges:
    """The bipartite graph: edge e says that item i covers element a.

    Edges are numbered by element, and by item within an element, whatever order they
    came in. Arrays are read-only.

    >>> edges = Edges.between([0, 1, 1], [0, 0, 1], num_items=2, num_elements=2)
    >>> edges.elements_of(1), edges.items_of(0)
    (array([0, 1], dtype=int32), array([0, 1], dtype=int32))
    """

    #: int64, one more than there are items: where each item's edges start below.
    item_start: Ints
    #: int32, one an edge, grouped by item: the element it covers.
    item_elements: Indices
    #: int32, one an edge, grouped by item: the edge's number.
    item_edges: Indices
    #: int64, one more than there are elements: the number of each element's first edge.
    element_start: Ints
    #: int32, one an edge, in edge order: the item that covers.
    element_items: Indices

    @classmethod
    def between(
        cls, items: ArrayLike, elements: ArrayLike, *, num_items: int, num_elements: int
    ) -> Edges:
        """Edges from two lists of equal length, numbered from 0."""
        item_of = _indices("item", items, num_items)
        element_of = _indices("element", elements, num_elements)
        if item_of.size != element_of.size:
            raise InputError(
                f"edges must name an item and an element each, got {item_of.size} "
                f"items and {element_of.size} elements.",
                hint="Give both lists the same length.",
            )
        _, by_item = _group(item_of, num_items)
        element_start, by_element = _group(element_of[by_item], num_elements)
        element_items = item_of[by_item[by_element]]
        repeat = int(kernel.first_repeat(element_start, element_items))
        if repeat >= 0:
            a = int(np.searchsorted(element_start, repeat, side="right")) - 1
            raise InputError(
                "edges must not repeat, got the edge from item "
                f"{int(element_items[repeat])} to element {a} twice.",
                hint="Remove the copy.",
            )
        return cls._from_elements(element_start, element_items, num_items)

    @classmethod
    def union(cls, parts: Sequence[Edges]) -> Edges:
        """All parts as one graph, numbered on from part to part, nothing shared."""
        items, elements, edges = (
            np.cumsum([0, *(getattr(part, count) for part in parts)])
            for count in ("num_items", "num_elements", "num_edges")
        )
        if max(items[-1], elements[-1], edges[-1]) > _LARGEST:
            raise _too_many(int(edges[-1]))
        return cls(
            _joined_starts([part.item_start for part in parts], edges),
            _joined([part.item_elements for part in parts], elements),
            _joined([part.item_edges for part in parts], edges),
            _joined_starts([part.element_start for part in parts], edges),
            _joined([part.element_items for part in parts], items),
        )

    @classmethod
    def _from_elements(
        cls, element_start: Ints, element_items: Indices, num_items: int
    ) -> Edges:
        item_start, item_edges = _group(element_items, num_items)
        sizes = np.diff(element_start)
        element_of = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
        return cls(
            frozen(item_start),
            frozen(element_of[item_edges]),
            frozen(item_edges),
            frozen(element_start),
            frozen(element_items),
        )

    @property
    def num_items(self) -> int:
        """How many items there are."""
        return self.item_start.size - 1

    @property
    def num_elements(self) -> int:
        """How many elements there are."""
        return self.element_start.size - 1

    @property
    def num_edges(self) -> int:
        """How many edges there are."""
        return self.element_items.size

    @property
    def item_degrees(self) -> Ints:
        """How many elements each item covers."""
        return np.diff(self.item_start)

    @property
    def element_degrees(self) -> Ints:
        """How many items cover each element."""
        return np.diff(self.element_start)

    @cached_property
    def largest_degree(self) -> int:
        """The most edges that any item or element has."""
        degrees = (self.item_degrees, self.element_degrees)
        return max(int(each.max(initial=0)) for each in degrees)

    def positions_of(self, items: Ints) -> Ints:
        """Positions of the items' edges in `item_elements`, item by item.

        >>> edges = Edges.between([0, 1, 1], [0, 0, 1], num_items=2, num_elements=2)
        >>> edges.positions_of(np.array([1]))
        array([1, 2])
        """
        degrees = self.item_degrees[items]
        ends = np.cumsum(degrees)
        return np.arange(degrees.sum()) + np.repeat(
            self.item_start[items] - ends + degrees, degrees
        )

    def elements_of(self, i: int) -> Indices:
        """Elements that item i covers, ascending."""
        return self.item_elements[self.item_start[i] : self.item_start[i + 1]]

    def items_of(self, a: int) -> Indices:
        """Items that cover element a, ascending."""
        return self.element_items[self.element_start[a] : self.element_start[a + 1]]


def _group(keys: Indices, num_keys: int) -> tuple[Ints, Indices]:
    starts = np.zeros(num_keys + 1, dtype=np.int64)
    order = np.empty(keys.size, dtype=np.int32)
    kernel.group(keys, starts, order)
    return starts, order


def _indices(kind: str, values: ArrayLike, count: int) -> Indices:
    array = np.asarray(values)
    if array.size == 0:
        array = np.zeros(0, dtype=np.int32)
    if array.ndim != 1:
        raise InputError(
            f"edges must be pairs, got {kind} numbers with {array.ndim} dimensions.",
            hint="Give one item number and one element number an edge.",
        )
    if array.dtype.kind not in "iu":
        raise InputTypeError(
            f"edges must hold whole numbers, got {kind} numbers of type {array.dtype}.",
            hint="Number items and elements from 0.",
        )
    is_outside = (array < 0) | (array >= count)
    if is_outside.any():
        e = int(np.argmax(is_outside))
        raise InputError(
            f"edges must name one of the {count} {kind}s, numbered from 0, "
            f"got {kind} {int(array[e])} at edge {e}.",
            hint="Check the numbering: thatch counts from 0.",
        )
    if array.size > _LARGEST:
        raise _too_many(array.size)
    return np.ascontiguousarray(array, dtype=np.int32)


def _too_many(num_edges: int) -> InputError:
    return InputError(
        f"a graph must have at most {_LARGEST} edges, got {num_edges}.",
        hint="Split the problem into parts.",
    )


def _joined(parts: list[Indices], offsets: NDArray[np.int_]) -> Indices:
    joined = np.empty(sum(part.size for part in parts), dtype=np.int32)
    position = 0
    for part, offset in zip(parts, offsets[:-1], strict=True):
        np.add(part, np.int32(offset), out=joined[position : position + part.size])
        position += part.size
    frozen(joined)
    return joined


def _joined_starts(parts: list[Ints], offsets: NDArray[np.int_]) -> Ints:
    pieces = [
        part[:-1] + offset for part, offset in zip(parts, offsets[:-1], strict=True)
    ]
    joined = np.concatenate([*pieces, offsets[-1:]]).astype(np.int64)
    frozen(joined)
    return joined
