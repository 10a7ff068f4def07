"""Algorithm 2 against the price, on graphs of growing size and in the limit.

The paper's ensemble at inverse temperature 3 and a budget of one per item. The optimum
is between what `auto` finds and its bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Floats
from thatch.paper.ensemble_phases import BUDGET, PopulationExperiment
from thatch.paper.ensemble_sizes import paper_problem
from thatch.paper.ensembles import EnsembleAverages, Estimate
from thatch.paper.experiment import (
    OnProgress,
    Table,
    graph_seeds,
    ignore,
    means,
    standard_error,
    write_tables,
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
from thatch.run.run import Run
from thatch.solvers import Auto, Exact
from thatch.solvers.belief_propagation.algorithm import propagate
from thatch.solvers.belief_propagation.priced_problem import PricedProblem
from thatch.solvers.greedy import round_by_rank

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INVERSE_TEMPERATURE = 3.0
PRICES = (
    *(0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0),
    *(4.25, 4.5, 4.75, 5.0, 5.25, 5.5, 6.0, 7.0, 8.0, 10.0, 14.0, 20.0),
)
#: Items of a graph, how many graphs for the curve, and how many for the optimum.
SIZES = ((100, 400, 400), (1_000, 40, 40), (10_000, 8, 4))
#: The optimum of a large problem is what messages expect at a low temperature.
COLD = 10.0
_COLORS = (ORANGE, GREEN, BLUE, RED, PURPLE)
_AROUND_PEAK = (3.0, 7.2)


@dataclass(frozen=True)
class PeakRow:
    """Weight that Algorithm 2 covers per item at one price; of one size, or of all."""

    num_items: float
    price: float
    value: float
    error: float


@dataclass(frozen=True)
class OptimumRow:
    """Between which weights per item the optimum is, as means over graphs."""

    num_items: float
    num_graphs: int
    #: The best value found, and its standard error.
    value: float
    error: float
    #: How far the certified bound is above it, graph by graph.
    gap: float
    gap_error: float
    #: How far Algorithm 2 is below it, graph by graph, at the price of the peak.
    loss: float
    loss_error: float

    @property
    def bound(self) -> float:
        """The certified bound."""
        return self.value + self.gap


@dataclass(frozen=True)
class PeakFigure(Table[PeakRow]):
    """Curves of several sizes, the last of which is the limit, and optima."""

    optima: tuple[OptimumRow, ...]
    #: What messages expect of the optimum of a large problem, and at which price.
    cold: Estimate
    cold_price: float

    @property
    def sizes(self) -> list[float]:
        """Numbers of items, each once."""
        return list(dict.fromkeys(row.num_items for row in self.rows))

    def curve(self, num_items: float) -> list[PeakRow]:
        """The rows of one size."""
        return [row for row in self.rows if row.num_items == num_items]

    def peak(self, num_items: float) -> PeakRow:
        """The row of one size in which Algorithm 2 covers the most."""
        return max(self.curve(num_items), key=lambda row: row.value)

    @property
    def findings(self) -> list[str]:
        """The peaks and optima in words."""
        lines = [
            f"{_of_size(size)}: Algorithm 2 peaks at price {self.peak(size).price:g}, "
            f"{self.peak(size).value:.4f} ± {self.peak(size).error:.4f} per item."
            for size in self.sizes
        ]
        lines += [
            f"{_of_size(each.num_items)}: the optimum is between {each.value:.4f} and "
            f"{each.bound:.4f}, ± {each.error:.4f}; on these {each.num_graphs} graphs "
            f"Algorithm 2 is {each.loss:.4f} ± {each.loss_error:.4f} below the former."
            for each in self.optima
        ]
        cold = f"Messages at inverse temperature {COLD:g} expect {self.cold} of it, at"
        return [*lines, f"{cold} price {self.cold_price:.3f}."]

    def write_csv(self, path: str | Path) -> list[Path]:
        """Save the rows, one per line, and the optima beside them."""
        return write_tables(path, self.rows, optima=self.optima)

    def write_picture(self, path: str | Path) -> None:
        """Draw the figure as PNG, SVG or PDF."""
        save(self.drawn(), path)

    def drawn(self) -> Figure:
        """All prices on the left, and those around the peak on the right.

        Curve and optimum of a size have the same color.
        """
        with saved_figure(size=(7.2, 3.9)) as figure:
            whole, near = figure.subplots(1, 2)
            for axes in (whole, near):
                handles: dict[str, Artist] = {}
                for size, color in zip(self.sizes, cycle(_COLORS), strict=False):
                    handles |= self._draw(axes, size, color)
                axes.set_xlabel(r"price $\mu$")
                axes.set_ylabel("covered weight per item")
                axes.tick_params(direction="in", which="both", top=True, right=True)
            whole.set_xscale("log")
            whole.set_title("(a) all prices", loc="left", fontsize=9)
            near.set_title("(b) around the peak", loc="left", fontsize=9)
            self._look_closely(near)
            # A column has the curve of a size, and the optimum below it.
            artists, columns = list(handles.values()), len(self.sizes)
            legend_below(figure, artists, list(handles), ncols=columns, fontsize=8)
        return figure

    def _look_closely(self, axes: Axes) -> None:
        """Show the prices around the peak, if there are any, and all optima."""
        low, high = _AROUND_PEAK
        shown = [row.value for row in self.rows if low <= row.price <= high]
        if not shown:
            return
        optima = [each for each in map(self._optimum, self.sizes) if each is not None]
        tops = [*shown, *(most for _, _, most in optima)]
        margin = 0.06 * (max(tops) - min(shown)) or 0.01 * abs(max(tops)) or 1.0
        axes.set_xlim(low, high)
        axes.set_ylim(min(shown) - margin, max(tops) + margin)

    def _optimum(self, size: float) -> tuple[str, float, float] | None:
        """What the optimum of one size is called, and between which values it is."""
        if size == inf:
            return "optimum by messages", self.cold.mean, self.cold.mean
        for each in self.optima:
            if each.num_items == size:
                return f"optimum, {_sign_of(size)}", each.value, each.bound
        return None

    def _draw(self, axes: Axes, size: float, color: str) -> dict[str, Artist]:
        """Draw bands at the back, lines of optima over them, and curves over both."""
        from matplotlib.patches import Patch

        color = "black" if size == inf else color
        rows, optimum = self.curve(size), self._optimum(size)
        handles: dict[str, Artist] = {}
        handles[f"Algorithm 2, {_sign_of(size)}"] = axes.errorbar(
            [row.price for row in rows],
            [row.value for row in rows],
            yerr=[row.error for row in rows],
            color=color,
            marker="" if size == inf else "o",
            markersize=2.5,
            linewidth=1.6 if size == inf else 0.9,
            elinewidth=0.8,
            capsize=1.5,
            zorder=4 if size == inf else 3,
        )  # type: ignore[assignment]
        if optimum is None:
            return handles
        label, low, high = optimum
        # Bands that are narrower, relative to their values, would be invisible.
        if high - low > 1e-4 * abs(high):
            axes.axhspan(low, high, color=color, alpha=0.3, lw=0, zorder=1)
            handles[label] = Patch(color=color, alpha=0.3, lw=0)
        else:
            handles[label] = axes.axhline(
                low, color=color, linestyle="dashed", linewidth=1.2, zorder=2.5
            )
        return handles


@dataclass(frozen=True)
class PeakExperiment(PopulationExperiment):
    """The settings of the figure."""

    prices: tuple[float, ...] = PRICES
    sizes: tuple[tuple[int, int, int], ...] = SIZES

    @property
    def num_steps(self) -> int:
        """Steps of the progress: two per size, one per price, and one more."""
        return 2 * len(self.sizes) + len(self.prices) + 1

    def run(self, *, on_progress: OnProgress = ignore) -> PeakFigure:
        """Run the experiment; after each step, `on_progress` gets a 1."""
        rows: list[PeakRow] = []
        optima = []
        for num_items, num_graphs, num_optima in self.sizes:
            # One row per graph, one column per price.
            seeds = graph_seeds(num_graphs, self.seed)
            values = np.array([self._values(num_items, seed) for seed in seeds])
            rows += [
                PeakRow(num_items, price, float(column.mean()), standard_error(column))
                for price, column in zip(self.prices, values.T, strict=True)
            ]
            on_progress(1)
            peak = int(values.mean(axis=0).argmax())
            optima.append(
                self._optimum(num_items, seeds[:num_optima], values[:num_optima, peak])
            )
            on_progress(1)
        for price in self.prices:
            found = self._limit(price)
            rows.append(PeakRow(inf, price, found.mean, found.error))
            on_progress(1)
        cold = self.averages(
            inverse_temperature=COLD,
            num_sweeps=2 * self.num_sweeps,
            num_threads=self.num_threads,
        )
        on_progress(1)
        return PeakFigure(tuple(rows), tuple(optima), _optimum_of(cold), cold.price)

    def _values(self, num_items: int, seed: int) -> Floats:
        """Weight per item that Algorithm 2 covers on a graph, one per price."""
        problem = paper_problem(num_items, seed)
        priced = [
            PricedProblem(problem, inverse_temperature=INVERSE_TEMPERATURE, price=price)
            for price in self.prices
        ]
        found = propagate(priced, run=Run(num_threads=self.num_threads))
        values = [round_by_rank(problem, each.item_replies).value for each in found]
        return np.array(values) / num_items

    def _optimum(
        self, num_items: int, seeds: Sequence[int], of_algorithm_2: Floats
    ) -> OptimumRow:
        """The optimum of some graphs, beside the values of Algorithm 2."""
        pairs = []
        for seed in seeds:
            run = Run(num_threads=self.num_threads)
            # Larger graphs would take the integer program hours.
            solver = Exact() if num_items <= 200 else Auto()
            found = solver.solve(paper_problem(num_items, seed), run)
            pairs.append((found.selection.value, found.upper_bound))
        values, bounds = np.array(pairs).T / num_items
        gaps, losses = bounds - values, values - of_algorithm_2
        return OptimumRow(
            num_items=num_items,
            num_graphs=values.size,
            value=float(values.mean()),
            error=standard_error(values),
            **means("error", gap=gaps, loss=losses),
        )

    def _limit(self, price: float) -> Estimate:
        return self.averages(
            inverse_temperature=INVERSE_TEMPERATURE,
            price=price,
            num_threads=self.num_threads,
        ).rounded_weight


def _of_size(num_items: float) -> str:
    return "limit" if num_items == inf else f"{num_items:g} items"


def _sign_of(num_items: float) -> str:
    """The size in a label; a comma without braces would be followed by a gap."""
    if num_items == inf:
        return r"$N \to \infty$"
    return f"$N = {num_items:,.0f}$".replace(",", "{,}")


def _optimum_of(cold: EnsembleAverages) -> Estimate:
    """Claimed weight at the very budget, of which the expected cost is slightly off.

    That is the free energy without its entropy, at the price of what is left.
    """
    beta = cold.inverse_temperature
    value = cold.price * BUDGET - cold.free_energy.mean - cold.entropy.mean / beta
    error = np.hypot(cold.free_energy.error, cold.entropy.error / beta)
    return Estimate(value, float(error))
