"""Speed of the kernels and solvers, side by side in one run.

python benchmarks/speed.py [--quick]
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from thatch import (
    BeliefPropagation,
    CoverageProblem,
    GeneralizedGreedy,
    Greedy,
    StaticGreedy,
    lp_bound,
    residual_bound,
    solve,
)
from thatch.instances.random_graphs import BiregularGraph
from thatch.solvers.belief_propagation import Messages, Part

INVERSE_TEMPERATURE, PRICE, DAMPING = 3.0, 5.0, 0.5
# Weights this heavy make the messages take the logarithmic form.
HEAVY = 200.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out the largest")
    sizes = (100, 1_000, 100_000, 1_000_000)
    sizes = sizes[:2] if parser.parse_args().quick else sizes
    print(f"{platform.machine()}, {os.cpu_count()} cores")
    print(f"Python {platform.python_version()}, NumPy {np.__version__}\n")
    print("Message passing on biregular graphs (9, 3), ns an edge an iteration")
    rows = [message_row(num_items) for num_items in sizes]
    table(("items", "products", "logarithms", "NumPy", "ratio", "two threads"), rows)
    print("\nSolvers on the same graphs, seconds")
    table(
        ("items", "generate", "greedy", "ggreedy", "static", "bp", "residual bound"),
        [solver_row(num_items) for num_items in sizes],
    )
    print("\nLP bound, seconds")
    table(("items", "lp"), [lp_row(num_items) for num_items in (100, 1_000)])


def drawn(num_items: int) -> CoverageProblem:
    graph = BiregularGraph(num_items, 3 * num_items, item_degree=9, element_degree=3)
    return graph.problem(budget=float(num_items), seed=0)


def message_row(num_items: int) -> list[str]:
    problem = drawn(num_items)
    products = nanoseconds(problem, num_threads=1)
    heavy = replace(
        problem, weights=problem.weights * HEAVY, costs=problem.costs * HEAVY
    )
    logarithms = nanoseconds(heavy, num_threads=1)
    plain = nanoseconds_of(numpy_iteration(problem), problem.num_edges)
    threads = nanoseconds(problem, num_threads=2)
    return [
        f"{num_items:,}",
        f"{products:.1f}",
        f"{logarithms:.1f}",
        f"{plain:.1f}",
        f"{logarithms / products:.1f}",
        f"{threads:.1f}",
    ]


def nanoseconds(problem: CoverageProblem, *, num_threads: int) -> float:
    part = Part(problem, inverse_temperature=INVERSE_TEMPERATURE, price=PRICE)
    form = Messages.suitable_form(part)
    messages = Messages([part], form=form, num_threads=num_threads)
    return nanoseconds_of(lambda: messages.iterate(DAMPING), problem.num_edges)


def nanoseconds_of(iterate: Callable[[], None], num_edges: int) -> float:
    """Best of five blocks of iterations, each about a fifth of a second."""
    iterate()
    began = time.perf_counter()
    iterate()
    repeats = max(1, int(0.2 / (time.perf_counter() - began)))
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(repeats):
            iterate()
        best = min(best, (time.perf_counter() - began) / repeats)
    return best / num_edges * 1e9


def numpy_iteration(problem: CoverageProblem) -> Callable[[], None]:
    """The logarithmic form as one would write it with whole-array operations."""
    edges = problem.edges
    element_of = np.repeat(np.arange(problem.num_elements), edges.element_degrees)
    scaled_weights = INVERSE_TEMPERATURE * problem.weights
    log_unclaimed = -np.logaddexp(0.0, scaled_weights)
    state = {"h_hat": np.zeros(problem.num_edges)}

    def iterate() -> None:
        h_hat = state["h_hat"]
        h_i = np.bincount(edges.element_items, h_hat, minlength=problem.num_items)
        h_i -= PRICE * problem.costs
        off = np.logaddexp(
            0.0, INVERSE_TEMPERATURE * (h_i[edges.element_items] - h_hat)
        )
        all_off = np.bincount(element_of, off, minlength=problem.num_elements)
        log_p = np.minimum(off - all_off[element_of], -1e-300)
        fresh = np.logaddexp(
            np.log(-np.expm1(log_p)), log_p + log_unclaimed[element_of]
        )
        state["h_hat"] = DAMPING * h_hat - (1 - DAMPING) * fresh / INVERSE_TEMPERATURE

    return iterate


def solver_row(num_items: int) -> list[str]:
    began = time.perf_counter()
    problem = drawn(num_items)
    times = [time.perf_counter() - began]
    for solver in (Greedy(), GeneralizedGreedy(), StaticGreedy(), BeliefPropagation()):
        times.append(solve(problem, solver).seconds)
    selection = solve(problem, StaticGreedy()).selection
    began = time.perf_counter()
    residual_bound(problem, selection)
    times.append(time.perf_counter() - began)
    return [f"{num_items:,}", *(f"{seconds:.4f}" for seconds in times)]


def lp_row(num_items: int) -> list[str]:
    problem = drawn(num_items)
    began = time.perf_counter()
    lp_bound(problem)
    return [f"{num_items:,}", f"{time.perf_counter() - began:.3f}"]


def table(header: Iterable[str], rows: Iterable[list[str]]) -> None:
    lines = [list(header), *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    for line in lines:
        print(
            "  ".join(
                f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)
            )
        )


if __name__ == "__main__":
    main()
