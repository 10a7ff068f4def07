"""Figures of `quality.py`: how far values and bounds are from the best, over time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
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
    "root": ORANGE,
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
# Points in time at which means are computed.
_NUM_TIMES = 300
# Fields of an outcome, and how they are drawn.
_LINES: dict[str, Literal["-", "--"]] = {"values": "-", "bounds": "--"}
# Below this share of the best value, the scale is linear, so that it includes 0.
_LINEAR_BELOW = 1e-4


def draw_over_time(outcomes: Sequence[Outcome], path: Path) -> None:
    """One panel per instance, one line per method and seed."""
    best = best_values(outcomes)
    instances = ordered(outcome.instance for outcome in outcomes)
    with in_house_style():
        figure, panels = _panels(instances, "missing from the best, %")
        for axes, instance in zip(panels, instances, strict=True):
            group = [outcome for outcome in outcomes if outcome.instance == instance]
            for outcome in group:
                _draw_line(axes, outcome, best[instance])
            _finish(axes, instance, max(outcome.max_seconds for outcome in group))
        _add_legend(figure, outcomes)
        save(figure, path)


def draw_families(outcomes: Sequence[Outcome], path: Path) -> None:
    """One panel per family: values and bounds of each method, means over instances."""
    best = best_values(outcomes)
    families = ordered(outcome.family for outcome in outcomes)
    methods = ordered(outcome.method for outcome in outcomes)
    with in_house_style():
        figure, panels = _panels(families, "away from the best, %")
        for axes, family in zip(panels, families, strict=True):
            group = [outcome for outcome in outcomes if outcome.family == family]
            limit = max(outcome.max_seconds for outcome in group)
            count = len({(outcome.instance, outcome.seed) for outcome in group})
            times = np.geomspace(_FIRST_SECONDS, limit, _NUM_TIMES)
            for method in methods:
                mine = [outcome for outcome in group if outcome.method == method]
                for name, dashes in _LINES.items():
                    if not any(getattr(outcome, name) for outcome in mine):
                        continue
                    means = 100 * mean_distances(mine, name, best, times, count=count)
                    style = {**_style(method), "linestyle": dashes}
                    axes.plot(times, means, drawstyle="steps-post", **style)
                    axes.plot([limit], means[-1:], marker="o", markersize=3, **style)
            _finish(axes, f"{family} ({count})", limit)
        lines = [
            Line2D([], [], color=GREY, linestyle=dashes, label=name)
            for name, dashes in _LINES.items()
        ]
        _add_legend(figure, outcomes, lines)
        save(figure, path)


def mean_distances(
    outcomes: Sequence[Outcome],
    name: str,
    best: dict[str, float],
    times: np.ndarray,
    *,
    count: int,
) -> np.ndarray:
    """Mean share by which values or bounds are away from the best, at each time.

    Of each of `count` runs it is 1 while there is none, and at most 1. NaN if all are.
    """
    distances = np.ones((count, times.size))
    for row, outcome in zip(distances, outcomes, strict=False):
        for seconds, value in getattr(outcome, name):
            # A method that exceeded the limit is drawn at the limit.
            is_known = times >= min(seconds, outcome.max_seconds)
            row[is_known] = min(1.0, shortfall(value, best[outcome.instance]))
    means: np.ndarray = distances.mean(axis=0)
    return np.where(means < 1.0, means, math.nan)


def _panels(names: Sequence[str], label: str) -> tuple[Figure, list[Axes]]:
    """A figure with one panel per name."""
    columns = min(_COLUMNS, len(names))
    rows = -(-len(names) // columns)
    figure = Figure(figsize=(2.9 * columns, 2.2 * rows + 0.6), layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes in panels[len(names) :]:
        axes.set_visible(False)
    for axes in panels[::columns]:
        axes.set_ylabel(label)
    for axes in panels[max(0, len(names) - columns) : len(names)]:
        axes.set_xlabel("seconds")
    return figure, list(panels[: len(names)])


def _add_legend(
    figure: Figure, outcomes: Sequence[Outcome], lines: Sequence[Line2D] = ()
) -> None:
    methods = ordered(outcome.method for outcome in outcomes)
    handles = [Line2D([], [], label=method, **_style(method)) for method in methods]
    figure.legend(
        handles=[*handles, *lines],
        loc="outside lower center",
        ncols=min(6 if lines else 4, len(handles) + len(lines)),
        frameon=False,
        fontsize=8,
    )


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
