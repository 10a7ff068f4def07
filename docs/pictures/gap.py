"""A closing gap: the bound falls and the value of the best selection rises."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from thatch import (
    BeliefPropagation,
    CoverageProblem,
    GeneralizedGreedy,
    Selection,
    solve,
)
from thatch.plot.drawing import BLUE, GREY, RED, in_house_style, save_both_themes
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.bounds import first_order_bound

PICTURE = Path(__file__).parents[1] / "images" / "gap.png"
STEPS = np.arange(0, 151, 5)


def main() -> None:
    """Draw into the file given, or into the documentation."""
    graph = BiregularGraph(
        num_items=1000, num_elements=3000, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=1000, seed=1)
    start = solve(problem, GeneralizedGreedy()).selection
    save_both_themes(
        drawn(problem, start), sys.argv[1] if len(sys.argv) > 1 else PICTURE
    )


def drawn(problem: CoverageProblem, start: Selection) -> Figure:
    """The bound, the value, and the gap between them."""
    bounds = [
        first_order_bound(problem, start=start, iterations=int(steps))
        for steps in STEPS
    ]
    trace = solve(problem, BeliefPropagation()).trace
    values = [start.value] + [
        max(start.value, trace[steps - 1].value) for steps in STEPS[1:]
    ]
    with in_house_style():
        figure = Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.subplots()
        axes.plot(STEPS, bounds, color=RED, label="bound: no selection covers more")
        axes.fill_between(STEPS, values, bounds, color=GREY, alpha=0.2)
        axes.plot(STEPS, values, color=BLUE, label="value of the best selection found")
        gap = 1 - values[-1] / bounds[-1]
        note = f"certified gap at the end: {gap:.2%}"
        axes.text(0.98, 0.4, note, transform=axes.transAxes, ha="right")
        axes.set_xlabel("steps of the bound's descent, and updates of the messages")
        axes.set_ylabel("covered weight")
        axes.legend(frameon=False)
        figure.canvas.draw()
    return figure


if __name__ == "__main__":
    main()
