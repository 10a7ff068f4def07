"""Four pictures of the pictures guide: curve, convergence, overlap and marginals."""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure
from stations import stations

from thatch import Auto, BeliefPropagation, GeneralizedGreedy, solve
from thatch.plot import (
    plot_convergence,
    plot_curve,
    plot_marginals,
    plot_overlap,
)
from thatch.plot.drawing import save_both_themes
from thatch.problem.instances.random_graphs import BiregularGraph

PICTURE = Path(__file__).parents[1] / "images" / "results.png"


def main() -> None:
    """Draw into the file given, or into the documentation."""
    problem = stations()
    graph = BiregularGraph(
        num_items=500, num_elements=1500, item_degree=9, element_degree=3
    )
    solved = solve(graph.problem(budget=500, seed=1), Auto(effort="fast"))
    budgets = range(1, 26)
    greedy = [solve(problem.with_budget(each), GeneralizedGreedy()) for each in budgets]
    figure = Figure(figsize=(10.0, 7.2), layout="constrained")
    (curve, convergence), (overlap, marginals) = figure.subplots(2, 2)
    plot_curve(
        budgets,
        [result.selection.value for result in greedy],
        [result.upper_bound for result in greedy],
        ax=curve,
    )
    plot_convergence(solved, ax=convergence, over="iterations")
    plot_overlap(solve(problem), ax=overlap)
    plot_marginals(solve(problem.with_budget(15), BeliefPropagation()), ax=marginals)
    save_both_themes(figure, sys.argv[1] if len(sys.argv) > 1 else PICTURE)


if __name__ == "__main__":
    main()
