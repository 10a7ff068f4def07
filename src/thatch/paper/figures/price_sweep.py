"""Covered weight against price, with the levels of other solvers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

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

_TICKS = (0, 0.2, 0.4, 0.6, 0.8, 1, 2, 3, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class PriceSweep:
    """The contents of the figure.

    The upper panels show the curve and the share of converged runs against the price,
    on a linear scale up to `last_linear_price` and a logarithmic one beyond. The lowest
    panel shows the paired differences around the maximum of the first.
    """

    prices: Sequence[float]
    curve: Curve
    levels: Sequence[Level]
    #: Share of converged runs, one per price.
    converged: Sequence[float]
    #: Differences of the curve and two levels, with standard errors of their own.
    differences: Sequence[Curve]
    last_linear_price: float
    caption: str

    def write_picture(self, path: str | Path) -> None:
        """Draw the figure, and save it as a PNG, SVG or PDF file."""
        with saved_figure(size=(6.0, 7.0)) as figure:
            grid = figure.add_gridspec(4, 1, height_ratios=(2.6, 1, 0.01, 1.6))
            above = figure.add_subplot(grid[0])
            self._draw_values(above)
            below = figure.add_subplot(grid[1], sharex=above)
            self._draw_converged(below)
            above.tick_params(labelbottom=False)
            self._draw_differences(figure.add_subplot(grid[3]))
            figure.suptitle(self.caption, fontsize=9)
            figure.canvas.draw()
        save(figure, path)

    def _draw_values(self, axes: Axes) -> None:
        draw_curve(axes, self.prices, self.curve)
        draw_levels(axes, self.levels)
        axes.set_ylabel("covered weight")
        axes.set_title("(a)", loc="left", fontsize=9)
        legend_above(axes, ncols=2, fontsize=8)
        self._scale(axes)

    def _draw_converged(self, axes: Axes) -> None:
        axes.plot(self.prices, self.converged, "o-", color=BLUE, ms=3, lw=1)
        axes.set_ylim(-0.05, 1.05)
        axes.set_ylabel("converged")
        axes.set_xlabel(r"price $\mu$")
        axes.text(0.008, 0.08, "(b)", transform=axes.transAxes)
        self._scale(axes)

    def _scale(self, axes: Axes) -> None:
        """A linear scale, then a logarithmic one; a line marks where it changes."""
        last = self.last_linear_price
        axes.set_xscale("symlog", linthresh=last, linscale=1.0)
        axes.set_xlim(-0.03 * last, max(self.prices) * 1.15)
        ticks = [tick for tick in _TICKS if tick <= max(self.prices)]
        axes.set_xticks(ticks, labels=[f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.axvline(last, color=GREY, linewidth=0.6, linestyle=":")
        axes.tick_params(direction="in", top=True, right=True, which="both")

    def _draw_differences(self, axes: Axes) -> None:
        center = self.prices[max(range(len(self.prices)), key=self._mean)]
        # Differences are shown near the price of the peak.
        near = [k for k, price in enumerate(self.prices) if abs(price - center) <= 1.5]
        axes.axhline(0.0, color="black", linewidth=0.6)
        for curve, color in zip(self.differences, (RED, GREEN), strict=False):
            axes.errorbar(
                [self.prices[k] for k in near],
                [curve.means[k] for k in near],
                yerr=[2.0 * curve.errors[k] for k in near],
                color=color,
                marker="o",
                markersize=3,
                linewidth=1,
                capsize=2,
                label=curve.label,
            )
        axes.set_xlabel(r"price $\mu$, around the maximum of (a)")
        axes.set_ylabel("paired difference")
        axes.set_title(r"(c)  bars: $\pm$ 2 standard errors", loc="left", fontsize=9)
        legend_above(axes, ncols=2, fontsize=8)
        axes.tick_params(direction="in", top=True, right=True)

    def _mean(self, k: int) -> float:
        return self.curve.means[k]
