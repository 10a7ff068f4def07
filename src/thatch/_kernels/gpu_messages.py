"""Belief propagation on a GPU: the sources in ``cuda`` with their arrays."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import THREADS, Graph, launch, launch_over, module

# Items whose costs one block sums.
_SEGMENT = 2048


class Gathering:
    """The messages L of a graph, and what its items gather from them."""

    def __init__(self, graph: Graph, kernels: Any, L: Any) -> None:
        self.graph = graph
        #: The compiled kernels.
        self.kernels = kernels
        #: L_ai = -beta h_hat_ai, one per edge.
        self.L = L
        #: S_i = -beta h_i, one per item.
        self.S = cupy.zeros(graph.num_items, dtype=L.dtype)

    def fields(self) -> Any:
        """Return beta h_i, one per item, of the last `gather`."""
        return -self.S

    def gather(self, costs: Any, problem_of: Any, dues: Any, share: float) -> None:
        """S_i = beta mu c_i + sum_b L_bi, eq. (BP3), and that share of the last S_i."""
        graph = self.graph
        launch_over(
            graph.item_classes,
            self.kernels,
            "gather",
            (
                graph.item_start,
                graph.item_edges,
                self.L,
                costs,
                problem_of,
                dues,
                np.float64(share),
                self.S,
            ),
        )


class Messages(Gathering):
    """Messages that are updated, in one algebra: LINEAR, LOGS or TROPICAL."""

    def __init__(
        self, graph: Graph, *, real: type, algebra: str, L: Any = None
    ) -> None:
        """Start from given messages, or from zero."""
        kernels = module(("algebra", "gathering", "replies"), real, algebra)
        L = cupy.zeros(graph.num_edges, dtype=real) if L is None else L
        super().__init__(graph, kernels, L)
        self._real = real
        has_hubs = any(each.kernel == "hub" for each in graph.element_classes)
        self._scratch = cupy.empty(graph.num_edges if has_hubs else 0, dtype=real)

    def reply(
        self, unclaimed: Any, problem_of: Any, damping: float, change: Any
    ) -> None:
        """Damp L_ai toward (BP2); `change` gets the largest change per problem."""
        graph = self.graph
        change.fill(0)
        launch_over(
            graph.element_classes,
            self.kernels,
            "reply",
            (
                graph.element_start,
                graph.element_items,
                graph.places,
                self.S,
                unclaimed,
                problem_of,
                self._real(damping),
                self.L,
                change,
                self._scratch,
            ),
        )


class Reader(Gathering):
    """Final messages, converted to doubles: in the algebra LOGS or TROPICAL."""

    def __init__(self, final: Messages, *, algebra: str) -> None:
        kernels = module(("algebra", "gathering", "reading"), np.float64, algebra)
        super().__init__(final.graph, kernels, final.L.astype(np.float64))

    def read_elements(self, unclaimed: Any) -> tuple[Any, Any, Any]:
        """Compute ln prod u, ln{1 - prod u} and beta eta_a of the last `gather`."""
        graph = self.graph
        read = tuple(cupy.empty(graph.num_elements) for _ in range(3))
        launch(
            self.kernels.get_function("read_elements"),
            -(-graph.num_elements // THREADS),
            THREADS,
            (
                np.int32(graph.num_elements),
                graph.element_start,
                graph.element_items,
                graph.places,
                self.S,
                unclaimed,
                self.L,
                *read,
            ),
        )
        return read


class Prices:
    """The prices of problems, one each, and their adaptation to the budgets."""

    def __init__(
        self, item_offsets: Any, *, budgets: Any, scales: Any, is_free: Any, first: Any
    ) -> None:
        """Items of problem k are between two offsets; free prices are adapted."""
        sizes = np.diff(item_offsets)
        counts = np.maximum(1, -(-sizes // _SEGMENT))
        first_segment = np.concatenate([[0], np.cumsum(counts)])
        within = np.arange(first_segment[-1]) - np.repeat(first_segment[:-1], counts)
        starts = np.repeat(item_offsets[:-1], counts) + within * _SEGMENT
        self._starts = cupy.asarray(np.append(starts, item_offsets[-1]), dtype=np.int32)
        self._first_segment = cupy.asarray(first_segment, dtype=np.int32)
        self._spent = cupy.zeros(starts.size)
        self._budgets = cupy.asarray(budgets, dtype=np.float64)
        self._scales = cupy.asarray(scales, dtype=np.float64)
        self._is_free = cupy.asarray(is_free, dtype=np.int32)
        #: One per problem: mu, and beta mu.
        self.prices = cupy.asarray(first, dtype=np.float64)
        self.dues = cupy.clip(self._scales * self.prices, -1e300, 1e300)

    def adapt(self, messages: Messages, costs: Any, step: float) -> None:
        """Multiply every free price by e^(step times excess), clipped to 1."""
        kernels = messages.kernels
        launch(
            kernels.get_function("spend"),
            self._spent.size,
            THREADS,
            (self._starts, messages.S, costs, self._spent),
        )
        launch(
            kernels.get_function("adapt"),
            self.prices.size,
            64,
            (
                self._first_segment,
                self._spent,
                self._budgets,
                self._scales,
                self._is_free,
                np.float64(step),
                self.prices,
                self.dues,
            ),
        )
