"""Covered weight against price, with the levels of other solvers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from thatch.errors import MissingExtraError
from thatch.whole_files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BLUE, _RED, _GREEN, _GREY = "#1f4e9c", "#b3321f", "#2b7a4b", "#777777"
_LEVEL_STYLES = ((_GREEN, "-."), (_RED, "--"), (_GREY, ":"))


@dataclass(frozen=True)
class Curve:
    """Means and standard errors, one a price."""

    label: str
    means: Sequence[float]
    errors: Sequence[float]


@dataclass(frozen=True)
class Level:
    """A value that no price changes."""

    label: str
    value: float


@dataclass(frozen=True)
class PriceSweep:
    """What the figure shows.

    Above, the curve against price, linear up to `last_linear_price` and logarithmic
    beyond; below, the paired difference around its largest value.
    """

    prices: Sequence[float]
    curve: Curve
    levels: Sequence[Level]
    difference: Curve
    last_linear_price: float
    caption: str

    def write_png(self, path: str | Path) -> None:
        """Draw and save."""
        figure = self._draw()
        with replacing(path) as draft:
            figure.savefig(draft, dpi=200, format="png")

    def _draw(self) -> Figure:
        require_matplotlib()
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        # No state of pyplot is touched, so drawing is safe on any thread.
        with rc_context(
            {"font.family": "serif", "mathtext.fontset": "dejavuserif", "font.size": 9}
        ):
            figure = Figure(figsize=(6.0, 5.6), layout="constrained")
            grid = figure.add_gridspec(2, 2, width_ratios=(4, 1), height_ratios=(2, 1))
            near = figure.add_subplot(grid[0, 0])
            far = figure.add_subplot(grid[0, 1], sharey=near)
            self._draw_values(near)
            self._draw_values(far)
            self._split_axis(near, far)
            near.set_ylabel("covered weight")
            near.set_xlabel(r"price $\mu$")
            # Between the falling flank and the lowest level, where nothing is drawn.
            near.legend(
                loc="lower right", bbox_to_anchor=(0.99, 0.2), frameon=False, fontsize=8
            )
            self._draw_difference(figure.add_subplot(grid[1, :]))
            figure.suptitle(self.caption, fontsize=9)
            figure.canvas.draw()
        return figure

    def _draw_values(self, axes: Axes) -> None:
        axes.errorbar(
            self.prices,
            self.curve.means,
            yerr=self.curve.errors,
            label=self.curve.label,
            color=_BLUE,
            marker="o",
            markersize=3,
            linewidth=1,
            elinewidth=0.7,
            capsize=1.5,
        )
        for level, (colour, dashes) in zip(self.levels, _LEVEL_STYLES, strict=False):
            axes.axhline(
                level.value,
                color=colour,
                linestyle=dashes,
                linewidth=1.1,
                label=level.label,
            )
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
        centre = max(points, key=lambda point: point[1])[0]
        prices, means, errors = zip(
            *(point for point in points if abs(point[0] - centre) <= 1.25), strict=True
        )
        axes.axhline(0.0, color=_RED, linestyle="--", linewidth=1.1)
        axes.errorbar(
            prices,
            means,
            yerr=[2.0 * error for error in errors],
            color=_BLUE,
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


def require_matplotlib() -> None:
    """Raise the error that says how to install matplotlib, if it is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            "Drawing figures", package="matplotlib", extra="plot"
        ) from None
