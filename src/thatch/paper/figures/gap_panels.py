"""Distances to a bound by method, and the expected cost in the course of iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from thatch.plot.drawing import (
    BLUE,
    GREY,
    LIGHT_GREY,
    ORANGE,
    RED,
    legend_below,
    save,
    saved_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thatch.arrays import Floats


@dataclass(frozen=True)
class GapPanel:
    """One ensemble of the figure."""

    title: str
    #: Mean and standard error of the distance to the bound in percent, by method.
    #: The first method is the one to compare with.
    gaps: Mapping[str, tuple[float, float]]
    #: Expected cost divided by the budget after each iteration, by name.
    traces: Mapping[str, Floats]


@dataclass(frozen=True)
class GapPanels:
    """The contents of the figure: one column per ensemble."""

    panels: Sequence[GapPanel]
    caption: str

    def save(self, path: str | Path) -> None:
        """Draw the figure, and save it as a PNG, SVG or PDF file."""
        with saved_figure(size=(9.6, 5.8)) as figure:
            upper, lower = figure.subplots(
                2,
                len(self.panels),
                sharey="row",
                squeeze=False,
                gridspec_kw={"height_ratios": (1.7, 1)},
            )
            for k, panel in enumerate(self.panels):
                _draw_gaps(upper[k], panel)
                _draw_costs(lower[k], panel)
                letter = ascii_lowercase[k]
                upper[k].set_title(f"({letter}) {panel.title}", loc="left", fontsize=8)
                letter = ascii_lowercase[len(self.panels) + k]
                lower[k].set_title(f"({letter})", loc="left", fontsize=8)
            lower[0].set_ylabel("expected cost / budget")
            handles, labels = lower[0].get_legend_handles_labels()
            legend_below(figure, handles, labels, ncols=len(labels), fontsize=8)
            figure.suptitle(
                f"{self.caption}; bars: $\\pm$ 2 s.e.m.; dashed: "
                f"{next(iter(self.panels[0].gaps))}",
                fontsize=9,
            )
        save(figure, path)


def _draw_gaps(axes: Axes, panel: GapPanel) -> None:
    places = range(len(panel.gaps))
    means, errors = zip(*panel.gaps.values(), strict=True)
    axes.axvline(means[0], color=RED, linestyle="--", linewidth=1.0)
    axes.hlines(places, 0, means, color=LIGHT_GREY, linewidth=0.8)
    axes.errorbar(
        means,
        places,
        xerr=[2.0 * error for error in errors],
        color=BLUE,
        marker="o",
        markersize=4,
        linestyle="none",
        capsize=2,
        elinewidth=0.9,
    )
    axes.set_yticks(places, labels=list(panel.gaps))
    axes.set_ylim(len(panel.gaps) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("below the bound in %")
    axes.tick_params(direction="in", top=True)


def _draw_costs(axes: Axes, panel: GapPanel) -> None:
    axes.axhline(1.0, color=GREY, linestyle=":", linewidth=0.9)
    for color, (name, trace) in zip((ORANGE, BLUE), panel.traces.items(), strict=False):
        axes.plot(range(1, trace.size + 1), trace, color=color, linewidth=1, label=name)
    axes.set_xlabel("iteration")
    axes.tick_params(direction="in", top=True, right=True)
