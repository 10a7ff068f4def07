"""Marginals at four temperatures, each at the price that spends the budget."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from thatch import PricedProblem, propagate
from thatch.plot.drawing import (
    BLUE,
    GREEN,
    ORANGE,
    RED,
    in_house_style,
    save_both_themes,
)
from thatch.problem.instances.random_graphs import BiregularGraph

PICTURE = Path(__file__).parents[1] / "images" / "temperature.png"
TEMPERATURES = {20.0: RED, 5.0: ORANGE, 1.0: GREEN, 0.0: BLUE}


def main() -> None:
    """Draw into the file given, or into the documentation."""
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=100, seed=0)
    priced_problems = [
        PricedProblem(problem, inverse_temperature=1.0 / t if t else math.inf)
        for t in TEMPERATURES
    ]
    sweep = propagate(priced_problems, max_iterations=500)
    ranks = np.arange(1, problem.num_items + 1)
    with in_house_style():
        figure = Figure(figsize=(6.4, 3.4), layout="constrained")
        axes = figure.subplots()
        for (t, color), beliefs in zip(TEMPERATURES.items(), sweep, strict=True):
            marginals = np.sort(beliefs.item_marginals)[::-1]
            note = f"temperature {t:g}, price {beliefs.price:.2f}"
            axes.plot(ranks, marginals, drawstyle="steps-mid", color=color, label=note)
        axes.set_xlabel("items, the likeliest first")
        axes.set_ylabel("probability that the item is chosen")
        axes.legend(frameon=False)
        figure.canvas.draw()
    save_both_themes(figure, sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
