"""Converging messages: the marginal of each bus stop, update by update."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from thatch import CoverageProblem, PricedProblem, propagate, read_instance
from thatch.plot.drawing import BLUE, GREY, RED, in_house_style, save_both_themes
from thatch.problem.instances.random_graphs import BiregularGraph

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "messages.png"
UPDATES = range(26)
# Warmer than the default, so that the probabilities differ visibly.
INVERSE_TEMPERATURE = 0.0005


def main() -> None:
    """Draw into the file given, or into the documentation."""
    stops = read_instance(ROOT / "examples" / "bus_stops.json")
    with in_house_style():
        figure = Figure(figsize=(8.0, 3.4), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        _draw_marginals(left, stops)
        _draw_changes(right)
        figure.canvas.draw()
    save_both_themes(figure, sys.argv[1] if len(sys.argv) > 1 else PICTURE)


def _draw_marginals(axes: Axes, stops: CoverageProblem) -> None:
    priced = PricedProblem(stops, inverse_temperature=INVERSE_TEMPERATURE)
    (converged,) = propagate([priced])
    priced = replace(priced, price=converged.price)
    rows = [
        propagate([priced], max_iterations=updates)[0].item_marginals
        for updates in UPDATES
    ]
    for i, marginals in enumerate(np.transpose(rows)):
        is_in = marginals[-1] > 0.5
        axes.plot(UPDATES, marginals, color=BLUE if is_in else GREY, linewidth=1)
        if is_in:
            axes.text(UPDATES[-1] + 0.6, marginals[-1], stops.item_label(i), fontsize=7)
    axes.set_xlabel("updates of every message")
    axes.set_ylabel("probability that the stop is chosen")
    axes.set_xlim(0, UPDATES[-1] + 7)


def _draw_changes(axes: Axes) -> None:
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    priced = PricedProblem(
        graph.problem(budget=100, seed=0), inverse_temperature=3.0, price=5.0
    )
    for damping, color in ((0.5, BLUE), (0.0, RED)):
        changes = [
            propagate([priced], damping=damping, max_iterations=updates)[
                0
            ].largest_change
            for updates in range(1, 121, 3)
        ]
        label = "damped" if damping else "undamped"
        axes.semilogy(range(1, 121, 3), changes, color=color, linewidth=1, label=label)
    axes.set_xlabel("updates of every message")
    axes.set_ylabel("largest change of a message")
    axes.legend(frameon=False)


if __name__ == "__main__":
    main()
