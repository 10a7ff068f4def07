"""The figure of `quality.py`: what is missing from the best value, over time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
    save,
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
_FIRST_SECONDS = 0.01
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
            limit = max(o.max_seconds for o in outcomes if o.instance == instance)
            _finish(axes, instance, limit)
        for axes in panels[len(instances) :]:
            axes.set_visible(False)
        for axes in panels[::columns]:
            axes.set_ylabel("missing from the best, %")
        for axes in panels[max(0, len(instances) - columns) : len(instances)]:
            axes.set_xlabel("seconds")
        handles = [
            panels[0].plot([], [], label=method, **_style(method))[0]
            for method in methods
        ]
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=min(4, len(methods)),
            frameon=False,
            fontsize=8,
        )
        save(figure, path)


def _draw_line(axes: Axes, outcome: Outcome, best: float) -> None:
    # A method that exceeded the limit is drawn at the limit.
    limit = outcome.max_seconds
    seconds = [min(max(_FIRST_SECONDS, point[0]), limit) for point in outcome.values]
    missing = [100 * shortfall(point[1], best) for point in outcome.values]
    # The last value holds until the limit; its dot is all that some methods have.
    seconds.append(limit)
    missing.append(missing[-1])
    style = _style(outcome.method)
    axes.plot(seconds, missing, drawstyle="steps-post", **style)
    axes.plot([limit], [missing[-1]], marker="o", markersize=3, **style)


def _style(method: str) -> dict[str, Any]:
    is_main = method == "auto"
    return {
        "color": _COLORS.get(method, GREY),
        "linestyle": "--" if method == "cp-sat-relaxed" else "-",
        "linewidth": 1.6 if is_main else 1.0,
        "zorder": 3 if is_main else 2,
    }


def _finish(axes: Axes, instance: str, limit: float) -> None:
    axes.set_title(instance, fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(_FIRST_SECONDS, 1.3 * limit)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter("")
    axes.set_yscale("symlog", linthresh=100 * _LINEAR_BELOW)
    # Room for the dots at the ends.
    axes.set_ylim(-0.3 * 100 * _LINEAR_BELOW, 1.6 * axes.get_ylim()[1])
    axes.yaxis.set_major_formatter("{x:g}")
    axes.tick_params(direction="in", top=True, right=True, which="both", labelsize=8)
