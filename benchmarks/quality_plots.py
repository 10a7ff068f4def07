"""The figure of `quality.py`: what is missing from the best value, over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from quality_results import Outcome, best_values, ordered, shortfall

from thatch.plot.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PURPLE,
    RED,
    in_house_style,
    save_png,
)

_COLORS = {
    "auto": BLUE,
    "highs": GREEN,
    "cp-sat": RED,
    "cp-sat-relaxed": RED,
    "ac-cft": PURPLE,
    "ortools-set-cover": "#d0679d",
    "iterated-local-search": ORANGE,
    "row-weighting": "#8a5a2b",
}
_COLUMNS = 3
# Below this share of the best value, the scale is linear, so that it includes 0.
_LINEAR_BELOW = 1e-4


def draw_over_time(outcomes: Sequence[Outcome], path: Path) -> None:
    """One panel per instance, one line per method and seed."""
    best = best_values(outcomes)
    instances = ordered(outcome.instance for outcome in outcomes)
    methods = ordered(outcome.method for outcome in outcomes)
    columns = min(_COLUMNS, len(instances))
    rows = -(-len(instances) // columns)
    with in_house_style():
        figure = Figure(figsize=(2.9 * columns, 2.2 * rows + 0.6), layout="constrained")
        panels = figure.subplots(rows, columns, squeeze=False).ravel()
        for axes, instance in zip(panels, instances, strict=False):
            for outcome in outcomes:
                if outcome.instance == instance:
                    _draw_line(axes, outcome, best[instance])
            _finish(axes, instance)
        for axes in panels[len(instances) :]:
            axes.set_visible(False)
        for axes in panels[::columns]:
            axes.set_ylabel("missing from the best, %")
        for axes in panels[max(0, len(instances) - columns) : len(instances)]:
            axes.set_xlabel("seconds")
        handles = [
            panels[0].plot([], [], color=_COLORS.get(method, GREY), label=method)[0]
            for method in methods
        ]
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=min(4, len(methods)),
            frameon=False,
            fontsize=8,
        )
        save_png(figure, path)


def _draw_line(axes: Axes, outcome: Outcome, best: float) -> None:
    seconds = [max(0.01, point[0]) for point in outcome.values]
    missing = [100 * shortfall(point[1], best) for point in outcome.values]
    # The last value holds until the limit.
    seconds.append(max(outcome.max_seconds, seconds[-1]))
    missing.append(missing[-1])
    is_first = outcome.method == "auto"
    axes.plot(
        seconds,
        missing,
        drawstyle="steps-post",
        color=_COLORS.get(outcome.method, GREY),
        linestyle="--" if outcome.method == "cp-sat-relaxed" else "-",
        linewidth=1.6 if is_first else 1.0,
        zorder=3 if is_first else 2,
    )


def _finish(axes: Axes, instance: str) -> None:
    axes.set_title(instance, fontsize=9)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_yscale("symlog", linthresh=100 * _LINEAR_BELOW)
    axes.set_ylim(bottom=-0.3 * 100 * _LINEAR_BELOW)
    axes.yaxis.set_major_formatter("{x:g}")
    axes.tick_params(direction="in", top=True, right=True, which="both", labelsize=8)
