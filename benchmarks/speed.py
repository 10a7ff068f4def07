"""Measure the speed of message passing and of the solvers.

python benchmarks/speed.py [--quick] [--gpu] [--plots [DIR]] [--tables [FILE]]

Prints Markdown tables. Alternatives are measured in turns, round after round, and the
best round of each counts, because other programs may disturb some rounds. --quick
leaves out the largest graphs and takes a minute; everything takes about ten. --plots
draws the figures of docs/benchmarks.md, --tables writes the tables into it. --gpu
measures a GPU instead.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from speed_representations import Representations
from speed_scaling import (
    batches_measured,
    batches_table,
    memory_table,
    threads_measured,
    threads_table,
)
from tables import Table, write_into
from timing import NUM_CORES, best_in_turns, drawn

from thatch import BeliefPropagation, GeneralizedGreedy, Greedy, ThatchError, solve
from thatch.machine.devices import device_named
from thatch.solvers import StaticGreedy
from thatch.solvers.bounds import lp_bound, residual_bound

ROOT = Path(__file__).parents[1]
PACKAGES = ("numpy", "jax", "pgmax", "cupy-cuda12x", "cupy-cuda13x")
#: One message is read and written, and one index is read in each direction.
BYTES_PER_EDGE = {"double": 8 + 8 + 4 + 4, "single": 4 + 4 + 4 + 4}
LARGEST_FOR_LP = 1_000


@dataclass(frozen=True)
class Scope:
    """Sizes of a run, in items and in problems."""

    sizes: Sequence[int] = (100, 1_000, 10_000, 100_000, 1_000_000)
    largest: int = 1_000_000
    batches: Sequence[int] = (1, 10, 100, 1_000)
    grids: Sequence[int] = (1, 10)
    solved: Sequence[int] = (1_000, 100_000, 1_000_000)
    on_gpu: Sequence[int] = (100_000, 1_000_000, 10_000_000)


QUICK = Scope(
    sizes=(100, 1_000),
    largest=100_000,
    batches=(1, 10, 100),
    grids=(1,),
    solved=(1_000, 10_000),
    on_gpu=(100_000,),
)


def main() -> None:
    arguments = parsed()
    scope = QUICK if arguments.quick else Scope()
    print(f"{platform.machine()}, {NUM_CORES} cores, Python", end=" ")
    print(f"{platform.python_version()}, {', '.join(versions())}", flush=True)
    if arguments.gpu:
        require_gpu()
        from speed_gpu import gpu_tables

        tables = [shown(table) for table in gpu_tables(scope.on_gpu, scope.batches)]
        if arguments.tables:
            write_into(arguments.tables, tables)
        return
    bandwidth = copy_bandwidth()
    tables = [shown(machine_table(bandwidth))]
    representations = Representations.measured(scope.sizes)
    for line in representations.left_out:
        print(f"\nSkipped: {line}")
    tables += [shown(representations.comparison()), shown(representations.by_size())]
    problem = drawn(scope.largest)
    threads = threads_measured(problem)
    tables += [shown(threads_table(threads, problem)), shown(memory_table(problem))]
    batches = list(batches_measured(scope.batches, scope.grids))
    tables += [shown(batches_table(batches)), shown(solvers_table(scope.solved))]
    if arguments.tables:
        write_into(arguments.tables, tables)
    if arguments.plots:
        from speed_plots import draw_representations, draw_scaling

        floor = least_nanoseconds(bandwidth, "double")
        draw_representations(
            representations.lines(),
            floor,
            arguments.plots / "speed-representations.png",
        )
        draw_scaling(threads, batches, arguments.plots / "speed-scaling.png")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--quick", action="store_true", help="leave out the largest graphs"
    )
    parser.add_argument("--gpu", action="store_true", help="measure a GPU instead")
    for option, metavar, place, what in (
        ("--plots", "DIR", ROOT / "docs" / "images", "draw the figures into DIR"),
        (
            "--tables",
            "FILE",
            ROOT / "docs" / "benchmarks.md",
            "write the tables into FILE",
        ),
    ):
        parser.add_argument(
            option, nargs="?", type=Path, const=place, metavar=metavar, help=what
        )
    arguments = parser.parse_args()
    if arguments.quick and arguments.tables:
        parser.error(
            "--tables cannot be combined with --quick: the page shows all sizes."
        )
    if arguments.tables and not arguments.tables.is_file():
        parser.error(f"--tables: {arguments.tables} does not exist.")
    if arguments.plots:
        arguments.plots.mkdir(parents=True, exist_ok=True)
    return arguments


def require_gpu() -> None:
    try:
        device_named("gpu")
    except ThatchError as error:
        raise SystemExit(f"error: {error}") from None


def versions() -> Iterator[str]:
    for package in PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"no {package}"


def shown(table: Table) -> Table:
    print(f"\n{table.title}\n\n{table.markdown}", flush=True)
    return table


def copy_bandwidth() -> float:
    """Bytes per second, read and written, while one thread copies a large array."""
    source = np.ones(1 << 25)
    target = np.empty_like(source)

    def copy() -> float:
        began = time.perf_counter()
        np.copyto(target, source)
        return time.perf_counter() - began

    (seconds,) = best_in_turns([copy])
    return 2 * source.nbytes / seconds


def least_nanoseconds(bandwidth: float, precision: str) -> float:
    return BYTES_PER_EDGE[precision] / bandwidth * 1e9


def machine_table(bandwidth: float) -> Table:
    rows = [
        (
            precision,
            f"{bandwidth / 1e9:.1f}",
            str(BYTES_PER_EDGE[precision]),
            f"{least_nanoseconds(bandwidth, precision):.2f}",
        )
        for precision in BYTES_PER_EDGE
    ]
    return Table(
        "machine",
        "Limit set by memory bandwidth, one core",
        ("precision", "copy, GB/s", "bytes per edge", "ns per edge per iteration"),
        rows,
    )


def solvers_table(sizes: Sequence[int]) -> Table:
    header = ("items", "generate", "greedy", "ggreedy", "static", "bp")
    return Table(
        "solvers",
        f"Solvers on the same graphs, seconds, {NUM_CORES} cores",
        (*header, "residual bound", "LP bound"),
        [solver_row(num_items) for num_items in sizes],
    )


def solver_row(num_items: int) -> list[str]:
    began = time.perf_counter()
    problem = drawn(num_items)
    times = [time.perf_counter() - began]
    for solver in (Greedy(), GeneralizedGreedy(), StaticGreedy(), BeliefPropagation()):
        times.append(solve(problem, solver, num_threads=NUM_CORES).seconds)
    selection = solve(problem, StaticGreedy()).selection
    bounds = [lambda: residual_bound(problem, selection)]
    if num_items <= LARGEST_FOR_LP:
        bounds.append(lambda: lp_bound(problem))
    for bound in bounds:
        began = time.perf_counter()
        bound()
        times.append(time.perf_counter() - began)
    cells = [f"{seconds:.3g}" for seconds in times]
    return [f"{num_items:,}", *cells, *[""] * (len(bounds) == 1)]


if __name__ == "__main__":
    main()
