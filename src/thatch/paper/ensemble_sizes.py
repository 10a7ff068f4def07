"""Belief propagation on graphs of growing size, beside the limit of an infinite one."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

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
from thatch.plot.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    legend_below,
    save,
    saved_figure,
)
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.belief_propagation.message_passing import MessagePassing
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.greedy import round_by_rank

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Inverse temperatures and prices at which messages of large graphs converge.
POINTS = ((0.1, 10.0), (0.3, 5.0), (1.0, 5.0), (3.0, 8.0))
#: Items of a graph, and how many graphs of that size.
SIZES = ((1_000, 400), (10_000, 100), (100_000, 60), (1_000_000, 6))
#: What is compared, per item.
QUANTITIES = ("claimed_weight", "cost", "free_energy", "entropy", "rounded_weight")
_TITLES = {"cost": "expected cost"}
_COLORS = (BLUE, ORANGE, GREEN, RED, PURPLE)
# Triangles are arrows.
_MARKERS = ("o", "s", "D", "X", "P")
# Percent around 0 that a panel may show. It is the first that contains all points with
# their bars; points beyond the last are arrows at the edge.
_REACHES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


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
        save(self.drawn(), path)

    def drawn(self) -> Figure:
        """One panel per quantity, two per row, each with a scale of its own.

        A grey band is 0.1 % around the limit.
        """
        sizes = [row.num_items for row, _ in self.compared] or [1]
        quantities = QUANTITIES[:-1]
        rows = (len(quantities) + 1) // 2
        with saved_figure(size=(7.2, 2.3 * rows + 0.4)) as figure:
            grid = figure.subplots(rows, 2, sharex=True, squeeze=False)
            for axes, letter, name in zip(grid.flat, "abcd", quantities, strict=True):
                axes.axhspan(-0.1, 0.1, color="#dddddd", lw=0)
                axes.axhline(0.0, color="black", lw=0.6)
                self._draw(axes, name)
                title = _TITLES.get(name, name.replace("_", " "))
                axes.set_title(f"({letter}) {title}", loc="left", fontsize=9)
                # Room for the marks of the smallest and the largest size.
                axes.set(xscale="log", xlim=(min(sizes) / 2.5, max(sizes) * 2.5))
                axes.tick_params(direction="in", which="both", top=True, right=True)
            for axes in grid[-1]:
                axes.set_xlabel("number of items $N$")
            figure.supylabel("distance from the limit (%)", fontsize=9)
            handles, labels = grid[0, 0].get_legend_handles_labels()
            legend_below(figure, handles, labels, ncols=4)
        return figure

    def _draw(self, axes: Axes, name: str) -> None:
        """Draw the distances of a quantity in percent, with their standard errors."""
        points: dict[str, list[tuple[float, float, float]]] = {}
        for row, limit in self.compared:
            label = rf"$\beta = {row.inverse_temperature:g}$, $\mu = {row.price:g}$"
            distance = 100 * row.distance(limit, name)[1]
            # Of the difference, relative to the population.
            errors = [getattr(each, f"{name}_error") for each in (row, limit)]
            error = 100 * float(np.hypot(*errors) / abs(getattr(limit, name)))
            points.setdefault(label, []).append((row.num_items, distance, error))
        farthest = [abs(d) + error for each in points.values() for _, d, error in each]
        largest = max(farthest, default=0.0)
        reach = next((reach for reach in _REACHES if largest < reach), _REACHES[-1])
        for k, (label, each) in enumerate(points.items()):
            # Points of different series at one size are side by side, by this factor.
            shift = 1.35 ** (k - 0.5 * (len(points) - 1))
            sizes, distances, errors = np.array(each).T
            color, mark = _COLORS[k % len(_COLORS)], _MARKERS[k % len(_MARKERS)]
            is_beyond = np.abs(distances) > reach
            axes.errorbar(
                shift * sizes[~is_beyond],
                distances[~is_beyond],
                yerr=errors[~is_beyond],
                fmt=mark,
                color=color,
                markersize=4,
                markeredgewidth=0.5,
                capsize=1.5,
                elinewidth=0.8,
                label=label,
            )
            for sign, marker in ((1, "^"), (-1, "v")):
                here = is_beyond & (sign * distances > 0)
                # Without any, the layout would reserve space for nothing.
                if here.any():
                    axes.plot(
                        shift * sizes[here],
                        np.full(here.sum(), sign * reach),
                        marker,
                        color=color,
                        markersize=6,
                        clip_on=False,
                        zorder=5,
                    )
        axes.set_ylim(-reach, reach)


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
