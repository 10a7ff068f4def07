"""Compare the quality of every solver and of other packages at equal time.

python benchmarks/quality.py [FILES...] [--seconds 10] [--instances fig2 power-law]
                             [--only auto highs cp-sat]

Every method gets the same problem, one thread and the same time, which includes
building its model. thatch computes the value of every selection, whichever package
chose it; a gap is the share of the method's own bound that may be missing. Other
packages run in separate processes (`peers.py`), which are killed if they take far
longer.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from thatch import CoverageProblem, InputError, Selection, read_instance, solve
from thatch.devices import num_cores
from thatch.instances.random_graphs import BiregularGraph, PowerLawGraph
from thatch.solvers.registry import BUILT_IN, solver_named

COLUMNS = ("instance", "solver", "value", "bound", "gap", "seconds")
PACKAGES = ("thatch", "numpy", "scipy", "highspy", "ortools", "apricot-select")
PEERS = Path(__file__).with_name("peers.py")
PEER_NAMES = ("highs", "scipy-milp", "cp-sat", "cp-sat-relaxed", "apricot")


class LeftOutError(Exception):
    """A method does not apply, or is not installed."""


@dataclass(frozen=True)
class Answer:
    """Items that a method chose, and its upper bound, if it has one."""

    items: np.ndarray
    seconds: float
    bound: float = math.nan


#: Takes a problem and a time limit in seconds.
Method = Callable[[CoverageProblem, float], Answer]


def main() -> None:
    arguments = parsed()
    print(f"{platform.machine()}, {num_cores()} cores, one thread per method,", end=" ")
    print(f"{arguments.seconds:g} seconds per instance")
    print(f"Python {platform.python_version()}, {', '.join(versions())}\n")
    print(f"| {' | '.join(COLUMNS)} |")
    print("|---|---|" + "---:|" * (len(COLUMNS) - 2))
    left_out = []
    for name, problem in chosen_instances(arguments):
        for method_name in arguments.only or METHODS:
            try:
                answer = METHODS[method_name](problem, arguments.seconds)
            except LeftOutError as reason:
                left_out.append(f"{method_name} on {name}: {reason}")
            else:
                cells = (name, method_name, *cells_of(problem, answer))
                print(f"| {' | '.join(cells)} |", flush=True)
    if left_out:
        print("\nSkipped:\n")
    for line in left_out:
        print(f"- {line}")


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", type=Path, help="instances to add")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each method")
    parser.add_argument("--instances", nargs="*", choices=INSTANCES, metavar="KIND")
    parser.add_argument("--only", nargs="+", choices=METHODS, metavar="SOLVER")
    parser.add_argument("--budget", type=float, help="for all files")
    parser.add_argument("--unit-costs", action="store_true", help="for all files")
    return parser.parse_args()


def versions() -> Iterator[str]:
    for package in PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"no {package}"


def cells_of(problem: CoverageProblem, answer: Answer) -> Iterator[str]:
    selection = Selection.of(problem, answer.items)
    bound, seconds = answer.bound, f"{answer.seconds:.2f}"
    if not selection.is_feasible:
        yield from ("over the budget", shown(bound), "", seconds)
        return
    missing = max(0.0, bound - selection.value)
    gap = f"{missing / bound:.3%}" if 0 < bound < math.inf else ""
    yield from (shown(selection.value), shown(bound), gap, seconds)


def shown(number: float) -> str:
    if not math.isfinite(number):
        return ""
    is_whole = abs(number - round(number)) < 1e-6
    return f"{number:,.0f}" if is_whole else f"{number:,.2f}"


def chosen_instances(
    arguments: argparse.Namespace,
) -> Iterator[tuple[str, CoverageProblem]]:
    """The kinds given, or all if there are no files; then the files."""
    default = () if arguments.files else INSTANCES
    for kind in default if arguments.instances is None else arguments.instances:
        yield kind, INSTANCES[kind]()
    for path in arguments.files:
        problem = read_instance(
            path, budget=arguments.budget, unit_costs=arguments.unit_costs
        )
        yield path.stem, problem


def biregular(num_items: int) -> CoverageProblem:
    graph = BiregularGraph(num_items, 3 * num_items, item_degree=9, element_degree=3)
    return graph.problem(budget=float(num_items), seed=0)


def power_law() -> CoverageProblem:
    """About the size of a news cluster: 600 sentences."""
    graph = PowerLawGraph(num_items=600, num_elements=2_000, mean_item_degree=13)
    return graph.problem(budget=100.0, seed=0)


def unweighted() -> CoverageProblem:
    graph = PowerLawGraph(num_items=2_000, num_elements=6_000, mean_item_degree=10)
    problem = graph.problem(budget=100.0, seed=0)
    ones = np.ones(problem.num_elements)
    return replace(problem.with_costs(np.ones(problem.num_items)), weights=ones)


INSTANCES: dict[str, Callable[[], CoverageProblem]] = {
    "fig2": partial(biregular, 100),
    "power-law": power_law,
    "unweighted": unweighted,
    "biregular-10k": partial(biregular, 10_000),
    "biregular-100k": partial(biregular, 100_000),
}


def ours(name: str) -> Method:
    def run(problem: CoverageProblem, seconds: float) -> Answer:
        solver = solver_named(name)
        try:
            result = solve(problem, solver, max_seconds=seconds, num_threads=1)
        except InputError as error:
            raise LeftOutError(error.message) from error
        return Answer(result.selection.items, result.seconds, result.upper_bound)

    return run


def peer(name: str) -> Method:
    """Return another package's method, in a process that has not loaded thatch."""

    def run(problem: CoverageProblem, seconds: float) -> Answer:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "problem.npz"
            write_arrays(problem, path)
            command = [sys.executable, PEERS, name, path, f"{seconds:g}"]
            try:
                # Extra time to start, and for methods that rarely check the clock.
                output = subprocess.run(
                    list(map(str, command)),
                    check=True,
                    capture_output=True,
                    text=True,
                    timeout=2 * seconds + 30,
                ).stdout
            except subprocess.TimeoutExpired:
                raise LeftOutError("it exceeded the time limit by far.") from None
            except subprocess.CalledProcessError as error:
                reason = error.stderr.strip().splitlines()[-1:]
                raise LeftOutError("".join(reason) or "it failed.") from error
        found = json.loads(output.splitlines()[-1])
        items = np.array(found["items"], dtype=np.int64)
        return Answer(items, found["seconds"], found["bound"])

    return run


def write_arrays(problem: CoverageProblem, path: Path) -> None:
    np.savez(
        path,
        costs=problem.costs,
        weights=problem.weights,
        budget=problem.budget,
        element_start=problem.edges.element_start,
        element_items=problem.edges.element_items,
    )


METHODS: dict[str, Method] = {
    **{name: ours(name) for name in BUILT_IN},
    **{name: peer(name) for name in PEER_NAMES},
}


if __name__ == "__main__":
    main()
