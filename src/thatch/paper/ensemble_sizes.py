"""Belief propagation on graphs of growing size, beside the limit of an infinite one."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path

import numpy as np

from thatch.arrays import Floats
from thatch.paper.ensemble_phases import BUDGET, ENSEMBLE, PopulationExperiment
from thatch.paper.ensembles import EnsembleAverages
from thatch.paper.experiment import (
    OnProgress,
    Table,
    graph_seeds,
    ignore,
    standard_error,
)
from thatch.paper.figures.sizes import Scatter, draw_sizes
from thatch.plot.drawing import save
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.belief_propagation.message_passing import MessagePassing
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.greedy import round_by_rank

#: Inverse temperatures and prices at which messages of large graphs converge.
POINTS = ((0.1, 10.0), (0.3, 5.0), (1.0, 5.0), (3.0, 8.0))
#: Items of a graph, and how many graphs of that size.
SIZES = ((1_000, 400), (10_000, 100), (100_000, 60), (1_000_000, 6))
#: What is compared, per item.
QUANTITIES = ("claimed_weight", "cost", "free_energy", "entropy", "rounded_weight")
_TITLES = {"cost": "expected cost"}


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
class SizeTable(Table[SizeRow]):
    """One row per point and size."""

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

    def write_picture(self, path: str | Path) -> None:
        """Draw the distance of each quantity from the population."""
        points: dict[str, list[tuple[SizeRow, SizeRow]]] = {}
        for row, limit in self.compared:
            label = rf"$\beta = {row.inverse_temperature:g}$, $\mu = {row.price:g}$"
            points.setdefault(label, []).append((row, limit))
        panels = {
            _TITLES.get(name, name.replace("_", " ")): [
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
class SizeExperiment(PopulationExperiment):
    """The settings of the comparison."""

    points: tuple[tuple[float, float], ...] = POINTS
    sizes: tuple[tuple[int, int], ...] = SIZES
    num_items: int = 100_000
    num_sweeps: int = 2000
    #: Most graphs need fewer: messages stop when they have converged.
    max_iterations: int = 1000

    @property
    def num_steps(self) -> int:
        """Steps of the progress: one per point, and one per graph."""
        return len(self.points) + sum(num_graphs for _, num_graphs in self.sizes)

    def run(self, *, on_progress: OnProgress = ignore) -> SizeTable:
        """Run the experiment; after each step, `on_progress` gets a 1."""
        limits = self.outcomes(self._limit, self.points, on_progress)
        rows = {limit: [_limit_row(limit)] for limit in limits}
        for num_items, num_graphs in self.sizes:
            tasks = [(num_items, s) for s in graph_seeds(num_graphs, self.seed)]
            graphs = self.outcomes(self._solved, tasks, on_progress)
            for limit, of_point in zip(limits, np.array(graphs).T, strict=True):
                rows[limit].append(_row(limit, num_items, of_point))
        return SizeTable(tuple(row for of_point in rows.values() for row in of_point))

    def _limit(self, point: tuple[float, float]) -> EnsembleAverages:
        inverse_temperature, price = point
        return self.averages(inverse_temperature=inverse_temperature, price=price)

    def _solved(self, task: tuple[int, int]) -> Floats:
        """Quantities of a graph and whether messages converged: a column per point."""
        num_items, seed = task
        problem = paper_problem(num_items, seed)
        columns = []
        for inverse_temperature, price in self.points:
            priced = PricedProblem(
                problem, inverse_temperature=inverse_temperature, price=price
            )
            passing = MessagePassing(priced, num_threads=1)
            found = passing.run(self.max_iterations)
            claimed = float(problem.weights @ found.element_marginals)
            rounded = round_by_rank(problem, found.item_replies).value
            totals = [claimed, found.expected_cost, found.free_energy, found.entropy]
            per_item = np.array([*totals, rounded]) / num_items
            columns.append(np.append(per_item, float(passing.has_converged)))
        return np.array(columns).T


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


def _row(limit: EnsembleAverages, num_items: int, columns: Floats) -> SizeRow:
    """Means of the columns of `_solved` over the graphs: shape (quantities, graphs)."""
    *quantities, converged = columns
    numbers = [
        x for each in quantities for x in (float(each.mean()), standard_error(each))
    ]
    return SizeRow(
        limit.inverse_temperature,
        limit.price,
        num_items,
        converged.size,
        float(converged.mean()),
        *numbers,
    )
