"""Descent of the dual bound on a GPU: ``cuda/dual_descent.cu`` with its arrays."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from thatch._kernels.gpu import THREADS, Graph, launch, launch_over, module

_PRICE_TRIALS = 12
# Threads of the last block of a step, which sums the results of the others.
_ADDING = 1024


class Choice:
    """How far each item is chosen at the price at which the items cost the budget."""

    def __init__(
        self,
        degrees: Any,
        c: Any,
        K: float,
        mu: float,
        least_curvature: float,
        *,
        pace: float = 1.0,
        real: type = np.float32,
    ) -> None:
        """Start at the price `mu`, with the momentum of a pace."""
        self._kernels = module(("dual_descent",), real)
        self._degrees = degrees
        self._c = cupy.asarray(c, dtype=real)
        self._K = np.float64(K)
        self._least_curvature = np.float64(least_curvature)
        #: Sums of the multipliers of each item, which are read.
        self.s = cupy.zeros(degrees.size, dtype=real)
        #: Per item, sigma_i and T times the curvature that it adds to its elements.
        self.choice = cupy.zeros((degrees.size, 2), dtype=real)
        self._blocks = -(-degrees.size // THREADS)
        self._sums = cupy.zeros(2 * self._blocks)
        #: What changes without the host, in the order of `State` in the source.
        self.state = cupy.asarray([mu, 0.0, -1.0, 0.0, pace, 1.0])

    @property
    def price_and_pace(self) -> tuple[float, float]:
        """All that the next step needs of `state`, on the processor."""
        state = self.state.get()
        return float(state[0]), float(state[4])

    def begin_step(self) -> None:
        """Start the search for the price."""
        self._one("begin_step", (self.state,), threads=1)

    def choose(self, T: float) -> None:
        """Newton steps; those after the price has converged return at once."""
        choose = (
            np.int32(self._degrees.size),
            self._degrees,
            self.s,
            self._c,
            self._K,
            np.float64(T),
            self._least_curvature,
            self.state,
            self.choice,
            self._sums,
        )
        blocks = np.int32(self._blocks)
        move = (blocks, self._sums, self._K, np.float64(T), self.state)
        for _ in range(_PRICE_TRIALS):
            launch(self._kernels.get_function("choose"), self._blocks, THREADS, choose)
            self._one("move_price", move, threads=_ADDING)

    def end_step(self, uphill: Any) -> None:
        """Restart the momentum if the sum of these numbers is positive."""
        arguments = (np.int32(uphill.size), uphill, self.state)
        self._one("end_step", arguments, threads=_ADDING)

    def _one(self, name: str, arguments: tuple[Any, ...], *, threads: int) -> None:
        launch(self._kernels.get_function(name), 1, threads, arguments)


class Steps:
    """The multipliers of the elements of a graph, and their steps."""

    def __init__(
        self, graph: Graph, w: Any, lam: Any, y: Any, *, real: type = np.float32
    ) -> None:
        """Start from multipliers and extrapolated ones, both updated in place."""
        self._graph = graph
        self._kernels = module(("dual_descent",), real)
        self._w = w
        self.lam = lam
        self.y = y
        #: How far the momentum points uphill, per block.
        self.uphill = cupy.zeros(sum(x.blocks for x in graph.element_classes))

    def add(self, s: Any) -> None:
        """s_i = sum of the extrapolated multipliers of the elements of i."""
        graph = self._graph
        launch_over(
            graph.item_classes,
            self._kernels,
            "add",
            (graph.item_start, graph.item_elements, self.y, s),
        )

    def step(self, choice: Any, T: float, state: Any) -> None:
        """Update every multiplier."""
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
                    choice,
                    np.float64(T),
                    state,
                    self._w,
                    self.lam,
                    self.y,
                    self.uphill[done:],
                ),
            )
            done += each.blocks


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
        self._chosen = Choice(cupy.diff(graph.item_start), c, K, mu, least_curvature)
        lam = graph.in_order(lam).astype(np.float32)
        w = graph.in_order(w).astype(np.float32)
        self._steps = Steps(graph, w, lam, lam.copy())

    def descend(
        self, iterations: int, T: float, cooling: float, least_T: float
    ) -> float:
        """Take some steps while T falls by the factor `cooling`; return the last T."""
        chosen, steps = self._chosen, self._steps
        for _ in range(iterations):
            chosen.begin_step()
            steps.add(chosen.s)
            chosen.choose(T)
            steps.step(chosen.choice, T, chosen.state)
            chosen.end_step(steps.uphill)
            T = max(least_T, cooling * T)
        # The caller checks the time next: wait for the queued steps.
        cupy.cuda.get_current_stream().synchronize()
        return T

    def multipliers(self) -> Any:
        """The present multipliers, one per element, copied to the processor."""
        return self._graph.restored(self._steps.lam).get()
