"""A phase diagram: belief propagation at every price and temperature.

python examples/phase_diagram.py [PICTURE.png]
"""

import sys

import numpy as np

from thatch import PricedProblem, propagate
from thatch.instances.random_graphs import BiregularGraph
from thatch.solvers.greedy import round_by_rank

PRICES = np.linspace(0.5, 12.0, 24)
TEMPERATURES = np.geomspace(0.1, 10.0, 17)


def main() -> None:
    graph = BiregularGraph(
        num_items=100, num_elements=300, item_degree=9, element_degree=3
    )
    problem = graph.problem(budget=100, seed=0)
    priced_problems = [
        PricedProblem(problem, inverse_temperature=1.0 / temperature, price=price)
        for temperature in TEMPERATURES
        for price in PRICES
    ]
    sweep = propagate(priced_problems)
    shape = len(TEMPERATURES), len(PRICES)
    costs = np.array([beliefs.expected_cost for beliefs in sweep]).reshape(shape)
    selections = [round_by_rank(problem, beliefs.item_fields) for beliefs in sweep]
    values = np.array([found.value for found in selections]).reshape(shape)
    print("temperature  price that spends the budget  covered there  most covered")
    for t in range(0, len(TEMPERATURES), 4):
        spending = int(np.argmin(abs(costs[t] - problem.budget)))
        print(
            f"{TEMPERATURES[t]:11.2f}  {PRICES[spending]:28.1f}"
            f"  {values[t, spending]:13.0f}  {values[t].max():12.0f}"
        )
    if len(sys.argv) > 1:
        draw(costs / problem.budget, values)


def draw(spent: np.ndarray, values: np.ndarray) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    for axes, colors, title in zip(
        figure.subplots(1, 2, sharey=True),
        (np.clip(spent, 0.0, 2.5), values),
        ("expected cost / budget", "covered weight"),
        strict=True,
    ):
        mesh = axes.pcolormesh(PRICES, TEMPERATURES, colors, shading="nearest")
        figure.colorbar(mesh, ax=axes, label=title)
        axes.contour(PRICES, TEMPERATURES, spent, levels=[1.0], colors="black")
        axes.set_yscale("log")
        axes.set_xlabel("price")
    figure.axes[0].set_ylabel("temperature")
    figure.suptitle("On the black line the expected cost equals the budget", fontsize=9)
    figure.savefig(sys.argv[1], dpi=150)


if __name__ == "__main__":
    main()
