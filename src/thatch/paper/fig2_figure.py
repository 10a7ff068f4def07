"""Results of the paper's Fig. 2: numbers, tables and picture."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thatch.paper.experiment import Table, write_tables
from thatch.plot.drawing import (
    BLUE,
    GREEN,
    GREY,
    RED,
    Curve,
    Level,
    draw_curve,
    draw_levels,
    legend_above,
    save,
    saved_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The scale of prices is linear up to this one, and logarithmic beyond.
LAST_LINEAR_PRICE = 1.0
_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Fig2Row:
    """Mean values over the graphs at one price."""

    price: float
    #: Mean value of belief propagation.
    bp: float
    #: Standard error of the mean.
    bp_sem: float
    #: Share of the graphs on which the messages converged.
    converged: float
    ggreedy: float
    ggreedy_sem: float
    #: Mean difference of belief propagation and g-greedy, graph by graph.
    difference: float
    difference_sem: float
    #: Mean difference of belief propagation and the optimum, graph by graph.
    to_optimum: float
    to_optimum_sem: float
    #: Order by weight per cost.
    static: float
    #: Order that Algorithm 2 reaches as the price grows.
    infinite_price: float
    greedy: float
    exact: float
    exact_sem: float


@dataclass(frozen=True)
class SolverRow:
    """Mean value of a solver over the graphs, and its distance from g-greedy."""

    solver: str
    value: float
    value_sem: float
    #: Mean difference, graph by graph.
    above_ggreedy: float
    above_ggreedy_sem: float


@dataclass(frozen=True)
class Fig2(Table[Fig2Row]):
    """The figure as numbers: one row per price, and one per solver."""

    solvers: tuple[SolverRow, ...]
    num_graphs: int
    seed: int
    damping: float

    @property
    def peak(self) -> Fig2Row:
        """The row in which belief propagation covers the most."""
        return max(self.rows, key=lambda row: row.bp)

    @property
    def findings(self) -> list[str]:
        """The peak and the solvers in words."""
        peak = self.peak
        of_peak = (
            f"Belief propagation peaks at price {peak.price:g}: {peak.bp:.1f} "
            f"± {peak.bp_sem:.1f}, {peak.difference:.2f} ± {peak.difference_sem:.2f} "
            f"above g-greedy, {-peak.to_optimum:.2f} ± {peak.to_optimum_sem:.2f} below "
            f"the optimum. Messages converged on {peak.converged:.0%} of the graphs."
        )
        of_solvers = [
            f"{row.solver}: {row.value:.1f} ± {row.value_sem:.1f}, "
            f"{row.above_ggreedy:.2f} ± {row.above_ggreedy_sem:.2f} above g-greedy."
            for row in self.solvers
        ]
        return [of_peak, *of_solvers]

    def write_csv(self, path: str | Path) -> list[Path]:
        """Save the rows, one per line, and those of the solvers beside them."""
        return write_tables(path, self.rows, solvers=self.solvers)

    def write_picture(self, path: str | Path) -> None:
        """Draw the figure as a PNG, SVG or PDF file.

        The upper panels show the values and the share of converged runs against the
        price. The lowest one shows the paired differences around the maximum.
        """
        with saved_figure(size=(6.0, 7.0)) as figure:
            grid = figure.add_gridspec(4, 1, height_ratios=(2.6, 1, 0.01, 1.6))
            above = figure.add_subplot(grid[0])
            self._draw_values(above)
            below = figure.add_subplot(grid[1], sharex=above)
            self._draw_converged(below)
            above.tick_params(labelbottom=False)
            self._draw_differences(figure.add_subplot(grid[3]))
            figure.suptitle(
                f"(9, 3)-biregular graphs, N = 100, M = 300, K = 100; "
                f"mean of {self.num_graphs} graphs",
                fontsize=9,
            )
            figure.canvas.draw()
        save(figure, path)

    def _draw_values(self, axes: Axes) -> None:
        label = rf"belief propagation, $\beta = 3$, damping {self.damping:g}"
        curve = Curve(label, self.column("bp"), self.column("bp_sem"))
        draw_curve(axes, self.column("price"), curve)
        first = self.rows[0]
        levels = [
            Level("optimum", first.exact),
            Level("g-greedy", first.ggreedy),
            Level("order by weight per cost", first.static),
        ]
        draw_levels(axes, levels)
        axes.set_ylabel("covered weight")
        axes.set_title("(a)", loc="left", fontsize=9)
        legend_above(axes, ncols=2, fontsize=8)
        self._scale(axes)

    def _draw_converged(self, axes: Axes) -> None:
        prices, shares = self.column("price"), self.column("converged")
        axes.plot(prices, shares, "o-", color=BLUE, ms=3, lw=1)
        axes.set_ylim(-0.05, 1.05)
        axes.set_ylabel("converged")
        axes.set_xlabel(r"price $\mu$")
        axes.text(0.008, 0.08, "(b)", transform=axes.transAxes)
        self._scale(axes)

    def _scale(self, axes: Axes) -> None:
        """A linear scale, then a logarithmic one; a line marks where it changes."""
        last, highest = LAST_LINEAR_PRICE, max(self.column("price"))
        axes.set_xscale("symlog", linthresh=last, linscale=1.0)
        axes.set_xlim(-0.03 * last, highest * 1.15)
        ticks = [tick for tick in _TICKS if tick <= highest]
        axes.set_xticks(ticks, labels=[f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.axvline(last, color=GREY, linewidth=0.6, linestyle=":")
        axes.tick_params(direction="in", top=True, right=True, which="both")

    def _draw_differences(self, axes: Axes) -> None:
        # Differences are shown near the price of the peak.
        near = [row for row in self.rows if abs(row.price - self.peak.price) <= 1.5]
        axes.axhline(0.0, color="black", linewidth=0.6)
        for name, label, color in (
            ("difference", "BP $-$ g-greedy", RED),
            ("to_optimum", "BP $-$ optimum", GREEN),
        ):
            axes.errorbar(
                [row.price for row in near],
                [getattr(row, name) for row in near],
                yerr=[2.0 * getattr(row, f"{name}_sem") for row in near],
                color=color,
                marker="o",
                markersize=3,
                linewidth=1,
                capsize=2,
                label=label,
            )
        axes.set_xlabel(r"price $\mu$, around the maximum of (a)")
        axes.set_ylabel("paired difference")
        axes.set_title(r"(c)  bars: $\pm$ 2 standard errors", loc="left", fontsize=9)
        legend_above(axes, ncols=2, fontsize=8)
        axes.tick_params(direction="in", top=True, right=True)
