"""Expected cost and covered weight against price, on one of the paper's graphs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from thatch import PricedProblem, propagate, solve
from thatch.plot.drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    in_house_style,
    save_both_themes,
)
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.greedy import round_by_rank

PICTURE = Path(__file__).parents[1] / "images" / "price.png"
PRICES = np.linspace(0.25, 12.0, 48)


def main() -> None:
    """Draw into the file given, or into the documentation."""
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=100, seed=0)
    sweep = propagate([PricedProblem(problem, price=price) for price in PRICES])
    (spending,) = propagate([PricedProblem(problem)])
    optimum = solve(problem).selection.value
    values = [round_by_rank(problem, each.item_replies).value for each in sweep]
    with in_house_style():
        figure = Figure(figsize=(6.4, 4.4), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        above.plot(PRICES, [each.expected_cost for each in sweep], color=BLUE)
        above.axhline(problem.budget, color=GREEN, linestyle="--", label="budget")
        above.set_ylabel("expected cost")
        below.plot(PRICES, values, color=ORANGE)
        below.axhline(optimum, color=GREEN, linestyle=":", label="optimum")
        below.set_ylabel("covered weight")
        below.set_xlabel("price")
        for axes in (above, below):
            label = f"price that spends the budget: {spending.price:.2f}"
            axes.axvline(spending.price, color=GREY, linewidth=0.9, label=label)
            axes.legend(frameon=False, fontsize=8)
        figure.canvas.draw()
    save_both_themes(figure, sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
