"""Certified upper bounds on the optimum.

Charge the items for a part of the weight of every element: for any charges between 0
and the weights, and any price that is not negative,

    sum over elements of (weight - charge) + price x budget
    + sum over items of max(0, charges of its elements - price x cost)

is at least the weight that any selection within the budget covers. Every bound here is
this sum, evaluated with its rounding counted against it: a proof, wherever the charges
come from.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike

from thatch._kernels import gains as kernel
from thatch.arrays import Floats, number, numbers
from thatch.devices import Device, device_named, require_threads
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.selection import Selection


@dataclass(frozen=True, eq=False)
class DualPoint:
    """Charges at the price that makes their bound lowest, and what items earn there."""

    #: The bound; no selection within the budget is worth more.
    bound: float
    price: float
    #: float64, one an element, between 0 and the weight.
    multipliers: Floats
    #: float64, one an item: its charges less price times cost.
    reduced_profits: Floats

    @classmethod
    def at(cls, problem: CoverageProblem, multipliers: ArrayLike) -> DualPoint:
        """Evaluate charges, one an element, cut to between 0 and the weight."""
        reachable = problem.reachable_elements
        multipliers = (
            np.clip(_checked(problem, multipliers), 0, problem.weights) * reachable
        )
        edges = problem.edges
        sums = np.empty(problem.num_items)
        kernel.sum_over_elements(
            multipliers, edges.item_start, edges.item_elements, sums
        )
        items = problem.affordable_items
        budget = problem.budget
        price = critical_price(sums[items], problem.costs[items], budget=budget)
        with np.errstate(over="ignore"):
            reduced_profits = sums - price * problem.costs
            gains = np.maximum(0.0, reduced_profits[items])
            touched = float(sums[items][gains > 0].sum())
            if not np.isfinite(touched + price * budget):
                # Without charges items earn nothing, and the bound is all there is.
                nothing = np.zeros_like(multipliers)
                return cls(problem.reachable_weight, 0.0, nothing, np.zeros(sums.size))
        free = float(((problem.weights - multipliers) * reachable).sum())
        bound = free + price * budget + float(gains.sum())
        # A sum over an item's elements may be off by a rounding error an element, one
        # over all items or elements, which NumPy adds in pairs, by a few dozen.
        errors = int(edges.item_degrees.max(initial=0)) + 100
        bound += errors * float(np.finfo(float).eps) * (touched + bound)
        return cls(bound, price, multipliers, reduced_profits)


def dual_bound(problem: CoverageProblem, multipliers: ArrayLike) -> float:
    """Bound from one charge an element, at the price that makes it lowest.

    Parameters
    ----------
    problem
        The problem whose optimum is bounded.
    charges
        One an element: the part of its weight that its items must pay for. Cut to
        between 0 and the weight.

    >>> from thatch.instances import toy
    >>> star = toy.star(10)
    >>> dual_bound(star.problem, 0.5 * star.problem.weights), star.optimum
    (20.0, 13.0)
    """
    bound = DualPoint.at(problem, multipliers).bound
    return min(problem.rounded_bound(bound), problem.reachable_weight)


def _checked(problem: CoverageProblem, multipliers: ArrayLike) -> Floats:
    multipliers = numbers("charges", multipliers)
    if multipliers.size != problem.num_elements or np.isnan(multipliers).any():
        raise InputError(
            f"charges must be {problem.num_elements} numbers, one an element, got "
            f"{multipliers.size} with {np.isnan(multipliers).sum()} NaN.",
            hint="The weights themselves are a good start.",
        )
    return multipliers


def proof_tolerance(problem: CoverageProblem, value: float) -> float:
    """How far a bound may lie above a value that counts as proved optimal.

    Nothing for whole weights, the ninth digit for others.
    """
    return 0.0 if problem.has_whole_weights else 1e-8 * value


def critical_price(merits: Floats, costs: Floats, *, budget: float) -> float:
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


def first_order_bound(
    problem: CoverageProblem,
    *,
    start: Selection | None = None,
    iterations: int = 300,
    num_threads: int = 1,
    device: str = Device.CPU,
) -> float:
    """Bound from charges found by descent, each iteration in time linear in the edges.

    Close to that of the linear relaxation, on problems far too large for that.

    Parameters
    ----------
    problem
        The problem whose optimum is bounded.
    start
        A good selection makes for a good start; none is needed.
    iterations
        How many steps to take; a hundred come within a tenth of a per cent or so.
    num_threads
        How many threads to use; the bound does not depend on it.
    device
        Where charges are found, cpu or gpu; the bound is evaluated on the processor.

    >>> from thatch.instances import toy
    >>> first_order_bound(toy.greedy_trap().problem)
    16.0
    """
    from thatch.bounds.dual_descent import DualDescent

    require_threads(num_threads)
    if not number("iterations", iterations) >= 0:
        raise InputError(
            f"iterations must be >= 0, got {iterations}.", hint="Pass 0 or more."
        )
    multipliers = DualDescent(
        problem,
        Selection.of(problem, []) if start is None else start,
        num_threads=num_threads,
        device=device_named(device),
    )
    multipliers.improve(iterations)
    return min(
        dual_bound(problem, problem.weights), dual_bound(problem, multipliers.values)
    )


def lp_bound(problem: CoverageProblem, *, max_seconds: float = inf) -> float:
    """Bound from the linear relaxation, in which items may be chosen in part.

    HiGHS supplies the charges; if the time runs out first, the bound is looser.

    >>> from thatch.instances import toy
    >>> lp_bound(toy.greedy_trap().problem)
    16.0
    """
    from thatch.bounds.linear_program import LinearModel

    model = LinearModel(problem)
    multipliers = model.solve_relaxation(max_seconds=max_seconds)
    bound = dual_bound(problem, problem.weights)
    return (
        bound if multipliers is None else min(bound, dual_bound(problem, multipliers))
    )
