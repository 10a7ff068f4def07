"""What each field of `Effort` is worth, on a fixed set of problems.

Every number is halved and doubled, one at a time, and the same problems are solved and
covered again. The table says how the value, the bound and the time change, in percent,
so that the next person can retune a field with a measurement in hand:

    python benchmarks/effort.py                    # all fields: about half an hour
    python benchmarks/effort.py descent recombination   # those whose name contains one

No run has a time limit, so value and bound repeat on every machine; times do not.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from math import log
from statistics import fmean
from time import perf_counter
from typing import Any

from thatch import Auto, CoverageProblem, Effort, cover, solve
from thatch.problem.instances.designs import steiner_triples
from thatch.problem.instances.random_graphs import (
    BiregularGraph,
    GeometricGraph,
    PowerLawGraph,
)
from thatch.problem.instances.randomness import Constant


def biregular(num_items: int, *, budget: float) -> CoverageProblem:
    graph = BiregularGraph(num_items, 3 * num_items, item_degree=9, element_degree=3)
    return graph.problem(budget=budget, seed=0)


def problems_to_solve() -> list[CoverageProblem]:
    """Of every kind that differs, and too hard to prove at once."""
    unit = BiregularGraph(200, 200, 5, 5, costs=Constant(), weights=Constant())
    words = PowerLawGraph(num_items=1_000, num_elements=3_000, mean_item_degree=13)
    return [
        biregular(300, budget=300.0),
        unit.problem(budget=30.0, seed=0),
        words.problem(budget=200.0, seed=0),
        GeometricGraph(400, 800, radius=0.07).problem(budget=25.0, seed=0),
        steiner_triples(27, budget=9.0),
    ]


def problems_to_cover() -> list[CoverageProblem]:
    """Smaller ones: the cheapest cover is harder to prove."""
    words = PowerLawGraph(num_items=150, num_elements=500, mean_item_degree=13)
    return [
        biregular(60, budget=60.0),
        words.problem(budget=40.0, seed=0),
        GeometricGraph(150, 300, radius=0.1).problem(budget=12.0, seed=0),
    ]


@dataclass(frozen=True)
class Outcome:
    """What one effort reaches on all problems: means of logarithms, and seconds."""

    value: float
    bound: float
    cost: float
    cost_bound: float
    seconds: float


def outcome(effort: Effort) -> Outcome:
    """Solve and cover every problem with one effort."""
    began = perf_counter()
    solved = [
        solve(each, Auto(effort), num_threads=1, progress=False)
        for each in problems_to_solve()
    ]
    covers = [
        cover(each, share=0.9, effort=effort, progress=False)
        for each in problems_to_cover()
    ]
    return Outcome(
        fmean(log(each.selection.value) for each in solved),
        fmean(log(each.upper_bound) for each in solved),
        fmean(log(each.cost) for each in covers),
        fmean(log(max(each.lower_bound, 1e-9)) for each in covers),
        perf_counter() - began,
    )


def variants(record: Any, prefix: str = "") -> Iterator[tuple[str, str, Any]]:
    """Each field halved and doubled: its name, the change, and the changed record."""
    for field in fields(record):
        value, name = getattr(record, field.name), prefix + field.name
        if is_dataclass(value):
            for inner, change, changed in variants(value, f"{name}."):
                yield inner, change, replace(record, **{field.name: changed})
            continue
        for change, factor in (("half", 0.5), ("double", 2.0)):
            changed = {field.name: scaled(value, factor)}
            try:
                yield name, change, replace(record, **changed)
            except ValueError:
                continue  # half of it is below what the field allows


def scaled(value: Any, factor: float) -> Any:
    """A number, or each of several, times a factor; integers stay integers."""
    if isinstance(value, tuple):
        return tuple(scaled(each, factor) for each in value)
    return type(value)(value * factor)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="parts of the names of fields")
    wanted = parser.parse_args().names
    outcome(Effort())  # imports
    base = outcome(Effort())
    columns = ("field", "change", "value", "bound", "cost", "cost bound", "seconds")
    table = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    table.writerow(columns)
    for name, change, effort in variants(Effort()):
        if wanted and not any(part in name for part in wanted):
            continue
        found = outcome(effort)
        table.writerow(
            [
                name,
                change,
                f"{100 * (found.value - base.value):+.4f} %",
                f"{100 * (found.bound - base.bound):+.4f} %",
                f"{100 * (found.cost - base.cost):+.4f} %",
                f"{100 * (found.cost_bound - base.cost_bound):+.4f} %",
                f"{100 * (found.seconds / base.seconds - 1):+.0f} %",
            ]
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
