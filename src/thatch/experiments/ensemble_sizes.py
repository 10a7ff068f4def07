"""Belief propagation on graphs of growing size, beside the limit of an infinite one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np

from thatch.arrays import Floats
from thatch.ensembles import EnsembleAverages, ensemble_averages
from thatch.experiments.ensemble_phases import BUDGET, ENSEMBLE
from thatch.experiments.means import standard_error
from thatch.experiments.tables import write_rows
from thatch.instances.random_graphs import BiregularGraph
from thatch.plot.drawing import save
from thatch.plot.sizes import Scatter, draw_sizes
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.run import Run
from thatch.solvers.belief_propagation import PricedProblem, propagate
from thatch.solvers.greedy import round_by_rank

#: Inverse temperatures and prices at which messages of large graphs converge.
POINTS = ((0.1, 10.0), (0.3, 5.0), (1.0, 5.0), (3.0, 8.0))
#: Items of a graph, and how many graphs of that size.
SIZES = ((1_000, 100), (10_000, 20), (100_000, 12), (1_000_000, 2))
#: What is compared, per item.
QUANTITIES = ("claimed_weight", "cost", "free_energy", "entropy", "rounded_weight")
# Scaled messages that change by less than this have converged.
_CONVERGED = 1e-6


@dataclass(frozen=True)
class SizeRow:
    """Means over graphs of one size, per item; an infinite size is the population."""

    inverse_temperature: float
    price: float
    num_items: float
    num_graphs: int
    #: Share of the graphs on which the messages converged.
    converged: float
    claimed_weight: float
    claimed_weight_error: float
    cost: float
    cost_error: float
    free_energy: float
    free_energy_error: float
    entropy: float
    entropy_error: float
    #: Weight that Algorithm 2 covers within the budget.
    rounded_weight: float
    rounded_weight_error: float

    def distance(self, other: SizeRow, name: str) -> tuple[float, float]:
        """Difference of a quantity in standard errors, and relative to the other."""
        difference = getattr(self, name) - getattr(other, name)
        errors = [getattr(row, f"{name}_error") for row in (self, other)]
        return difference / float(np.hypot(*errors)), difference / getattr(other, name)


@dataclass(frozen=True)
class SizeTable:
    """One row per point and size."""

    rows: tuple[SizeRow, ...]

    @property
    def findings(self) -> list[str]:
        """How far the rows are from the population, in words."""
        lines = []
        for row, limit in self.compared:
            distances = ", ".join(
                "{} {:.1f} s.e. ({:+.3%})".format(name, *row.distance(limit, name))
                for name in QUANTITIES
            )
            lines.append(
                f"{row.num_items:g} items, inverse temperature "
                f"{row.inverse_temperature:g}, price {row.price:g}, "
                f"{row.converged:.0%} converged: {distances}."
            )
        return lines

    @property
    def compared(self) -> list[tuple[SizeRow, SizeRow]]:
        """The rows of graphs, each with that of the population."""
        limits = {
            (row.inverse_temperature, row.price): row
            for row in self.rows
            if row.num_items == inf
        }
        return [
            (row, limits[row.inverse_temperature, row.price])
            for row in self.rows
            if row.num_items < inf
        ]

    def write_csv(self, path: str | Path) -> None:
        """Save the rows, one per line."""
        write_rows(path, self.rows)

    def write_picture(self, path: str | Path) -> None:
        """Draw the distance of each quantity from the population."""
        points: dict[str, list[tuple[SizeRow, SizeRow]]] = {}
        for row, limit in self.compared:
            label = rf"$\beta = {row.inverse_temperature:g}$, $\mu = {row.price:g}$"
            points.setdefault(label, []).append((row, limit))
        panels = {
            name.replace("_", " "): [
                Scatter(
                    label,
                    [row.num_items for row, _ in pairs],
                    [100 * row.distance(limit, name)[1] for row, limit in pairs],
                    [100 * _relative_error(row, limit, name) for row, limit in pairs],
                )
                for label, pairs in points.items()
            ]
            for name in QUANTITIES[:-1]
        }
        save(draw_sizes(panels), path)


@dataclass(frozen=True)
class SizeExperiment:
    """The settings of the comparison.

    >>> table = SizeExperiment(
    ...     points=((0.3, 5.0),), sizes=((100, 20),), num_items=2000, num_sweeps=60
    ... ).run()
    >>> [row.num_items for row in table.rows]
    [inf, 100]
    """

    points: tuple[tuple[float, float], ...] = POINTS
    sizes: tuple[tuple[int, int], ...] = SIZES
    #: Items and sweeps of the population.
    num_items: int = 100_000
    num_sweeps: int = 200
    max_iterations: int = 200
    seed: int = 0
    num_threads: int = 1

    @property
    def num_rows(self) -> int:
        """Rows of the table."""
        return len(self.points) * (1 + len(self.sizes))

    def run(
        self, *, on_progress: Callable[[int], None] = lambda rows: None
    ) -> SizeTable:
        """Run the experiment; after each row, `on_progress` gets a 1."""
        rows = []
        for inverse_temperature, price in self.points:
            limit = ensemble_averages(
                ENSEMBLE,
                inverse_temperature=inverse_temperature,
                price=price,
                budget=BUDGET,
                num_items=self.num_items,
                num_sweeps=self.num_sweeps,
                seed=self.seed,
                num_threads=self.num_threads,
            )
            rows.append(_limit_row(limit))
            on_progress(1)
            for num_items, num_graphs in self.sizes:
                graphs = [
                    self._solved(num_items, seed, inverse_temperature, price)
                    for seed in range(self.seed, self.seed + num_graphs)
                ]
                rows.append(_row(limit, num_items, graphs))
                on_progress(1)
        return SizeTable(tuple(rows))

    def _solved(
        self, num_items: int, seed: int, inverse_temperature: float, price: float
    ) -> Floats:
        """The quantities of one graph, and whether its messages converged."""
        problem = paper_problem(num_items, seed)
        priced = PricedProblem(
            problem, inverse_temperature=inverse_temperature, price=price
        )
        run = Run(num_threads=self.num_threads)
        (found,) = propagate([priced], max_iterations=self.max_iterations, run=run)
        claimed = float(problem.weights @ found.element_marginals)
        rounded = round_by_rank(problem, found.item_replies).value
        per_item = np.array(
            [claimed, found.expected_cost, found.free_energy, found.entropy, rounded]
        )
        has_converged = found.largest_change * inverse_temperature < _CONVERGED
        return np.append(per_item / num_items, float(has_converged))


def paper_problem(num_items: int, seed: int) -> CoverageProblem:
    """A problem of the ensemble of the paper, at a budget of one per item."""
    graph = BiregularGraph(
        num_items=num_items,
        num_elements=3 * num_items,
        item_degree=9,
        element_degree=3,
        costs=ENSEMBLE.costs,
        weights=ENSEMBLE.weights,
    )
    return graph.problem(budget=BUDGET * num_items, seed=seed)


def _relative_error(row: SizeRow, limit: SizeRow, name: str) -> float:
    """Standard error of the difference of two rows, relative to the second."""
    errors = [getattr(each, f"{name}_error") for each in (row, limit)]
    return float(np.hypot(*errors) / abs(getattr(limit, name)))


def _limit_row(limit: EnsembleAverages) -> SizeRow:
    estimates = [getattr(limit, name) for name in QUANTITIES]
    numbers = [x for each in estimates for x in (each.mean, each.error)]
    return SizeRow(limit.inverse_temperature, limit.price, inf, 1, 1.0, *numbers)


def _row(limit: EnsembleAverages, num_items: int, graphs: Sequence[Floats]) -> SizeRow:
    columns = np.array(graphs).T
    numbers = [
        x
        for column in columns[:-1]
        for x in (float(column.mean()), standard_error(column))
    ]
    return SizeRow(
        limit.inverse_temperature,
        limit.price,
        num_items,
        len(graphs),
        float(columns[-1].mean()),
        *numbers,
    )
