"""Curves of several sizes against the price, with bands for the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thatch.plot.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    RED,
    Curve,
    legend_below,
    saved_figure,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLORS = (ORANGE, GREEN, BLUE, RED, PURPLE)
_LIMIT_COLOR = "black"
_AROUND_PEAK = (3.0, 7.2)


@dataclass(frozen=True)
class Band:
    """Between which values something is; a line if they are nearly equal."""

    label: str
    low: float
    high: float


@dataclass(frozen=True)
class SizePeak:
    """The curve of one size, and between which values the optimum is."""

    curve: Curve
    optimum: Band | None
    #: Whether it is the limit of large graphs.
    is_limit: bool = False


def draw_peaks(prices: Sequence[float], sizes: Sequence[SizePeak]) -> Figure:
    """Draw all prices on the left, and those around the peak on the right.

    Curve and optimum of a size have the same color.
    """
    colors = [
        _LIMIT_COLOR if size.is_limit else _COLORS[k % len(_COLORS)]
        for k, size in enumerate(sizes)
    ]
    with saved_figure(size=(7.2, 3.9)) as figure:
        whole, near = figure.subplots(1, 2)
        for axes in (whole, near):
            handles: dict[str, Artist] = {}
            for size, color in zip(sizes, colors, strict=True):
                handles |= _draw(axes, prices, size, color)
            axes.set_xlabel(r"price $\mu$")
            axes.set_ylabel("covered weight per item")
            axes.tick_params(direction="in", which="both", top=True, right=True)
        whole.set_xscale("log")
        whole.set_title("(a) all prices", loc="left", fontsize=9)
        near.set_title("(b) around the peak", loc="left", fontsize=9)
        _look_closely(near, prices, sizes)
        # A column has the curve of a size, and the optimum below it.
        artists = list(handles.values())
        legend_below(figure, artists, list(handles), ncols=len(sizes), fontsize=8)
    return figure


def _look_closely(
    axes: Axes, prices: Sequence[float], sizes: Sequence[SizePeak]
) -> None:
    """Show the prices around the peak, if there are any, and all optima."""
    shown = [
        mean
        for size in sizes
        for price, mean in zip(prices, size.curve.means, strict=True)
        if _AROUND_PEAK[0] <= price <= _AROUND_PEAK[1]
    ]
    if not shown:
        return
    tops = [*shown, *(size.optimum.high for size in sizes if size.optimum)]
    margin = 0.06 * (max(tops) - min(shown)) or 0.01 * abs(max(tops)) or 1.0
    axes.set_xlim(*_AROUND_PEAK)
    axes.set_ylim(min(shown) - margin, max(tops) + margin)


def _draw(
    axes: Axes, prices: Sequence[float], size: SizePeak, color: str
) -> dict[str, Artist]:
    """Draw bands at the back, lines of optima over them, and curves over both."""
    from matplotlib.patches import Patch

    curve, optimum = size.curve, size.optimum
    handles: dict[str, Artist] = {}
    handles[curve.label] = axes.errorbar(
        prices,
        curve.means,
        yerr=curve.errors,
        color=color,
        marker="" if size.is_limit else "o",
        markersize=2.5,
        linewidth=1.6 if size.is_limit else 0.9,
        elinewidth=0.8,
        capsize=1.5,
        zorder=4 if size.is_limit else 3,
    )  # type: ignore[assignment]
    if optimum is None:
        return handles
    # Bands that are narrower, relative to their values, would be invisible.
    if optimum.high - optimum.low > 1e-4 * abs(optimum.high):
        axes.axhspan(optimum.low, optimum.high, color=color, alpha=0.3, lw=0, zorder=1)
        handles[optimum.label] = Patch(color=color, alpha=0.3, lw=0)
    else:
        handles[optimum.label] = axes.axhline(
            optimum.low, color=color, linestyle="dashed", linewidth=1.2, zorder=2.5
        )
    return handles
