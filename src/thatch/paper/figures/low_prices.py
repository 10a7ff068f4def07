"""Covered weight, convergence and stability of the messages at low prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thatch.plot.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    Curve,
    draw_curve,
    legend_above,
    save,
    saved_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class LowPrices:
    """The contents of the figure: four panels with the same prices."""

    prices: Sequence[float]
    values: Sequence[float]
    value_errors: Sequence[float]
    #: Values if the messages are those of equal weights.
    blind_values: Sequence[float]
    #: Value of the cheapest items.
    cheapest: float
    #: Expected cost by the budget.
    spending: Sequence[float]
    #: Share of converged runs, by name of the schedule.
    converged: Mapping[str, Sequence[float]]
    #: Share of graphs whose fixed point is stable.
    stable: Sequence[float]
    radius: Sequence[float]
    largest_real_part: Sequence[float]
    caption: str

    def write_picture(self, path: str | Path) -> None:
        """Draw the figure, and save it as a PNG, SVG or PDF file."""
        with saved_figure(size=(6.0, 8.0)) as figure:
            panels = figure.subplots(4, sharex=True, height_ratios=(1.5, 0.8, 1.1, 1.3))
            self._draw_values(panels[0])
            self._draw_spending(panels[1])
            self._draw_converged(panels[2])
            self._draw_spectrum(panels[3])
            for axes, letter in zip(panels, "abcd", strict=True):
                axes.set_title(f"({letter})", loc="left", fontsize=9)
                axes.tick_params(direction="in", top=True, right=True)
            panels[-1].set_xlabel(r"price $\mu$")
            figure.suptitle(self.caption, fontsize=9)
            figure.canvas.draw()
        save(figure, path)

    def _draw_values(self, axes: Axes) -> None:
        curve = Curve("Algorithm 2", self.values, self.value_errors)
        draw_curve(axes, self.prices, curve)
        axes.plot(
            self.prices, self.blind_values, "--", color=ORANGE, label="equal weights"
        )
        axes.axhline(self.cheapest, color=GREY, linestyle=":", label="cheapest first")
        axes.set_ylabel("covered weight")
        _add_legend(axes)

    def _draw_spending(self, axes: Axes) -> None:
        axes.plot(self.prices, self.spending, "o-", color=BLUE, ms=3, lw=1)
        axes.axhline(1.0, color="black", linewidth=0.6)
        axes.set_ylim(0.0, 1.1 * max(self.spending))
        axes.set_ylabel("expected cost / K")

    def _draw_converged(self, axes: Axes) -> None:
        for (label, shares), color in zip(
            self.converged.items(), (RED, BLUE, ORANGE), strict=False
        ):
            axes.plot(self.prices, shares, "o-", color=color, ms=3, lw=1, label=label)
        axes.plot(self.prices, self.stable, "--", color=GREEN, label="stable at 0.5")
        axes.set_ylim(-0.05, 1.05)
        axes.set_ylabel("share of graphs")
        _add_legend(axes)

    def _draw_spectrum(self, axes: Axes) -> None:
        for label, values, color in (
            ("largest modulus", self.radius, RED),
            ("largest real part", self.largest_real_part, GREEN),
        ):
            axes.plot(self.prices, values, "o-", color=color, ms=3, lw=1, label=label)
        axes.axhline(1.0, color="black", linewidth=0.6)
        axes.set_ylim(0.0, None)
        axes.set_ylabel(r"eigenvalues of $J$")
        _add_legend(axes)


def _add_legend(axes: Axes) -> None:
    """A narrow legend, which leaves the panel's letter its place."""
    legend_above(axes, fontsize=8, handlelength=1.6, columnspacing=1.2)
