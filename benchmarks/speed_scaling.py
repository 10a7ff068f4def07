"""More threads, more problems in one call, and the memory of messages."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from message_representations import DAMPING, Setting, thatch_messages
from tables import Table
from timing import ITERATIONS, NUM_CORES, best_in_turns, iterations_on

from thatch import CoverageProblem
from thatch.problem.instances.random_graphs import PowerLawGraph
from thatch.run.run import Run
from thatch.solvers.belief_propagation import Messages, PricedProblem, propagate
from thatch.solvers.belief_propagation.representations import Products

# About the size of the graph of ten news stories and their words.
TEXT_SIZED = PowerLawGraph(num_items=300, num_elements=1_000, mean_item_degree=13.5)
PRICES = np.geomspace(0.5, 20.0, 40)
MIDDLE = PRICES[PRICES.size // 2 :][:1]


def threads_measured(problem: CoverageProblem) -> dict[int, float]:
    """Nanoseconds per edge per iteration, by threads; marginals must not vary."""
    setting = Setting(problem, iterations_on(problem))
    counts = range(1, NUM_CORES + 1)
    started = [thatch_messages(Products, setting, num_threads=k) for k in counts]
    for other in started[1:]:
        if not np.array_equal(other.marginals, started[0].marginals):
            raise SystemExit("error: the marginals depend on the number of threads.")
    best = best_in_turns([each.seconds for each in started])
    updates = problem.num_edges * setting.iterations
    return {k: s / updates * 1e9 for k, s in zip(counts, best, strict=True)}


def threads_table(threads: Mapping[int, float], problem: CoverageProblem) -> Table:
    rows = [
        (str(count), f"{figure:.1f}", f"{threads[1] / figure:.2f}")
        for count, figure in threads.items()
    ]
    return Table(
        "threads",
        f"{problem.num_items:,} items, {problem.num_edges:,} edges, the same marginals "
        "bit by bit",
        ("threads", "ns per edge per iteration", "times as fast as one"),
        rows,
    )


@dataclass(frozen=True)
class BatchFigures:
    """Time of one call, by number of problems and of prices per problem."""

    num_problems: int
    num_prices: int
    num_edges: int
    seconds_on_one_core: float
    seconds: float

    @property
    def speed(self) -> float:
        """Problems per second."""
        return self.num_problems / self.seconds

    @property
    def cells(self) -> tuple[str, ...]:
        updates = self.num_edges * ITERATIONS
        return (
            f"{self.num_problems:,}",
            str(self.num_prices),
            f"{self.seconds_on_one_core:.3f}",
            f"{self.seconds:.3f}",
            f"{self.speed:,.1f}",
            f"{self.seconds / updates * 1e9:.1f}",
        )


def batches_measured(
    sizes: Sequence[int], grids: Sequence[int]
) -> Iterator[BatchFigures]:
    """Figures for problems at one price each, then for fewer at all prices."""
    problems = [TEXT_SIZED.problem(budget=100.0, seed=k) for k in range(max(sizes))]
    for num_problems, prices in (
        *((size, MIDDLE) for size in sizes),
        *((size, PRICES) for size in grids),
    ):
        priced_problems = [
            PricedProblem(problem, price=float(price))
            for problem in problems[:num_problems]
            for price in prices
        ]
        yield batch_measured(priced_problems, num_problems)


def batch_measured(
    priced_problems: Sequence[PricedProblem], num_problems: int
) -> BatchFigures:
    def take(num_threads: int) -> float:
        began = time.perf_counter()
        propagate(
            priced_problems, max_iterations=ITERATIONS, run=Run(num_threads=num_threads)
        )
        return time.perf_counter() - began

    return BatchFigures(
        num_problems,
        len(priced_problems) // num_problems,
        sum(priced.problem.num_edges for priced in priced_problems),
        *best_in_turns([partial(take, 1), partial(take, NUM_CORES)]),
    )


def batches_table(batches: Sequence[BatchFigures]) -> Table:
    num_edges = batches[0].num_edges
    return Table(
        "batches",
        f"Problems of {num_edges:,} edges in one call of propagate, {ITERATIONS} "
        "iterations",
        (
            "problems",
            "prices each",
            "seconds, one core",
            f"{NUM_CORES} cores",
            "problems per second",
            "ns per edge per iteration",
        ),
        [figures.cells for figures in batches],
    )


def memory_table(problem: CoverageProblem) -> Table:
    """Peak memory allocated by NumPy while messages are made, passed and read."""
    priced = Setting(problem, 1).priced
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    rows = [("the problem itself", own_bytes(problem))]

    def traced(step: str, take: Callable[[], Any]) -> Any:
        tracemalloc.reset_peak()
        made = take()
        rows.append((step, tracemalloc.get_traced_memory()[1] - before))
        return made

    messages = traced(
        "making messages",
        lambda: Messages([priced], representation=Products, num_threads=NUM_CORES),
    )
    traced("passing messages", lambda: messages.iterate(DAMPING))
    traced("reading beliefs", messages.beliefs)
    tracemalloc.stop()
    return Table(
        "memory",
        f"Peak memory on {problem.num_edges:,} edges, on top of the problem itself",
        ("step", "bytes per edge"),
        [(step, f"{size / problem.num_edges:.1f}") for step, size in rows],
    )


def own_bytes(problem: CoverageProblem) -> int:
    """Bytes of the problem's own arrays."""
    edges = problem.edges
    arrays = (
        problem.costs,
        problem.weights,
        edges.item_start,
        edges.item_elements,
        edges.item_edges,
        edges.element_start,
        edges.element_items,
    )
    return sum(array.nbytes for array in arrays)
