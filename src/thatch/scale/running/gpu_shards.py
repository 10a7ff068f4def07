"""Shards on a GPU: as many as fit stay there, the others pass through its memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from threading import local
from typing import Any

import cupy
import cupyx
import numpy as np
from numpy.typing import NDArray

from thatch._kernels.gpu import Graph, uploaded
from thatch.scale.shards.shard import exact_parts
from thatch.scale.shards.shard_writer import ShardFacts
from thatch.scale.shards.sharded_problem import ShardedProblem

# What the arrays of a shard take: indices of 4 bytes in either direction, the places
# of messages and the messages, which may be doubles; elements also have multipliers.
_BYTES_PER_EDGE, _BYTES_PER_NODE = 24, 32
# Shards that are loaded while another one is processed, by as many threads: one thread
# does not use the whole bandwidth to the device.
_NUM_LOADERS = 3
# Memory for them, while their edges are sorted, and for vectors of items.
_WORK_PER_EDGE, _WORK_PER_ITEM = 200, 128


class GpuShard:
    """The edges of a shard on the device, and its state between two steps.

    The state of a shard that does not stay there is in locked memory of the processor.
    """

    def __init__(
        self,
        problem: ShardedProblem,
        number: int,
        *,
        is_kept: bool,
        may_reorder: bool,
        states: Any,
    ) -> None:
        shard = problem.shard(number)
        #: int32: the items of the problem that the items of the graph are.
        self.items = uploaded(shard.items).astype(np.int32, copy=False)
        self.graph = Graph.by_elements(
            shard.stored_starts,
            shard.element_items,
            shard.num_items,
            may_reorder=may_reorder,
        )
        # Copied in the type that they are stored in, which may be small.
        weights = uploaded(shard.stored_weights).astype(np.float64, copy=False)
        #: float64, in the order of the elements on the device.
        self.weights = self.graph.in_order(weights)
        #: Whether it stays on the device.
        self.is_kept = is_kept
        self._states: dict[str, Any] = states

    def state(self, name: str) -> Any:
        """What the last step kept, on the device; None before the first step."""
        values = self._states.get(name)
        if self.is_kept or values is None:
            return values
        # From locked memory, in one piece.
        copy = cupy.empty(values.shape, dtype=values.dtype)
        copy.set(values, stream=cupy.cuda.get_current_stream())
        return copy

    def keep(self, name: str, values: Any) -> None:
        """Keep an array until the next step."""
        if self.is_kept:
            self._states[name] = values
            return
        if name not in self._states:
            self._states[name] = cupyx.empty_pinned(values.shape, dtype=values.dtype)
        values.get(out=self._states[name])

    def covered_weight(self, chosen: Any) -> float:
        """The weight that a selection covers, added up by the device."""
        return float((self.weights * self._covered(chosen)).sum())

    def covered_parts(self, chosen: Any) -> list[float]:
        """Numbers whose sum is that weight, added by the processor, rounded once."""
        return exact_parts((self.weights * self._covered(chosen)).get())

    def _covered(self, chosen: Any) -> Any:
        return self.graph.covered(chosen[self.items])


class GpuShards:
    """All shards of a problem, one after the other on one GPU.

    The first ones stay on the device while they fit into `max_bytes`; default: what is
    free, less what is needed to work on the largest shard. They are reordered if they
    are large. A run that is resumed keeps the order of its messages: it reorders the
    first `num_reordered`, which may pass through.
    """

    def __init__(
        self,
        problem: ShardedProblem,
        *,
        max_bytes: int | None = None,
        num_reordered: int | None = None,
    ) -> None:
        self._problem = problem
        limit = _free_bytes(problem) if max_bytes is None else max_bytes
        sizes = np.cumsum([bytes_of(facts) for facts in problem.shards])
        #: How many shards stay on the device.
        self.num_kept = int(np.searchsorted(sizes, limit, side="right"))
        #: How many may be reordered.
        self.num_reordered = self.num_kept if num_reordered is None else num_reordered
        self._kept: list[GpuShard] = []
        self._states: list[dict[str, Any]] = [{} for _ in problem.shards]
        self._loaders = ThreadPoolExecutor(_NUM_LOADERS)
        self._of_thread = local()

    def __iter__(self) -> Iterator[GpuShard]:
        yield from self._kept
        waiting: deque[Future[GpuShard]] = deque()
        try:
            for number in range(len(self._kept), len(self._problem.shards)):
                waiting.append(self._loaders.submit(self._loaded, number))
                if len(waiting) > _NUM_LOADERS:
                    yield from self._passing(waiting.popleft())
            while waiting:
                yield from self._passing(waiting.popleft())
        finally:
            for each in waiting:
                each.cancel()

    def _loaded(self, number: int) -> GpuShard:
        """Load a shard, on a stream that belongs to the thread."""
        if not hasattr(self._of_thread, "stream"):
            self._of_thread.stream = cupy.cuda.Stream(non_blocking=True)
        with self._of_thread.stream as stream:
            shard = GpuShard(
                self._problem,
                number,
                is_kept=number < self.num_kept,
                may_reorder=number < self.num_reordered,
                states=self._states[number],
            )
            stream.synchronize()
        return shard

    def _passing(self, loaded: Future[GpuShard]) -> Iterator[GpuShard]:
        shard = loaded.result()
        if shard.is_kept:
            self._kept.append(shard)
        yield shard
        if not shard.is_kept:
            # Its memory is used for another one next.
            cupy.cuda.get_current_stream().synchronize()

    def states(self, name: str) -> Iterator[NDArray[Any]]:
        """What the last step kept of each shard, on the processor."""
        for states in self._states:
            values = states[name]
            yield values.get() if isinstance(values, cupy.ndarray) else values

    def restore(self, name: str, arrays: Iterable[NDArray[Any]]) -> None:
        """Go on from what `states` gave."""
        for number, values in enumerate(arrays):
            if number < self.num_kept:
                kept = uploaded(values)
            else:
                kept = cupyx.empty_pinned(values.shape, dtype=values.dtype)
                np.copyto(kept, values)
            self._states[number][name] = kept

    def forget(self, *names: str) -> None:
        """Drop states that no step needs any more."""
        for states in self._states:
            for name in names:
                states.pop(name, None)


def bytes_of(facts: ShardFacts) -> int:
    """Memory of the device that a shard takes while it stays there."""
    num_nodes = facts.num_items + facts.num_elements
    return _BYTES_PER_EDGE * facts.num_edges + _BYTES_PER_NODE * num_nodes


def _free_bytes(problem: ShardedProblem) -> int:
    cupy.get_default_memory_pool().free_all_blocks()
    free, _ = cupy.cuda.runtime.memGetInfo()
    largest = max((facts.num_edges for facts in problem.shards), default=0)
    return int(free) - _WORK_PER_EDGE * largest - _WORK_PER_ITEM * problem.num_items
