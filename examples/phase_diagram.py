"""A phase diagram: belief propagation at every price and temperature.

python examples/phase_diagram.py [PICTURE.png]

The picture may also be a PICTURE.svg or a PICTURE.pdf.
"""

import sys
from pathlib import Path

import numpy as np

from thatch import CoverageProblem, PricedProblem, propagate, solve
from thatch.problem.instances.random_graphs import BiregularGraph
from thatch.solvers.greedy import round_by_rank

GRAPH = BiregularGraph(num_items=100, num_elements=300, item_degree=9, element_degree=3)
PRICES = np.linspace(0.5, 12.0, 24)
TEMPERATURES = np.geomspace(0.1, 10.0, 17)


def main() -> None:
    problem = GRAPH.problem(budget=100, seed=0)
    costs, values = sweep(problem, TEMPERATURES, PRICES)
    print("temperature  price that spends the budget  covered there  most covered")
    for t in range(0, len(TEMPERATURES), 4):
        spending = int(np.argmin(abs(costs[t] - problem.budget)))
        print(
            f"{TEMPERATURES[t]:11.2f}  {PRICES[spending]:28.1f}"
            f"  {values[t, spending]:13.0f}  {values[t].max():12.0f}"
        )
    if len(sys.argv) > 1:
        spent, covered = costs / problem.budget, values / solve(problem).selection.value
        draw(sys.argv[1], TEMPERATURES, PRICES, spent, covered)


def sweep(
    problem: CoverageProblem, temperatures: np.ndarray, prices: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Expected costs and covered weights, one row per temperature."""
    priced_problems = [
        PricedProblem(problem, inverse_temperature=1.0 / temperature, price=price)
        for temperature in temperatures
        for price in prices
    ]
    found = propagate(priced_problems)
    shape = len(temperatures), len(prices)
    costs = np.array([beliefs.expected_cost for beliefs in found]).reshape(shape)
    selections = [round_by_rank(problem, beliefs.item_fields) for beliefs in found]
    return costs, np.array([each.value for each in selections]).reshape(shape)


def draw(
    path: str | Path,
    temperatures: np.ndarray,
    prices: np.ndarray,
    spent: np.ndarray,
    covered: np.ndarray,
) -> None:
    from matplotlib.figure import Figure

    from thatch.plot.drawing import in_house_style, save_both_themes

    # Half the budget is as far from it as twice the budget: the scale is logarithmic.
    scales = (
        {"cmap": "RdBu_r", "vmin": -2.0, "vmax": 2.0},
        {"cmap": "viridis", "vmin": 0.9, "vmax": 1.0},
    )
    with in_house_style():
        figure = Figure(figsize=(7.0, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2, sharey=True)
        for axes, colors, scale, title in (
            (left, np.log2(spent), scales[0], "expected cost / budget"),
            (right, covered, scales[1], "covered weight / optimum"),
        ):
            mesh = axes.pcolormesh(
                prices,
                temperatures,
                colors,
                shading="nearest",
                rasterized=True,
                **scale,
            )
            # Triangles mark the ends at which the scale is clipped.
            is_low, is_high = (
                colors.min() < mesh.norm.vmin,
                colors.max() > mesh.norm.vmax,
            )
            ends = {(0, 0): "neither", (1, 0): "min", (0, 1): "max", (1, 1): "both"}
            bar = figure.colorbar(mesh, ax=axes, extend=ends[is_low, is_high])
            axes.contour(prices, temperatures, spent, levels=[1.0], colors="black")
            axes.set_yscale("log")
            axes.set_xlabel(r"price $\mu$")
            axes.set_title(title, fontsize=9)
            axes.tick_params(direction="in", top=True, right=True, which="both")
            if axes is left:
                bar.set_ticks(range(-2, 3), labels=["1/4", "1/2", "1", "2", "4"])
        left.set_ylabel(r"temperature $1 / \beta$")
        figure.canvas.draw()
    save_both_themes(figure, path)


if __name__ == "__main__":
    main()
