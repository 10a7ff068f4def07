"""Certified upper bounds on the optimum.

For any multipliers 0 <= lambda_a <= w_a and any price mu >= 0,

    sum_a (w_a - lambda_a) + mu K + sum_i max(0, sum_{a in i} lambda_a - mu c_i)

is at least the weight that any selection within the budget K covers. Every bound here
is this sum, evaluated with its rounding counted against it: a proof, wherever the
multipliers come from.
"""

from __future__ import annotations

from math import floor, inf

import numpy as np

from thatch._kernels import gains as kernel
from thatch.arrays import Floats, exact_sum
from thatch.problem import CoverageProblem
from thatch.selection import Selection


def dual_bound(problem: CoverageProblem, multipliers: Floats) -> float:
    """Bound from one multiplier an element, at the price that makes it lowest.

    Parameters
    ----------
    problem
        The problem whose optimum is bounded.
    multipliers
        float64, one an element; cut to between 0 and the element's weight.

    >>> from thatch.instances import toy
    >>> star = toy.star(10)
    >>> dual_bound(star.problem, 0.5 * star.problem.weights), star.optimum
    (20.0, 13.0)
    """
    fits = problem.costs <= problem.budget
    edges = problem.edges
    reachable = Selection.of(problem, np.flatnonzero(fits)).covered
    multipliers = np.clip(multipliers, 0.0, problem.weights)
    multipliers[~reachable] = 0.0
    unpriced = exact_sum((problem.weights - multipliers)[reachable])
    sums = np.empty(problem.num_items)
    kernel.sum_over_elements(multipliers, edges.item_start, edges.item_elements, sums)
    sums, costs = sums[fits], problem.costs[fits]
    price = critical_price(sums, costs, problem.budget)
    profits = np.maximum(0.0, sums - price * costs)
    bound = unpriced + price * problem.budget + exact_sum(profits)
    # Each sum over an item's elements carries a rounding error an element at most.
    largest_degree = int(edges.item_degrees.max(initial=0))
    touched = float(sums[profits > 0].sum()) + bound
    bound += (largest_degree + 16) * float(np.finfo(float).eps) * touched
    return min(_rounded_down(problem, bound), problem.weight_of(reachable))


def critical_price(merits: Floats, costs: Floats, budget: float) -> float:
    """Merit per cost of the item at which a budget filled by falling ratio runs out.

    It is 0 when everything fits.

    >>> import numpy as np
    >>> critical_price(np.array([6.0, 4.0, 1.0]), np.array([2.0, 2.0, 2.0]), budget=3)
    2.0
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = np.where(merits > 0, merits / costs, 0.0)
    order = np.argsort(-ratios, kind="stable")
    spent = np.cumsum(costs[order])
    position = int(np.searchsorted(spent, budget, side="right"))
    if position >= order.size:
        return 0.0
    price = float(ratios[order[position]])
    return price if price < inf else 0.0


def residual_bound(problem: CoverageProblem, selection: Selection) -> float:
    """Bound from what a selection leaves uncovered, in linear time.

    The optimum gains at most the best fractional filling of the budget with the items'
    gains, either on top of nothing or on top of the selection.

    >>> from thatch.instances import toy
    >>> star = toy.star(10)
    >>> residual_bound(star.problem, Selection.of(star.problem, [0])), star.optimum
    (14.0, 13.0)
    """
    uncovered = np.where(selection.covered, 0.0, problem.weights)
    return min(dual_bound(problem, problem.weights), dual_bound(problem, uncovered))


def lp_bound(problem: CoverageProblem, *, max_seconds: float = inf) -> float:
    """Bound from the linear relaxation, in which items may be chosen in part.

    HiGHS supplies the multipliers; if the time runs out first, the bound is looser.

    >>> from thatch.instances import toy
    >>> lp_bound(toy.greedy_trap().problem)
    16.0
    """
    from thatch.linear_model import LinearModel

    model = LinearModel(problem)
    multipliers = model.solve_relaxation(max_seconds=max_seconds)
    bound = dual_bound(problem, problem.weights)
    if multipliers is None:
        return bound
    return min(bound, dual_bound(problem, multipliers))


def _rounded_down(problem: CoverageProblem, bound: float) -> float:
    return float(floor(bound)) if problem.has_whole_weights else bound
