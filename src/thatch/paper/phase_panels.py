"""Phase diagrams: quantities over price and inverse temperature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Floats
from thatch.plot.drawing import legend_below, saved_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.contour import QuadContourSet
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Scale:
    """Colors of values.

    It is logarithmic; if there is a `linear_reach`, it is linear so far from 0, which
    permits values that are not positive. With a `linear_reach` of infinity it is
    linear.
    """

    colors: str
    #: Values that have colors of their own; None: up to the last of the panel.
    low: float | None = None
    high: float | None = None
    linear_reach: float | None = None
    #: Ticks and their labels; empty for those of matplotlib.
    ticks: tuple[tuple[float, str], ...] = ()
    #: The color of values that are lower; empty for that of the lowest.
    below: str = ""

    def ends(self, values: Floats) -> tuple[float, float]:
        """The lowest and the highest value with a color of its own."""
        low = float(values.min()) if self.low is None else self.low
        return low, float(values.max()) if self.high is None else self.high

    def norm(self, low: float, high: float) -> Normalize:
        """What maps values between these to colors."""
        from matplotlib.colors import LogNorm, Normalize, SymLogNorm

        if self.linear_reach is None:
            return LogNorm(low, high)
        if self.linear_reach == np.inf:
            return Normalize(low, high)
        return SymLogNorm(self.linear_reach, vmin=low, vmax=high, linscale=0.4)


#: Colors diverge from 1, on a logarithmic scale.
AROUND_ONE = Scale(
    "RdBu_r",
    low=1 / 4,
    high=4.0,
    ticks=((1 / 4, "1/4"), (1 / 2, "1/2"), (1.0, "1"), (2.0, "2"), (4.0, "4")),
)
LINEAR = Scale("viridis", linear_reach=np.inf)


@dataclass(frozen=True, eq=False)
class Panel:
    """A quantity over price and inverse temperature."""

    title: str
    #: float64, shape (num_temperatures, num_prices).
    values: Floats
    scale: Scale = LINEAR
    #: Lines at which the values are these.
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, eq=False)
class Line:
    """Where a quantity has a value."""

    label: str
    #: float64, shape (num_temperatures, num_prices).
    values: Floats
    level: float
    dashes: str = "solid"


def draw_phases(
    prices: Sequence[float],
    inverse_temperatures: Sequence[float],
    panels: Sequence[Panel],
) -> Figure:
    """Draw panels, three per row, on logarithmic axes.

    A legend below explains the lines that are drawn.
    """
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    with saved_figure(size=(7.2, 2.35 * rows + 0.35)) as figure:
        grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        legend = {}
        for axes, panel in zip(grid.flat, panels, strict=False):
            _draw_values(axes, prices, inverse_temperatures, panel)
            for line in panel.lines:
                drawn = _draw_line(axes, prices, inverse_temperatures, line)
                if drawn is not None:
                    legend[line.label] = drawn.legend_elements()[0][0]
            axes.set_title(panel.title, loc="left", fontsize=8)
            axes.set(xscale="log", yscale="log")
            axes.tick_params(direction="in", which="both", labelsize=8)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes in grid[-1]:
            axes.set_xlabel(r"price $\mu$")
        for axes in grid[:, 0]:
            axes.set_ylabel(r"inverse temperature $\beta$")
        if legend:
            lines = list(legend.values())
            legend_below(figure, lines, list(legend), ncols=len(legend))
    return figure


def _draw_values(
    axes: Axes,
    prices: Sequence[float],
    inverse_temperatures: Sequence[float],
    panel: Panel,
) -> None:
    from matplotlib import colormaps

    scale = panel.scale
    low, high = scale.ends(panel.values)
    norm = scale.norm(low, high)
    colors = colormaps[scale.colors].with_extremes(under=scale.below or None)
    mesh = axes.pcolormesh(
        _edges(prices),
        _edges(inverse_temperatures),
        panel.values,
        cmap=colors,
        norm=norm,
        rasterized=True,
    )
    # Arrows at the ends of the scale mark values beyond it.
    is_below = bool((panel.values < low).any())
    is_above = bool((panel.values > high).any())
    ends = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}
    figure = axes.get_figure()
    assert figure is not None
    bar = figure.colorbar(
        mesh, ax=axes, extend=ends[is_below, is_above], aspect=18, pad=0.03
    )
    if scale.ticks:
        shown = [t for t in scale.ticks if low <= t[0] <= high]
        bar.set_ticks([t for t, _ in shown], labels=[label for _, label in shown])
        bar.minorticks_off()
    bar.ax.tick_params(labelsize=8)


def _draw_line(
    axes: Axes,
    prices: Sequence[float],
    inverse_temperatures: Sequence[float],
    line: Line,
) -> QuadContourSet | None:
    """Draw where the values cross the level; None if they do not."""
    crosses = line.values.min() < line.level < line.values.max()
    if not crosses or min(line.values.shape) < 2:
        return None
    return axes.contour(
        prices,
        inverse_temperatures,
        line.values,
        levels=[line.level],
        colors="black",
        linestyles=line.dashes,
        linewidths=1.1,
    )


def _edges(centers: Sequence[float]) -> Floats:
    """Edges of cells around centers, halfway between them on a logarithmic scale."""
    logs = np.log(np.array(centers, dtype=np.float64))
    if logs.size == 1:
        # A single price or inverse temperature has a cell that shows.
        steps = np.log([1.5, 1.5])
    else:
        steps = np.diff(logs)[np.r_[0, : logs.size - 1, -1]]
    edges: Floats = np.exp(np.append(logs - steps[:-1] / 2, logs[-1] + steps[-1] / 2))
    return edges
