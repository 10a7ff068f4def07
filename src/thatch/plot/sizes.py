"""Distances from the limit of large graphs, against the size of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thatch.plot.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    in_house_style,
    require_matplotlib,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLORS = (BLUE, ORANGE, GREEN, RED, PURPLE)
# Points of different series at one size are drawn side by side, by this factor.
_SPREAD = 1.13
# Percent, around 0, that a panel shows; larger distances are at its edge.
_REACH = 1.0


@dataclass(frozen=True)
class Scatter:
    """Distances in percent, with standard errors, one per size."""

    label: str
    sizes: Sequence[float]
    distances: Sequence[float]
    errors: Sequence[float]


def draw_sizes(panels: Mapping[str, Sequence[Scatter]]) -> Figure:
    """Draw one panel per quantity, two per row."""
    require_matplotlib()
    from matplotlib.figure import Figure

    with in_house_style():
        rows = (len(panels) + 1) // 2
        figure = Figure(figsize=(7.2, 2.3 * rows + 0.4), layout="constrained")
        grid = figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False)
        for axes, (title, series) in zip(grid.flat, panels.items(), strict=False):
            axes.axhspan(-0.1, 0.1, color="#dddddd", lw=0)
            axes.axhline(0.0, color="black", lw=0.6)
            for k, (each, color) in enumerate(zip(series, _COLORS, strict=False)):
                shift = _SPREAD ** (k - 0.5 * (len(series) - 1))
                axes.errorbar(
                    [size * shift for size in each.sizes],
                    each.distances,
                    yerr=each.errors,
                    fmt="o",
                    color=color,
                    markersize=3,
                    capsize=1.5,
                    elinewidth=0.8,
                    label=each.label,
                )
            axes.set_title(title, loc="left", fontsize=9)
            axes.set_xscale("log")
            axes.set_ylim(-_REACH, _REACH)
            axes.tick_params(direction="in", which="both", top=True, right=True)
        for axes in grid[-1]:
            axes.set_xlabel("items of the graph")
        for axes in grid[:, 0]:
            axes.set_ylabel("distance (%)")
        handles, labels = grid[0, 0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=3, frameon=False
        )
    return figure
