"""Curves of several sizes against the price, with bands for the optimum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from thatch.plot.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    Curve,
    in_house_style,
    require_matplotlib,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLORS = (ORANGE, GREEN, BLUE, "black")
_BAND_COLORS = (ORANGE, GREEN, BLUE, RED, PURPLE, GREY)
_AROUND_PEAK = (3.0, 7.2)


@dataclass(frozen=True)
class Band:
    """Between which values something is; a line if they are equal."""

    label: str
    low: float
    high: float


def draw_peaks(
    prices: Sequence[float], curves: Sequence[Curve], bands: Sequence[Band]
) -> Figure:
    """Draw all prices on the left, and those around the peak on the right."""
    require_matplotlib()
    from matplotlib.figure import Figure

    with in_house_style():
        figure = Figure(figsize=(7.2, 3.9), layout="constrained")
        whole, near = figure.subplots(1, 2)
        for axes in (whole, near):
            _draw(axes, prices, curves)
            axes.set_xlabel(r"price $\mu$")
            axes.tick_params(direction="in", which="both", top=True, right=True)
        whole.set_xscale("log")
        whole.set_ylabel("covered weight per item")
        whole.set_title("(a) Algorithm 2 at all prices", loc="left", fontsize=9)
        near.set_title("(b) around the peak", loc="left", fontsize=9)
        for band, color in zip(bands, _BAND_COLORS, strict=False):
            near.axhspan(
                band.low, band.high, color=color, alpha=0.35, lw=1.2, label=band.label
            )
        near.set_xlim(*_AROUND_PEAK)
        shown = [
            mean
            for curve in curves
            for price, mean in zip(prices, curve.means, strict=True)
            if _AROUND_PEAK[0] <= price <= _AROUND_PEAK[1]
        ]
        tops = [*shown, *(band.high for band in bands)]
        margin = 0.06 * (max(tops) - min(shown))
        near.set_ylim(min(shown) - margin, max(tops) + margin)
        handles, labels = near.get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside lower center", ncols=4, frameon=False
        )
    return figure


def _draw(axes: Axes, prices: Sequence[float], curves: Sequence[Curve]) -> None:
    for curve, color in zip(curves, _COLORS, strict=False):
        is_limit = color == "black"
        axes.errorbar(
            prices,
            curve.means,
            yerr=curve.errors,
            label=curve.label,
            color=color,
            marker="" if is_limit else "o",
            markersize=2.5,
            linewidth=1.6 if is_limit else 0.9,
            capsize=1.5,
        )
