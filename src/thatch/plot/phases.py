"""Phase diagrams: quantities over price and inverse temperature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thatch.arrays import Floats
from thatch.plot.drawing import in_house_style, require_matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Panel:
    """A quantity over price and inverse temperature."""

    label: str
    #: float64, shape (num_temperatures, num_prices).
    values: Floats
    #: Colors diverge from this value.
    center: float
    #: The largest distance from the center that has a color of its own.
    reach: float = 1.0
    #: Whether a line marks the center.
    has_line: bool = True


def draw_phases(
    prices: Sequence[float],
    inverse_temperatures: Sequence[float],
    panels: Sequence[Panel],
) -> Figure:
    """Draw panels side by side, two per row, on logarithmic scales."""
    require_matplotlib()
    from matplotlib.figure import Figure

    with in_house_style():
        rows = (len(panels) + 1) // 2
        figure = Figure(figsize=(7.2, 2.7 * rows), layout="constrained")
        grid = figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            low, high = panel.center - panel.reach, panel.center + panel.reach
            mesh = axes.pcolormesh(
                prices,
                inverse_temperatures,
                panel.values,
                shading="gouraud",
                cmap="RdBu_r",
                vmin=low,
                vmax=high,
                rasterized=True,
            )
            # Arrows at the ends of the scale mark values beyond it.
            is_below = bool((panel.values < low).any())
            is_above = bool((panel.values > high).any())
            ends = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}
            figure.colorbar(
                mesh, ax=axes, label=panel.label, extend=ends[is_below, is_above]
            )
            crosses = panel.values.min() < panel.center < panel.values.max()
            if panel.has_line and crosses:
                axes.contour(
                    prices,
                    inverse_temperatures,
                    panel.values,
                    levels=[panel.center],
                    colors="black",
                    linewidths=1.0,
                )
            axes.set(xscale="log", yscale="log")
            axes.tick_params(direction="in", which="both")
        for axes in grid[-1]:
            axes.set_xlabel(r"price $\mu$")
        for axes in grid[:, 0]:
            axes.set_ylabel(r"inverse temperature $\beta$")
    return figure
