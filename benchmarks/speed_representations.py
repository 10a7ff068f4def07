"""One core: every implementation of the messages on the same graphs."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from message_representations import (
    REPRESENTATIONS,
    LeftOutError,
    Representation,
    Setting,
    Started,
    thatch_messages,
)
from tables import Table
from timing import ITERATIONS, best_in_turns, drawn, iterations_on

from thatch import CoverageProblem
from thatch.solvers.belief_propagation.representations import Logarithms, Products

# Marginals and ratios are compared at this number of items.
COMPARED = 1_000


@dataclass(frozen=True)
class Line:
    """Figures of one implementation by number of edges."""

    name: str
    num_edges: Sequence[int]
    figures: Sequence[float]


@dataclass(frozen=True)
class Representations:
    """Nanoseconds per edge per iteration, by size and implementation."""

    figures: Mapping[int, Mapping[str, float]]
    #: Largest difference of marginals from thatch's at one size, by implementation.
    differences: Mapping[str, float]
    left_out: Sequence[str]

    @classmethod
    def measured(cls, sizes: Sequence[int]) -> Representations:
        figures, differences, left_out = {}, {}, []
        for num_items in sizes:
            print(f"... {num_items:,} items", file=sys.stderr, flush=True)
            problem = drawn(num_items)
            with ExitStack() as stack:
                started, missing = started_representations(problem, stack)
                left_out += [line for line in missing if line not in left_out]
                best = best_in_turns([each.seconds for each in started.values()])
            updates = problem.num_edges * iterations_on(problem)
            figures[num_items] = {
                representation.name: seconds / updates * 1e9
                for representation, seconds in zip(started, best, strict=True)
            }
            if num_items == COMPARED:
                differences = {
                    representation.name: difference_from_thatch(
                        representation, each, problem
                    )
                    for representation, each in started.items()
                }
        return cls(figures, differences, left_out)

    def comparison(self) -> Table:
        figures = self.figures[COMPARED]
        own = figures[REPRESENTATIONS[0].name]
        rows = [
            (
                name,
                f"{figure:.1f}",
                f"{figure / own:.1f}",
                f"{self.differences[name]:.0e}",
            )
            for name, figure in figures.items()
        ]
        return Table(
            "comparison",
            f"{COMPARED:,} items, {9 * COMPARED:,} edges, {ITERATIONS} iterations",
            (
                "implementation",
                "ns per edge per iteration",
                "times thatch",
                "marginals differ by",
            ),
            rows,
        )

    def by_size(self) -> Table:
        rows = [
            (line.name, *(self._cell(size, line.name) for size in self.figures))
            for line in self.lines()
        ]
        return Table(
            "sizes",
            "ns per edge per iteration by number of items, one core",
            ("implementation", *(f"{size:,}" for size in self.figures)),
            rows,
        )

    def _cell(self, size: int, name: str) -> str:
        figure = self.figures[size].get(name)
        return "" if figure is None else f"{figure:.1f}"

    def lines(self) -> list[Line]:
        names = dict.fromkeys(name for found in self.figures.values() for name in found)
        return [Line(name, *self._points(name)) for name in names]

    def _points(self, name: str) -> tuple[list[int], list[float]]:
        sizes = [size for size, found in self.figures.items() if name in found]
        return [9 * n for n in sizes], [self.figures[n][name] for n in sizes]


def started_representations(
    problem: CoverageProblem, stack: ExitStack
) -> tuple[dict[Representation, Started], list[str]]:
    started, left_out = {}, []
    for representation in REPRESENTATIONS:
        if problem.num_items > representation.most_items:
            continue
        try:
            started[representation] = representation.start(
                setting_of(representation, problem)
            )
        except LeftOutError as reason:
            left_out.append(f"{representation.name}: {reason}")
        else:
            stack.callback(started[representation].close)
    return started, left_out


def setting_of(representation: Representation, problem: CoverageProblem) -> Setting:
    return Setting(problem, iterations_on(problem), representation.inverse_temperature)


def difference_from_thatch(
    representation: Representation, started: Started, problem: CoverageProblem
) -> float:
    """Largest difference of marginals from thatch's products.

    The products themselves, which come first, are compared with the logarithms.
    """
    kernel = Logarithms if representation is REPRESENTATIONS[0] else Products
    own = thatch_messages(kernel, setting_of(representation, problem))
    return float(np.abs(started.marginals - own.marginals).max())
