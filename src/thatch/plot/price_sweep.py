"""Covered weight against price, with the levels of other solvers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thatch.plot.drawing import (
    BLUE,
    RED,
    Curve,
    Level,
    draw_curve,
    draw_levels,
    in_house_style,
    require_matplotlib,
    save_png,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PriceSweep:
    """The contents of the figure.

    The upper panel shows the curve against the price, on a linear scale up to
    `last_linear_price` and a logarithmic one beyond. The lower panel shows the paired
    difference around its maximum.
    """

    prices: Sequence[float]
    curve: Curve
    levels: Sequence[Level]
    difference: Curve
    last_linear_price: float
    caption: str

    def write_png(self, path: str | Path) -> None:
        """Draw the figure, and save it as a PNG file."""
        save_png(self._draw(), path)

    def _draw(self) -> Figure:
        require_matplotlib()
        from matplotlib.figure import Figure

        # Without pyplot, which has global state, drawing is safe on any thread.
        with in_house_style():
            figure = Figure(figsize=(6.0, 5.6), layout="constrained")
            grid = figure.add_gridspec(2, 2, width_ratios=(4, 1), height_ratios=(2, 1))
            near = figure.add_subplot(grid[0, 0])
            far = figure.add_subplot(grid[0, 1], sharey=near)
            self._draw_values(near)
            self._draw_values(far)
            self._split_axis(near, far)
            near.set_ylabel("covered weight")
            near.set_xlabel(r"price $\mu$")
            # Between the falling part of the curve and the lowest level.
            near.legend(
                loc="lower right", bbox_to_anchor=(0.99, 0.2), frameon=False, fontsize=8
            )
            self._draw_difference(figure.add_subplot(grid[1, :]))
            figure.suptitle(self.caption, fontsize=9)
            figure.canvas.draw()
        return figure

    def _draw_values(self, axes: Axes) -> None:
        draw_curve(axes, self.prices, self.curve)
        draw_levels(axes, self.levels)
        axes.tick_params(direction="in", top=True, which="both")

    def _split_axis(self, near: Axes, far: Axes) -> None:
        near.set_xlim(-0.25, self.last_linear_price + 0.2)
        far.set_xscale("log")
        far.set_xlim(self.last_linear_price * 1.05, max(self.prices) * 1.15)
        ticks = [price for price in self.prices if price > self.last_linear_price][1::2]
        far.set_xticks(ticks, labels=[f"{tick:g}" for tick in ticks])
        far.minorticks_off()
        far.tick_params(labelleft=False, right=True)
        near.spines.right.set_visible(False)
        far.spines.left.set_visible(False)
        far.tick_params(left=False)
        # Short strokes where the scale changes.
        for axes, x in ((near, 1.0), (far, 0.0)):
            axes.plot(
                [x, x],
                [0, 1],
                transform=axes.transAxes,
                marker=[(-1, -1.6), (1, 1.6)],
                markersize=7,
                linestyle="none",
                color="black",
                markeredgecolor="black",
                markeredgewidth=0.8,
                clip_on=False,
            )

    def _draw_difference(self, axes: Axes) -> None:
        points = list(
            zip(self.prices, self.difference.means, self.difference.errors, strict=True)
        )
        center = max(points, key=lambda point: point[1])[0]
        prices, means, errors = zip(
            *(point for point in points if abs(point[0] - center) <= 1.25), strict=True
        )
        axes.axhline(0.0, color=RED, linestyle="--", linewidth=1.1)
        axes.errorbar(
            prices,
            means,
            yerr=[2.0 * error for error in errors],
            color=BLUE,
            marker="o",
            markersize=3.5,
            linewidth=1,
            capsize=2.5,
        )
        axes.set_xlabel(r"price $\mu$")
        axes.set_ylabel(self.difference.label)
        note = r"bars: $\pm$ 2 s.e.m. of the paired difference"
        axes.text(0.5, 0.08, note, transform=axes.transAxes, ha="center", fontsize=8)
        axes.tick_params(direction="in", top=True, right=True)
