"""GPU: time per update, per solution, and for many problems in one call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import cupy
import numpy as np
from message_representations import DAMPING, INVERSE_TEMPERATURE, PRICE
from speed_scaling import MIDDLE, PRICES, TEXT_SIZED
from tables import Table
from timing import ITERATIONS, drawn

from thatch import CoverageProblem, PricedProblem, Run, propagate, solve
from thatch.solvers.belief_propagation.gpu_messages import (
    GpuMessages,
    GpuRepresentation,
)

# Iterations per measurement, and number of measurements.
_TIMES, _ROUNDS = 20, 5


def gpu_tables(sizes: Sequence[int], batches: Sequence[int]) -> Iterator[Table]:
    """Updates and solutions by size, then batches."""
    properties = cupy.cuda.runtime.getDeviceProperties(0)
    name = properties["name"].decode()
    updates, solutions = [], []
    for num_items in sizes:
        problem = drawn(num_items)
        updates.append(update_row(problem))
        solutions.append(solution_row(problem))
    yield Table(
        "gpu-updates",
        f"Messages on one {name}, ps per edge per iteration",
        ("items", "edges", "single", "double", "copying, single"),
        updates,
    )
    yield Table(
        "gpu-solutions",
        f"solve(problem, device='gpu') on one {name}, kernels compiled before",
        ("items", "seconds", "certified gap"),
        solutions,
    )
    yield Table(
        "gpu-batches",
        f"propagate on one {name}, {ITERATIONS} iterations, kernels compiled before",
        ("problems", "prices each", "seconds", "ps per edge per iteration"),
        [batch_row(size, prices) for prices in (MIDDLE, PRICES) for size in batches],
    )


def update_row(problem: CoverageProblem) -> tuple[str, ...]:
    figures = []
    for real in (np.float32, np.float64):
        priced = PricedProblem(
            problem, inverse_temperature=INVERSE_TEMPERATURE, price=PRICE
        )
        messages = GpuMessages(
            [priced], representation=GpuRepresentation(real, "LINEAR")
        )
        figures.append(picoseconds(lambda m=messages: m.iterate(DAMPING), problem))
        del messages
    # One message is read and written, and one index is read in each direction.
    source = cupy.ones(2 * problem.num_edges, dtype=np.float32)
    target = cupy.empty_like(source)
    figures.append(picoseconds(lambda: cupy.copyto(target, source), problem))
    return (
        f"{problem.num_items:,}",
        f"{problem.num_edges:,}",
        *(f"{figure:.1f}" for figure in figures),
    )


def picoseconds(do: Callable[[], None], problem: CoverageProblem) -> float:
    """Shortest time of a call per edge, by the clock of the device."""
    do()
    best = float("inf")
    for _ in range(_ROUNDS):
        began, ended = cupy.cuda.Event(), cupy.cuda.Event()
        began.record()
        for _ in range(_TIMES):
            do()
        ended.record()
        ended.synchronize()
        milliseconds = cupy.cuda.get_elapsed_time(began, ended) / _TIMES
        best = min(best, milliseconds)
    return best / problem.num_edges * 1e9


def solution_row(problem: CoverageProblem) -> tuple[str, ...]:
    solve(drawn(40_000), device="gpu")
    began = time.perf_counter()
    result = solve(problem, device="gpu")
    seconds = time.perf_counter() - began
    return f"{problem.num_items:,}", f"{seconds:.2f}", f"{result.gap:.3%}"


def batch_row(num_problems: int, prices: np.ndarray) -> tuple[str, ...]:
    problems = [TEXT_SIZED.problem(budget=100.0, seed=k) for k in range(num_problems)]
    priced_problems = [
        PricedProblem(each, price=float(price)) for each in problems for price in prices
    ]
    num_edges = sum(priced.problem.num_edges for priced in priced_problems)
    propagate(priced_problems[:2], run=Run(device="gpu"))
    began = time.perf_counter()
    propagate(priced_problems, max_iterations=ITERATIONS, run=Run(device="gpu"))
    seconds = time.perf_counter() - began
    return (
        f"{num_problems:,}",
        str(prices.size),
        f"{seconds:.3f}",
        f"{seconds / num_edges / ITERATIONS * 1e12:.1f}",
    )
