"""Descent of the dual bound on a GPU: ``cuda/dual_descent.cu`` with its arrays."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import THREADS, Graph, launch, launch_over, module

_PRICE_TRIALS = 12
# Threads of the last block of a step, which sums the results of the others.
_ADDING = 1024


class Dual:
    """Multipliers and a price, which `descend` improves, as in `dual.Dual`."""

    def __init__(
        self,
        graph: Graph,
        c: Any,
        w: Any,
        K: float,
        mu: float,
        lam: Any,
        least_curvature: float,
    ) -> None:
        """Start from the multipliers in `lam`."""
        self._graph = graph
        self._kernels = module(("dual_descent",), np.float32)
        self._c = cupy.asarray(c, dtype=np.float32)
        self._w = graph.in_order(w).astype(np.float32)
        self._K = np.float64(K)
        self._least_curvature = np.float64(least_curvature)
        self._lam = graph.in_order(lam).astype(np.float32)
        self._y = self._lam.copy()
        self._s = cupy.zeros(graph.num_items, dtype=np.float32)
        self._choice = cupy.zeros(2 * graph.num_items, dtype=np.float32)
        self._item_blocks = -(-graph.num_items // THREADS)
        self._price_sums = cupy.zeros(2 * self._item_blocks)
        self._step_sums = cupy.zeros(sum(x.blocks for x in graph.element_classes))
        # In the order of `State` in the source.
        self._state = cupy.asarray([mu, 0.0, -1.0, 0.0, 1.0, 1.0])

    def descend(
        self, iterations: int, T: float, cooling: float, least_T: float
    ) -> float:
        """Take some steps while T falls by the factor `cooling`; return the last T."""
        for _ in range(iterations):
            self._one("begin_step", (self._state,), threads=1)
            self._sum_multipliers()
            self._find_price(T)
            self._step(T)
            T = max(least_T, cooling * T)
        # The caller checks the time next: wait for the queued steps.
        cupy.cuda.get_current_stream().synchronize()
        return T

    def multipliers(self) -> Any:
        """The present multipliers, one per element, copied to the processor."""
        return self._graph.restored(self._lam).get()

    def _one(self, name: str, arguments: tuple[Any, ...], *, threads: int) -> None:
        launch(self._kernels.get_function(name), 1, threads, arguments)

    def _sum_multipliers(self) -> None:
        graph = self._graph
        launch_over(
            graph.item_classes,
            self._kernels,
            "add",
            (graph.item_start, graph.item_elements, self._y, self._s),
        )

    def _find_price(self, T: float) -> None:
        """Newton steps; those after the price has converged return at once."""
        choose = (
            np.int32(self._graph.num_items),
            self._graph.item_start,
            self._s,
            self._c,
            self._K,
            np.float64(T),
            self._least_curvature,
            self._state,
            self._choice,
            self._price_sums,
        )
        move = (
            np.int32(self._item_blocks),
            self._price_sums,
            self._K,
            np.float64(T),
            self._state,
        )
        for _ in range(_PRICE_TRIALS):
            launch(
                self._kernels.get_function("choose"), self._item_blocks, THREADS, choose
            )
            self._one("move_price", move, threads=_ADDING)

    def _step(self, T: float) -> None:
        graph = self._graph
        done = 0
        for each in graph.element_classes:
            kernel = "step_hub" if each.kernel == "hub" else "step_thin"
            launch(
                self._kernels.get_function(kernel),
                each.blocks,
                each.threads,
                (
                    each.nodes,
                    np.int32(each.count),
                    graph.element_start,
                    graph.element_items,
                    self._choice,
                    np.float64(T),
                    self._state,
                    self._w,
                    self._lam,
                    self._y,
                    self._step_sums[done:],
                ),
            )
            done += each.blocks
        self._one(
            "end_step",
            (np.int32(done), self._step_sums, self._state),
            threads=_ADDING,
        )
