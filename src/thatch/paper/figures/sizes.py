"""Distances from the limit of large graphs, against the size of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thatch.plot.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    legend_below,
    saved_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLORS = (BLUE, ORANGE, GREEN, RED, PURPLE)
# Triangles are arrows.
_MARKERS = ("o", "s", "D", "X", "P")
# Percent around 0 that a panel may show. It is the first that contains all points with
# their bars; points beyond the last are arrows at the edge.
_REACHES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)


@dataclass(frozen=True)
class Scatter:
    """Distances in percent, with standard errors, one per size."""

    label: str
    sizes: Sequence[float]
    distances: Sequence[float]
    errors: Sequence[float]


def draw_sizes(panels: Mapping[str, Sequence[Scatter]]) -> Figure:
    """Draw one panel per quantity, two per row, each with a scale of its own.

    A grey band is 0.1 % around the limit.
    """
    sizes = [n for each in panels.values() for s in each for n in s.sizes] or [1]
    rows = (len(panels) + 1) // 2
    with saved_figure(size=(7.2, 2.3 * rows + 0.4)) as figure:
        grid = figure.subplots(rows, 2, sharex=True, squeeze=False)
        for k, (axes, (title, series)) in enumerate(
            zip(grid.flat, panels.items(), strict=False)
        ):
            axes.axhspan(-0.1, 0.1, color="#dddddd", lw=0)
            axes.axhline(0.0, color="black", lw=0.6)
            _draw_series(axes, series, _reach(series))
            axes.set_title(f"({'abcdefgh'[k]}) {title}", loc="left", fontsize=9)
            # Room for the marks of the smallest and the largest size.
            axes.set(xscale="log", xlim=(min(sizes) / 2.5, max(sizes) * 2.5))
            axes.tick_params(direction="in", which="both", top=True, right=True)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[-1]:
            axes.set_xlabel("number of items $N$")
        figure.supylabel("distance from the limit (%)", fontsize=9)
        handles, labels = grid[0, 0].get_legend_handles_labels()
        legend_below(figure, handles, labels, ncols=4)
    return figure


def _reach(series: Sequence[Scatter]) -> float:
    largest = max(
        (
            abs(distance) + error
            for each in series
            for distance, error in zip(each.distances, each.errors, strict=True)
        ),
        default=0.0,
    )
    return next((reach for reach in _REACHES if largest < reach), _REACHES[-1])


def _draw_series(axes: Axes, series: Sequence[Scatter], reach: float) -> None:
    for k, each in enumerate(series):
        color = _COLORS[k % len(_COLORS)]
        # Points of different series at one size are drawn side by side, by this factor.
        shift = 1.35 ** (k - 0.5 * (len(series) - 1))
        sizes, distances = shift * np.array(each.sizes), np.array(each.distances)
        is_beyond = np.abs(distances) > reach
        axes.errorbar(
            sizes[~is_beyond],
            distances[~is_beyond],
            yerr=np.array(each.errors)[~is_beyond],
            fmt=_MARKERS[k % len(_MARKERS)],
            color=color,
            markersize=4,
            markeredgewidth=0.5,
            capsize=1.5,
            elinewidth=0.8,
            label=each.label,
        )
        for sign, marker in ((1, "^"), (-1, "v")):
            here = is_beyond & (sign * distances > 0)
            # Without any, the layout would reserve space for nothing.
            if here.any():
                axes.plot(
                    sizes[here],
                    np.full(here.sum(), sign * reach),
                    marker,
                    color=color,
                    markersize=6,
                    clip_on=False,
                    zorder=5,
                )
    axes.set_ylim(-reach, reach)
