"""Covered weight and ROUGE-1 of summaries against price, in two panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from string import ascii_lowercase

from thatch.plot.drawing import (
    BLUE,
    ORANGE,
    Curve,
    Level,
    draw_curve,
    draw_levels,
    legend_below,
    save,
    saved_figure,
)


@dataclass(frozen=True)
class Panel:
    """Curves and levels of one quantity."""

    label: str
    curves: Sequence[Curve]
    levels: Sequence[Level]

    @property
    def highest(self) -> float:
        """The largest value drawn."""
        tops = [
            mean + error
            for curve in self.curves
            for mean, error in zip(curve.means, curve.errors, strict=True)
        ]
        return max([*tops, *(level.value for level in self.levels)])


@dataclass(frozen=True)
class TextSweep:
    """The contents of the figure: panels with the same prices."""

    prices: Sequence[float]
    panels: Sequence[Panel]
    caption: str

    def write_picture(self, path: str | Path) -> None:
        """Draw the figure, and save it as a PNG, SVG or PDF file."""
        with saved_figure(size=(6.0, 6.4)) as figure:
            every_axes = figure.subplots(len(self.panels), 1, sharex=True)
            for axes, panel, letter in zip(
                every_axes, self.panels, ascii_lowercase, strict=False
            ):
                for curve, color in zip(
                    panel.curves, cycle((BLUE, ORANGE)), strict=False
                ):
                    draw_curve(axes, self.prices, curve, color=color)
                draw_levels(axes, panel.levels)
                # Keep the highest level away from the frame.
                axes.set_ylim(top=1.02 * panel.highest)
                axes.set_ylabel(panel.label)
                axes.set_title(f"({letter})", loc="left", fontsize=9)
                axes.tick_params(direction="in", top=True, right=True)
            every_axes[-1].set_xlabel(r"price $\mu$")
            handles, labels = every_axes[0].get_legend_handles_labels()
            legend_below(figure, handles, labels, ncols=2)
            figure.suptitle(self.caption, fontsize=9)
            figure.canvas.draw()
        save(figure, path)
