"""The figures of `speed.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from speed_representations import Line
from speed_scaling import BatchFigures

from thatch.plot.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    RED,
    in_house_style,
    save,
)

# One color per package, one marker per representation; single precision is dashed.
_COLORS = {"thatch": BLUE, "NumPy": GREEN, "JAX": ORANGE, "PGMax": RED}
_MARKERS = {"logarithms": "s", "OR factors": "^", "tables": "D"}


def draw_representations(lines: Sequence[Line], floor: float, path: Path) -> None:
    """Time per update against edges, one line per implementation, and of copying."""
    with in_house_style():
        figure = Figure(figsize=(6.0, 4.2), layout="constrained")
        axes = figure.add_subplot()
        for line in lines:
            package, *representation = line.name.split(", ")
            axes.plot(
                line.num_edges,
                line.figures,
                label=line.name,
                color=_COLORS.get(package, GREY),
                marker=next(
                    (_MARKERS[word] for word in representation if word in _MARKERS), "o"
                ),
                markersize=4,
                linestyle="--" if "single" in representation else "-",
                linewidth=2.0 if line is lines[0] else 1.0,
            )
        axes.axhline(floor, color=GREY, linestyle=":", linewidth=1.0)
        _say(axes, floor, "copying the bytes alone, beyond the caches")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("edges")
        axes.set_ylabel("ns per edge per iteration, one core")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.tick_params(direction="in", top=True, right=True, which="both")
        figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=8)
        save(figure, path)


def _say(axes: Axes, height: float, text: str) -> None:
    axes.annotate(
        text,
        xy=(0.99, height),
        xycoords=("axes fraction", "data"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="right",
        fontsize=8,
        color=GREY,
    )


def draw_scaling(
    threads: Mapping[int, float], batches: Sequence[BatchFigures], path: Path
) -> None:
    """Speed against threads on one graph, and against problems in one call."""
    with in_house_style():
        figure = Figure(figsize=(6.0, 2.9), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_threads(left, threads)
        _draw_batches(right, [each for each in batches if each.num_prices == 1])
        for axes in (left, right):
            axes.tick_params(direction="in", top=True, right=True, which="both")
        save(figure, path)


def _draw_threads(axes: Axes, threads: Mapping[int, float]) -> None:
    counts = list(threads)
    speeds = [threads[1] / figure for figure in threads.values()]
    axes.plot(counts, counts, color=GREY, linestyle="--", linewidth=1.0, label="ideal")
    axes.plot(counts, speeds, color=BLUE, marker="o", label="measured")
    axes.set_xticks(counts)
    axes.set_ylim(0, max(counts) * 1.1)
    axes.set_xlabel("threads")
    axes.set_ylabel("times as fast as one thread")
    axes.legend(loc="lower right", frameon=False, fontsize=8)


def _draw_batches(axes: Axes, batches: Sequence[BatchFigures]) -> None:
    counts = [batch.num_problems for batch in batches]
    axes.plot(counts, [batch.speed for batch in batches], color=BLUE, marker="o")
    axes.set_xscale("log")
    axes.set_xticks(counts, labels=[f"{count:,}" for count in counts])
    axes.minorticks_off()
    axes.set_ylim(bottom=0)
    axes.set_xlabel("problems in one call")
    axes.set_ylabel("problems per second")
