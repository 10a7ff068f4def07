"""Kernels for a GPU: the CUDA sources beside this file, compiled on use through CuPy.

A node of few edges gets a thread; one of more a warp, a hub a whole block. Nodes are
sorted into such classes once; within a class they keep their order, so that neighbours
read neighbouring memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import local
from typing import Any

import cupy
import cupyx
import numpy as np

_SOURCES = Path(__file__).parent / "cuda"
#: Threads of a block that serves many nodes.
THREADS = 256
# Largest degree of a node that a block of one warp processes; larger nodes get a
# larger block.
_EDGES_PER_WARP = 1024
_WARP, _HUB = 32, 512
# From this many edges on, messages do not fit into the cache of a GPU.
_MIN_EDGES_TO_REORDER = 5_000_000
# Edges of neighboring items whose messages are then kept together: 24 MB of singles,
# which that cache holds. On an H200, items gather in a third of the time; elements,
# which write into every region, take a third longer.
_EDGES_PER_REGION = 6_000_000
# Bytes that are copied to the device at a time.
_PIECE_SIZE = 1 << 23

_of_thread = local()


@cache
def module(sources: tuple[str, ...], real: type, algebra: str = "") -> Any:
    """Compile sources for single or double precision; CuPy caches the code on disk."""
    paths = [_SOURCES / f"{name}.cu" for name in ("groups", *sources)]
    code = "".join(path.read_text(encoding="utf-8") for path in paths)
    numbers = {np.float32: "float", np.float64: "double"}[real]
    options = ["-std=c++17", f"-DREAL={numbers}"]
    options += [f"-D{algebra}"] if algebra else []
    return cupy.RawModule(code=code, options=tuple(options))


def uploaded(values: Any) -> Any:
    """An array on the device, copied there if it is not.

    Large ones are copied in pieces, through locked memory: `cupy.asarray` locks as
    much memory as the whole array has, and the driver itself copies for one thread at
    a time.
    """
    if isinstance(values, cupy.ndarray):
        return values
    values = np.ascontiguousarray(values)
    copy = cupy.empty(values.shape, dtype=values.dtype)
    if values.nbytes <= _PIECE_SIZE:
        copy.set(values, stream=cupy.cuda.get_current_stream())
        return copy
    source, target = (each.reshape(-1).view(np.uint8) for each in (values, copy))
    buffers = _buffers()
    for k, first in enumerate(range(0, source.size, _PIECE_SIZE)):
        buffer, is_sent = buffers[k % len(buffers)]
        piece = source[first : first + _PIECE_SIZE]
        is_sent.synchronize()
        np.copyto(buffer[: piece.size], piece)
        stream = cupy.cuda.get_current_stream()
        target[first : first + _PIECE_SIZE].set(buffer[: piece.size], stream=stream)
        is_sent.record(stream)
    return copy


def _buffers() -> list[tuple[Any, Any]]:
    """Two pieces of locked memory of this thread, each with the event of its copy."""
    if not hasattr(_of_thread, "buffers"):
        _of_thread.buffers = [
            (cupyx.empty_pinned(_PIECE_SIZE, dtype=np.uint8), cupy.cuda.Event())
            for _ in range(2)
        ]
    found: list[tuple[Any, Any]] = _of_thread.buffers
    return found


@dataclass(frozen=True)
class _Class:
    """Nodes that one kernel processes in the same way."""

    kernel: str
    threads: int
    #: Their numbers, or None for all.
    nodes: Any
    count: int

    @property
    def blocks(self) -> int:
        return -(-self.count // self.threads) if self.threads == THREADS else self.count


def _classes(start: Any, thin: dict[str, int]) -> list[_Class]:
    """Nodes by degree: `thin` maps kernels to the largest degree each can process.

    What has more edges goes to the kernel ``hub``.
    """
    degrees = cupy.diff(start)
    kinds = [(name, THREADS, most) for name, most in thin.items()]
    kinds += [("hub", _WARP, _EDGES_PER_WARP), ("hub", _HUB, np.iinfo(np.int32).max)]
    classes = []
    above = -1
    for name, threads, most in kinds:
        # The size, since a sum of flags takes CuPy seconds to compile.
        inside = cupy.flatnonzero((degrees > above) & (degrees <= most))
        is_all = inside.size == degrees.size and threads == THREADS
        nodes = None if is_all else inside.astype(np.int32)
        if inside.size:
            classes.append(_Class(name, threads, nodes, inside.size))
        above = most
    return classes


class Graph:
    """The edges on the device, grouped both ways as in `thatch.problem.edges.Edges`."""

    def __init__(
        self,
        item_start: Any,
        item_elements: Any,
        item_edges: Any,
        element_start: Any,
        element_items: Any,
        order: Any = None,
        places: Any = None,
    ) -> None:
        """Copy arrays to the device, with indices of 32 bits.

        If elements have another order there, `order` lists their numbers. If messages
        have another order than edges, `places` are those of the edges, and
        `item_edges` lists places.
        """
        self._order = order
        #: Where the message of each edge is: int32, or None for its own number.
        self.places = places
        self.item_start = uploaded(item_start).astype(np.int32, copy=False)
        self.item_elements = uploaded(item_elements).astype(np.int32, copy=False)
        self.item_edges = uploaded(item_edges).astype(np.int32, copy=False)
        self.element_start = uploaded(element_start).astype(np.int32, copy=False)
        self.element_items = uploaded(element_items).astype(np.int32, copy=False)
        self.num_items = self.item_start.size - 1
        self.num_elements = self.element_start.size - 1
        self.num_edges = self.element_items.size
        self.item_classes = _classes(self.item_start, {"thin": 32})
        self.element_classes = _classes(self.element_start, {"4": 4, "16": 16})

    @classmethod
    def of(cls, edges: Any, *, may_reorder: bool = True) -> Graph:
        """Copy the arrays of a `thatch.problem.edges.Edges`.

        The elements of a large graph are ordered by their first items on the device:
        then neighbours read neighbouring memory for one of their items.
        """
        graph = cls(
            edges.item_start,
            edges.item_elements,
            edges.item_edges,
            edges.element_start,
            edges.element_items,
        )
        is_large = graph.num_edges >= _MIN_EDGES_TO_REORDER
        return graph._reordered() if is_large and may_reorder else graph

    @classmethod
    def by_elements(
        cls,
        element_start: Any,
        element_items: Any,
        num_items: int,
        *,
        may_reorder: bool,
    ) -> Graph:
        """The graph of edges that are grouped by element only.

        They are sorted on the device. A large graph is also reordered, if it may be:
        that takes too long for one iteration.
        """
        starts = uploaded(element_start).astype(np.int32, copy=False)
        items = uploaded(element_items).astype(np.int32, copy=False)
        by_item = cupy.argsort(items).astype(np.int32)
        bounds = cupy.arange(num_items + 1, dtype=np.int32)
        item_start = cupy.searchsorted(items[by_item], bounds)
        elements = cupy.searchsorted(starts[1:], by_item, side="right")
        graph = cls(item_start, elements, by_item, starts, items)
        is_large = graph.num_edges >= _MIN_EDGES_TO_REORDER
        return graph._reordered() if is_large and may_reorder else graph

    def _reordered(self) -> Graph:
        """The same graph with its elements in the order of their first items."""
        degrees = cupy.diff(self.element_start)
        # Elements without items come last; they have no first one.
        padded = cupy.append(self.element_items, np.int32(self.num_items))
        first = cupy.where(degrees > 0, padded[self.element_start[:-1]], self.num_items)
        order = cupy.argsort(first).astype(np.int32)
        place = cupy.empty_like(order)
        place[order] = cupy.arange(order.size, dtype=np.int32)
        start = cupy.zeros_like(self.element_start)
        cupy.cumsum(degrees[order], out=start[1:])
        # By how much the edges of each element move.
        shift = start[:-1][place] - self.element_start[:-1]
        edges = self.item_edges + shift[self.item_elements]
        items = cupy.empty_like(self.element_items)
        items[edges] = self.element_items[self.item_edges]
        elements = place[self.item_elements]
        places = self._places(items)
        return Graph(
            self.item_start, elements, places[edges], start, items, order, places
        )

    def _places(self, items: Any) -> Any:
        """Where the message of each edge is: by regions of items, then in order."""
        per_region = _EDGES_PER_REGION * self.num_items // self.num_edges
        per_region = min(max(1, per_region), self.num_items)
        order = cupy.argsort(items // np.int32(per_region))
        places = cupy.empty_like(items)
        places[order] = cupy.arange(order.size, dtype=np.int32)
        return places

    def in_order(self, values: Any) -> Any:
        """Values of the elements on the device, in the order of the elements there."""
        values = uploaded(values)
        return values if self._order is None else values[self._order]

    def restored(self, values: Any) -> Any:
        """Values of the elements in their own order again, on the device."""
        if self._order is None:
            return values
        found = cupy.empty_like(values)
        found[self._order] = values
        return found

    def repeated(self, sizes: Any, which: Any) -> Graph:
        """The disjoint union of copies of the graphs that this one is a union of.

        ``sizes[k]`` are the items, elements and edges of graph k; ``which`` names the
        graphs to copy, in order.
        """
        bases = np.cumsum(np.vstack([np.zeros_like(sizes[:1]), sizes]), axis=0)[:-1]
        ends = np.cumsum(sizes[which], axis=0)
        shifts = cupy.asarray(ends - sizes[which] - bases[which])
        items, elements, edges = range(3)

        def copied(values: Any, ends_of: int, counts: int) -> Any:
            """Values of every copy, shifted by the offset of what they count."""
            positions = cupy.arange(int(ends[-1, ends_of]))
            place = cupy.searchsorted(
                cupy.asarray(ends[:, ends_of].copy()), positions, side="right"
            )
            moved = values[positions - shifts[place, ends_of]] + shifts[place, counts]
            return moved.astype(np.int32)

        last = cupy.asarray(ends[-1:, edges], dtype=np.int32)
        return Graph(
            cupy.concatenate([copied(self.item_start[:-1], items, edges), last]),
            copied(self.item_elements, edges, elements),
            copied(self.item_edges, edges, edges),
            cupy.concatenate([copied(self.element_start[:-1], elements, edges), last]),
            copied(self.element_items, edges, items),
        )

    def covered(self, chosen: Any, *, most: int = 1) -> Any:
        """How many chosen items each element has, at most: int8, from one per item."""
        covered = cupy.empty(self.num_elements, dtype=np.int8)
        launch(
            module(("covers",), np.float32).get_function("cover"),
            -(-self.num_elements // THREADS),
            THREADS,
            (
                np.int32(self.num_elements),
                self.element_start,
                self.element_items,
                chosen,
                np.int32(most),
                covered,
            ),
        )
        return covered

    def sums_of_elements(self, values: Any) -> Any:
        """Sum of the values of the elements of each item, in doubles."""
        sums = cupy.zeros(self.num_items)
        launch_over(
            self.item_classes,
            module(("dual_descent",), np.float64),
            "add",
            (self.item_start, self.item_elements, values, sums),
        )
        return sums


def launch_over(
    classes: list[_Class], kernels: Any, name: str, arguments: tuple[Any, ...]
) -> None:
    """Run the kernel of every class on its nodes."""
    for each in classes:
        launch(
            kernels.get_function(f"{name}_{each.kernel}"),
            each.blocks,
            each.threads,
            (each.nodes, np.int32(each.count), *arguments),
        )


def launch(kernel: Any, blocks: int, threads: int, arguments: tuple[Any, ...]) -> None:
    """Run a kernel on some blocks, if there are any."""
    if blocks:
        # None means a missing array.
        present = tuple(np.uint64(0) if x is None else x for x in arguments)
        kernel((blocks,), (threads,), present)
