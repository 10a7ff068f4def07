"""Edges: which item covers which element, grouped both ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thatch._kernels import graph as kernel
from thatch.arrays import Flags, Indices, Ints, frozen
from thatch.errors import InputError, InputTypeError
from thatch.machine.caching import cached_property

_LARGEST = np.iinfo(np.int32).max


@dataclass(frozen=True, eq=False)
class Edges:
    """The bipartite graph: an edge means that an item covers an element.

    Edges are numbered by element, and by item within an element, in whatever order
    they are given. Arrays are read-only.

    >>> edges = Edges.between([0, 1, 1], [0, 0, 1], num_items=2, num_elements=2)
    >>> edges.elements_of(1), edges.items_of(0)
    (array([0, 1], dtype=int32), array([0, 1], dtype=int32))
    """

    #: int64, shape (num_items + 1,): where the edges of each item start below.
    item_start: Ints
    #: int32, shape (num_edges,), grouped by item: the covered element.
    item_elements: Indices
    #: int32, shape (num_edges,), grouped by item: the number of the edge.
    item_edges: Indices
    #: int64, shape (num_elements + 1,): the number of the first edge of each element.
    element_start: Ints
    #: int32, shape (num_edges,), in the order of edges: the item that covers.
    element_items: Indices

    @classmethod
    def between(
        cls, items: ArrayLike, elements: ArrayLike, *, num_items: int, num_elements: int
    ) -> Edges:
        """Edges from two lists of equal length, which count from 0."""
        item_of = _indices("item", items, num_items)
        element_of = _indices("element", elements, num_elements)
        if item_of.size != element_of.size:
            raise InputError(
                f"got {item_of.size} items and {element_of.size} elements; every edge "
                "needs one of each.",
                hint="Pass two lists of the same length.",
            )
        _, by_item = _group(item_of, num_items)
        element_start, by_element = _group(element_of[by_item], num_elements)
        element_items = item_of[by_item[by_element]]
        repeat = int(kernel.first_repeat(element_start, element_items))
        if repeat >= 0:
            a = int(np.searchsorted(element_start, repeat, side="right")) - 1
            raise InputError(
                f"the edge from item {int(element_items[repeat])} to element {a} is "
                "repeated.",
                hint="Remove the duplicate.",
            )
        return cls._from_elements(element_start, element_items, num_items)

    @classmethod
    def union(cls, graphs: Sequence[Edges]) -> Edges:
        """The disjoint union of graphs, numbered one after the other."""
        items, elements, edges = (
            np.cumsum([0, *(getattr(graph, count) for graph in graphs)])
            for count in ("num_items", "num_elements", "num_edges")
        )
        if max(items[-1], elements[-1], edges[-1]) > _LARGEST:
            raise _too_many(int(edges[-1]))
        return cls(
            _joined_starts([graph.item_start for graph in graphs], edges),
            _joined([graph.item_elements for graph in graphs], elements),
            _joined([graph.item_edges for graph in graphs], edges),
            _joined_starts([graph.element_start for graph in graphs], edges),
            _joined([graph.element_items for graph in graphs], items),
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

    def restricted_to(self, items: Ints, is_kept: Flags) -> tuple[Edges, Flags]:
        """Edges of some items to the elements that are kept, numbered from 0 again.

        Also returns which of the elements are left: bool, shape (num_elements,).
        """
        elements = self.item_elements[self.positions_of(items)]
        has_edge = is_kept[elements]
        is_left = np.zeros(self.num_elements, dtype=np.bool_)
        is_left[elements[has_edge]] = True
        number_of = np.cumsum(is_left) - 1
        edges = Edges.between(
            np.repeat(np.arange(items.size), self.item_degrees[items])[has_edge],
            number_of[elements[has_edge]],
            num_items=items.size,
            num_elements=int(is_left.sum()),
        )
        return edges, is_left

    def components(self) -> list[Ints]:
        """The items of each connected component, the smallest components first."""
        members, starts = self._members_of_components()
        order = np.argsort(np.diff(starts), kind="stable").tolist()
        return [members[starts[k] : starts[k + 1]] for k in order]

    def component_numbers(self) -> Ints:
        """The number of each item's connected component, from 0."""
        members, starts = self._members_of_components()
        numbers = np.empty(self.num_items, dtype=np.int64)
        numbers[members] = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        return numbers

    def _members_of_components(self) -> tuple[Ints, Ints]:
        """Items grouped by connected component, and where each component begins."""
        members = np.empty(self.num_items, dtype=np.int64)
        starts = np.empty(self.num_items + 1, dtype=np.int64)
        count = kernel.find_components(
            self.item_start,
            self.item_elements,
            self.element_start,
            self.element_items,
            self.num_items,
            members,
            starts,
        )
        return members, starts[: count + 1]

    def ranked_items(self, ranking: Ints) -> Indices:
        """Like `element_items`, with the items of each element in this order."""
        items = np.repeat(ranking.astype(np.int32), self.item_degrees[ranking])
        elements = self.item_elements[self.positions_of(ranking)]
        _, order = _group(elements, self.num_elements)
        return items[order]

    def ranked(self, ranking: Ints) -> Edges:
        """The same edges, with the items of each element in this order."""
        items = self.ranked_items(ranking)
        return self._from_elements(self.element_start, items, self.num_items)

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
            f"the {kind}s of the edges have {array.ndim} dimensions; they must have "
            "one.",
            hint="Pass one item and one element per edge.",
        )
    if array.dtype.kind not in "iu":
        raise InputTypeError(
            f"the {kind}s of the edges have type {array.dtype}; they must be integers.",
            hint="Number items and elements from 0.",
        )
    is_outside = (array < 0) | (array >= count)
    if is_outside.any():
        e = int(np.argmax(is_outside))
        raise InputError(
            f"edge {e} names {kind} {int(array[e])}, but there are {count} {kind}s.",
            hint="Check the numbering: it starts at 0.",
        )
    if array.size > _LARGEST:
        raise _too_many(array.size)
    return np.ascontiguousarray(array, dtype=np.int32)


def _too_many(num_edges: int) -> InputError:
    return InputError(
        f"the graph has {num_edges} edges, or as many items or elements; at most "
        f"{_LARGEST} are supported.",
        hint="Split the problem.",
    )


def _joined(pieces: list[Indices], offsets: NDArray[np.int_]) -> Indices:
    joined = np.empty(sum(piece.size for piece in pieces), dtype=np.int32)
    position = 0
    for piece, offset in zip(pieces, offsets[:-1], strict=True):
        np.add(piece, np.int32(offset), out=joined[position : position + piece.size])
        position += piece.size
    frozen(joined)
    return joined


def _joined_starts(starts: list[Ints], offsets: NDArray[np.int_]) -> Ints:
    pieces = [
        start[:-1] + offset for start, offset in zip(starts, offsets[:-1], strict=True)
    ]
    joined = np.concatenate([*pieces, offsets[-1:]]).astype(np.int64)
    frozen(joined)
    return joined
