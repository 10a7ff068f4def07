"""One problem too large to be drawn on a processor: drawn and solved on a GPU.

Run it as ``python benchmarks/large_gpu.py 100_000_000``: biregular graphs of item
degree 9 and element degree 3, as in the paper's Fig. 2. It prints how long each part
took: the graph, its copy in the memory of the processor, and the solution.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cupy
import numpy as np

from thatch import CoverageProblem, solve
from thatch.arrays import frozen
from thatch.problem.edges import Edges

_ITEM_DEGREE, _ELEMENT_DEGREE = 9, 3
_LARGEST_NUMBER = 10
# Parts of a solution, by the function that is called once for each.
_PARTS = {
    "copy to the device": ("gpu.py", "of"),
    "messages and rounding": ("algorithm.py", "_solved"),
    "start of the descent": ("dual_descent.py", "__init__"),
    "descent": ("dual_descent.py", "iterate"),
    "certificate": ("dual_bounds.py", "at"),
    "check of the selection": ("solving.py", "_checked"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("num_items", type=int, nargs="?", default=100_000_000)
    parser.add_argument("--profile", action="store_true", help="show every function")
    options = parser.parse_args()
    # Kernels are compiled before anything is timed.
    solve(drawn(1_000_000, seed=0), device="gpu", progress=False)
    problem = drawn(options.num_items, seed=1)
    with timed("solve"), cProfile.Profile() as profile:
        result = solve(problem, device="gpu", progress=False)
    stats = pstats.Stats(profile)
    for part, (file, function) in _PARTS.items():
        print(f"  {part}: {seconds_in(stats, file, function):.2f} s", flush=True)
    print(f"{result}, value {result.selection.value:.0f}, gap {result.gap:.4%}")
    used = cupy.get_default_memory_pool().total_bytes()
    print(f"memory of the device: {used / 1e9:.1f} GB", flush=True)
    if options.profile:
        stats.sort_stats("tottime").print_stats(40)


@contextmanager
def timed(part: str) -> Iterator[None]:
    began = time.perf_counter()
    yield
    cupy.cuda.Device().synchronize()
    print(f"{part}: {time.perf_counter() - began:.2f} s", flush=True)


def seconds_in(stats: Any, file: str, function: str) -> float:
    times: dict[tuple[str, int, str], tuple[Any, ...]] = stats.stats
    return sum(
        entry[3]
        for (path, _, name), entry in times.items()
        if path.endswith(f"/{file}") and name == function
    )


def drawn(num_items: int, *, seed: int) -> CoverageProblem:
    rng = cupy.random.default_rng(seed)
    num_elements = num_items * _ITEM_DEGREE // _ELEMENT_DEGREE
    with timed(f"graph of {num_items:,} items, drawn on the device"):
        item_elements = biregular_elements(num_items, num_elements, rng)
        # Edges are numbered by element, and by item within an element.
        order = cupy.argsort(item_elements).astype(np.int32)
        item_edges = cupy.empty_like(order)
        item_edges[order] = cupy.arange(order.size, dtype=np.int32)
        element_items = order // np.int32(_ITEM_DEGREE)
    with timed("copied to the processor"):
        edges = Edges(
            frozen(np.arange(0, order.size + 1, _ITEM_DEGREE)),
            frozen(item_elements.get()),
            frozen(item_edges.get()),
            frozen(np.arange(0, order.size + 1, _ELEMENT_DEGREE)),
            frozen(element_items.get()),
        )
        costs, weights = (
            rng.integers(1, _LARGEST_NUMBER + 1, size, dtype=np.int32)
            .astype(np.float64)
            .get()
            for size in (num_items, num_elements)
        )
    del item_elements, order, item_edges, element_items
    cupy.get_default_memory_pool().free_all_blocks()
    with timed("problem"):
        return CoverageProblem(frozen(costs), frozen(weights), float(num_items), edges)


def biregular_elements(num_items: int, num_elements: int, rng: Any) -> Any:
    """Elements of each item, ascending, as one array on the device.

    Edge ends are joined at random. Few are repeated: they are exchanged with random
    others until none is.
    """
    num_edges = num_items * _ITEM_DEGREE
    ends = cupy.argsort(rng.random(num_edges))
    elements = (ends // _ELEMENT_DEGREE).astype(np.int64)
    del ends
    items = cupy.repeat(cupy.arange(num_items), _ITEM_DEGREE)
    cells = items * num_elements + elements
    while True:
        cells.sort()
        repeats = cupy.flatnonzero(cells[1:] == cells[:-1])
        if repeats.size == 0:
            return (cells % num_elements).astype(np.int32)
        for one in repeats.tolist():
            other = int(rng.integers(0, num_edges, 1, dtype=np.int64)[0])
            moved = cells[other] % num_elements - cells[one] % num_elements
            cells[one] += moved
            cells[other] -= moved


if __name__ == "__main__":
    main()
