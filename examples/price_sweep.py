"""A sweep of the price: as it rises, the expected cost falls below the budget.

python examples/price_sweep.py [PICTURE.png]
"""

import sys
from pathlib import Path

import numpy as np

from thatch import PricedProblem, Summarizer, propagate, read_document, solve
from thatch.solvers.greedy import round_by_rank

SAMPLE = Path(__file__).parent / "pep-8016.txt"


def main() -> None:
    problem = Summarizer().task(read_document(SAMPLE), budget=100).problem
    prices = np.arange(0.0, 14.5, 0.5)
    # All prices run as one graph, in one call.
    sweep = propagate([PricedProblem(problem, price=price) for price in prices])
    costs = [beliefs.expected_cost for beliefs in sweep]
    values = [round_by_rank(problem, each.item_fields).value for each in sweep]
    print("price  expected words  covered")
    for price, cost, value in list(zip(prices, costs, values, strict=True))[::4]:
        print(f"{price:5.1f}  {cost:14.1f}  {value:7.0f}")
    # Without a given price, it is adapted until the expected cost equals the budget.
    (spending,) = propagate([PricedProblem(problem)])
    value = round_by_rank(problem, spending.item_fields).value
    print(f"{spending.price:5.1f}  {spending.expected_cost:14.1f}  {value:7.0f}")
    best = solve(problem).selection.value
    print(f"the most that {problem.budget:.0f} words can cover: {best:.0f}")
    if len(sys.argv) > 1:
        draw(prices, costs, values, budget=problem.budget, best=best)


def draw(
    prices: np.ndarray,
    costs: list[float],
    values: list[float],
    *,
    budget: float,
    best: float,
) -> None:
    from matplotlib.figure import Figure

    from thatch.plot.drawing import BLUE, ORANGE, in_house_style, save_both_themes

    with in_house_style():
        figure = Figure(figsize=(6.0, 4.8), layout="constrained")
        above, below = figure.subplots(2, sharex=True)
        above.semilogy(prices, costs, "o-", markersize=3, color=BLUE)
        above.axhline(budget, color="black", linestyle="--", label="budget")
        above.set_ylabel("expected words")
        above.legend(frameon=False)
        below.plot(prices, values, "o-", markersize=3, color=ORANGE)
        below.axhline(best, color="black", linestyle=":", label="optimum")
        below.set_ylabel("covered weight")
        below.set_xlabel("price: weight that a word must earn")
        below.legend(frameon=False, loc="lower center")
        save_both_themes(figure, sys.argv[1])


if __name__ == "__main__":
    main()
