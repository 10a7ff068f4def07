"""Compare the quality of every solver and of other packages at equal time.

python benchmarks/quality.py [FILE[:BUDGET]...] [--instances FAMILY_OR_NAME...]
    [--only METHOD...] [--seconds 10] [--seeds 1 2 3] [--threads 1] [--data FOLDER]
    [--pace FOLDER] [--sites FOLDER] [--root PATH] [--cft PATH]
    [--plain-searches FOLDER] [--json FILE] [--redraw] [--plot FILE]
    [--family-plot FILE] [--tables DOCUMENT...]

Every method gets the same problem, the same number of cores and the same time, which
includes building its model. thatch computes the value of every selection, whichever
package chose it; a gap is the share of the method's own bound that may be missing. Of
covers, the value is the cost: the cheapest cover is the best. They are checked without
thatch, and bounds of thatch by their certificates.
Every method runs in a process of its own, which is killed if it takes far longer.

With --json, results are kept in a file, and what it contains is not measured again; so
a long comparison can be made in several runs, also with different limits: of each
instance, the longest counts. --redraw measures nothing.
"""

from __future__ import annotations

import argparse
import math
import platform
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from quality_downloads import DOWNLOADED, DOWNLOADS, downloaded_cases
from quality_instances import (
    FAMILIES,
    INSTANCES,
    Case,
    cases_of_tables,
    drawn_cases,
    file_case,
)
from quality_methods import (
    METHODS,
    LeftOutError,
    Limits,
    Sources,
    found_by,
    write_arrays,
)
from quality_results import (
    Outcome,
    Results,
    family_table,
    instance_table,
    ordered,
    rival_table,
    shown,
)
from tables import Table, write_into

from thatch.machine.devices import num_cores

COLUMNS = ("instance", "method", "seed", "value", "bound", "gap", "seconds")
PACKAGES = ("thatch", "numpy", "scipy", "highspy", "ortools", "apricot-select")
#: Measured if nothing is named.
DEFAULT_FAMILY = "sparse"


def main() -> None:
    arguments = parsed()
    results = Results(arguments.json)
    left_out: list[str] = []
    if not arguments.redraw:
        print_machine(arguments)
        with tempfile.TemporaryDirectory() as folder:
            for case in chosen_cases(arguments):
                left_out += measure(case, arguments, results, Path(folder))
    if left_out:
        print("\nSkipped:\n")
    for line in ordered(left_out):
        print(f"- {line}")
    present(chosen_outcomes(results, arguments), arguments)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE[:BUDGET]", help="instances to add")
    add("--seconds", type=float, default=10.0, help="for each method")
    add("--seeds", type=int, nargs="+", default=[1], help="one run per seed")
    add("--threads", type=int, default=1, help="cores for each method")
    names = (*FAMILIES, *DOWNLOADS, *INSTANCES, *DOWNLOADED)
    add("--instances", nargs="*", choices=names, metavar="FAMILY_OR_NAME")
    add("--only", nargs="+", choices=METHODS, metavar="METHOD")
    add("--unit-costs", action="store_true", help="for all files")
    add("--radius", type=float, help="for city files, in meters")
    add("--data", type=Path, help="folder of the families city and partial-cover")
    add("--pace", type=Path, help="folder of the instances of PACE 2025")
    add("--sites", type=Path, help="folder of the families bds and bds-1000")
    add("--root", type=Path, help="source code of Root's solver, or its program")
    add("--cft", type=Path, help="source code of AC-CFT, or its program")
    add("--plain-searches", type=Path, help="folder of the two programs in C++")
    add("--json", type=Path, help="keeps results; those it contains are not repeated")
    add("--redraw", action="store_true", help="measure nothing")
    add("--plot", type=Path, help="draw values over time")
    add("--family-plot", type=Path, help="draw values and bounds over time, by family")
    add("--panels", nargs="+", help="the instances to draw; default: all")
    add("--tables", type=Path, nargs="+", default=[], help="documents to write into")
    return parser.parse_args()


def print_machine(arguments: argparse.Namespace) -> None:
    cores = f"{num_cores()} cores, {arguments.threads} for each method"
    print(f"{platform.machine()}, {cores}, {arguments.seconds:g} seconds per instance")
    print(f"Python {platform.python_version()}, {', '.join(versions())}\n")
    print(f"| {' | '.join(COLUMNS)} |")
    print("|---|---|" + "---:|" * (len(COLUMNS) - 2))


def versions() -> Iterator[str]:
    for package in PACKAGES:
        try:
            yield f"{package} {version(package)}"
        except PackageNotFoundError:
            yield f"no {package}"


def chosen_cases(arguments: argparse.Namespace) -> Iterator[Case]:
    """The instances named, or the default if there are no files; then the files."""
    default = [] if arguments.files else [DEFAULT_FAMILY]
    named = arguments.instances
    names = set(default if named is None else named)
    yield from drawn_cases(names)
    yield from cases_of_tables(names, arguments.data)
    yield from downloaded_cases(names, pace=arguments.pace, sites=arguments.sites)
    for file in arguments.files:
        yield file_case(file, radius=arguments.radius, unit_costs=arguments.unit_costs)


def measure(
    case: Case, arguments: argparse.Namespace, results: Results, folder: Path
) -> Iterator[str]:
    """Run every method with every seed; return why some were skipped."""
    limits = Limits(arguments.seconds, arguments.threads)
    sources = Sources(
        arguments.cft, arguments.plain_searches, arguments.root, build=folder
    )
    pending = [
        (method, seed)
        for method in arguments.only or METHODS
        for seed in arguments.seeds
        if not results.has((case.name, method, seed, limits.seconds, limits.threads))
    ]
    if not pending:
        return
    try:
        problem = case.build()
    except LeftOutError as reason:
        yield f"{case.name} {reason}"
        return
    path = folder / "problem.npz"
    write_arrays(problem, path, is_cover=case.is_cover)
    skipped: set[str] = set()
    for method, seed in pending:
        if method in skipped:
            continue
        try:
            found = found_by(
                method, problem, path, limits=limits, seed=seed, sources=sources
            )
        except LeftOutError as reason:
            # Another seed would not change it.
            skipped.add(method)
            yield f"{method} on {case.name}: {reason}"
            continue
        outcome = Outcome(
            instance=case.name,
            family=case.family,
            method=method,
            seed=seed,
            max_seconds=limits.seconds,
            threads=limits.threads,
            best_known=case.best_known,
            target=case.target,
            is_cover=case.is_cover,
            **vars(found),
        )
        results.add(outcome)
        print(f"| {' | '.join(cells_of(outcome))} |", flush=True)


def cells_of(outcome: Outcome) -> Iterator[str]:
    yield from (outcome.instance, outcome.method, str(outcome.seed))
    yield from (shown(outcome.value), shown(outcome.bound))
    yield "" if math.isnan(outcome.gap) else f"{outcome.gap:.3%}"
    yield f"{outcome.seconds:.2f}"


def chosen_outcomes(results: Results, arguments: argparse.Namespace) -> list[Outcome]:
    """The outcomes of these methods, in their order; of each instance, one limit."""
    order = list(arguments.only or METHODS)
    chosen = [
        outcome
        for outcome in results.outcomes
        if outcome.threads == arguments.threads and outcome.method in order
    ]
    longest: dict[str, float] = {}
    for outcome in chosen:
        known = longest.get(outcome.instance, 0.0)
        longest[outcome.instance] = max(known, outcome.max_seconds)
    chosen = [
        outcome
        for outcome in chosen
        if outcome.max_seconds == longest[outcome.instance]
    ]
    return sorted(chosen, key=lambda outcome: order.index(outcome.method))


def present(outcomes: Sequence[Outcome], arguments: argparse.Namespace) -> None:
    """Print both tables, write them into documents, and draw the plot."""
    if not outcomes:
        return
    tables = (
        family_table(outcomes),
        rival_table(outcomes),
        instance_table(outcomes),
    )
    for table in tables:
        print(f"\n{table.title}\n\n{table.markdown}")
    for document in arguments.tables:
        write_into(document, marked(tables, document))
    if arguments.plot is not None:
        from quality_plots import draw_over_time

        shown_ones = [
            outcome
            for outcome in outcomes
            if arguments.panels is None or outcome.instance in arguments.panels
        ]
        draw_over_time(shown_ones, arguments.plot)
    if arguments.family_plot is not None:
        from quality_plots import draw_families

        draw_families(outcomes, arguments.family_plot)


def marked(tables: Sequence[Table], document: Path) -> Iterator[Table]:
    """Those tables for which the document has a place."""
    text = document.read_text(encoding="utf-8")
    for table in tables:
        if f"<!-- table: {table.name} -->" in text:
            yield table


if __name__ == "__main__":
    main()
