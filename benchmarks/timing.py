"""Problems and timing for `speed.py`."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from thatch import CoverageProblem
from thatch.machine.devices import num_cores
from thatch.problem.instances.random_graphs import BiregularGraph

ITERATIONS = 150
# About the number of updates, edges times iterations, per measurement.
UPDATES = 5_000_000
SECONDS_PER_COMPARISON = 2.0
MIN_ROUNDS, MAX_ROUNDS = 3, 30
NUM_CORES = num_cores()


def drawn(num_items: int) -> CoverageProblem:
    graph = BiregularGraph(num_items, 3 * num_items, item_degree=9, element_degree=3)
    return graph.problem(budget=float(num_items), seed=0)


def best_in_turns(takes: Sequence[Callable[[], float]]) -> list[float]:
    """Shortest time of each function; every round measures all of them."""
    best = [float("inf")] * len(takes)
    began = time.perf_counter()
    for done in range(MAX_ROUNDS):
        if done >= MIN_ROUNDS and time.perf_counter() - began > SECONDS_PER_COMPARISON:
            break
        best = [min(least, take()) for least, take in zip(best, takes, strict=True)]
    return best


def iterations_on(problem: CoverageProblem) -> int:
    return max(3, min(ITERATIONS, UPDATES // problem.num_edges))
