"""Certified upper bounds on the optimum by Lagrangian duality.

A multiplier per element says how much of its weight the items must earn. For any
multipliers between 0 and the weights, and any non-negative price,

    sum over elements of (weight - multiplier) + price x budget
    + sum over items of max(0, multipliers of its elements - price x cost)

is at least the weight that any selection within the budget covers. Limits per group
have prices as well (`group_prices`). Every bound here is this sum with its rounding
error added: a proof, wherever the multipliers come from.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from operator import attrgetter

import numpy as np
from numpy.typing import ArrayLike

from thatch._kernels import graph as kernel
from thatch.arrays import Floats, Indices, Ints, is_frozen, value_at
from thatch.errors import InputError
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.inputs import aligned
from thatch.problem.selection import Selection


@dataclass(frozen=True, eq=False)
class DualPoint:
    """Multipliers, the price that makes their bound lowest, and the bound."""

    #: No selection within the budget is worth more than this.
    bound: float
    price: float
    #: float64, shape (num_elements,): between 0 and the weight.
    multipliers: Floats
    #: float64, shape (num_items,): multipliers of the item less price times cost, and
    #: less the price of its group.
    reduced_profits: Floats
    #: float64, shape (num_groups,): empty if no group has a limit.
    group_prices: Floats = field(default_factory=lambda: np.zeros(0))

    @classmethod
    def at(
        cls, problem: CoverageProblem, multipliers: ArrayLike, *, num_threads: int = 1
    ) -> DualPoint:
        """Evaluate one multiplier per element, clipped to between 0 and the weight."""
        reachable = problem.reachable_elements
        given = _checked(problem, multipliers)
        multipliers = np.clip(given, 0, problem.weights)
        multipliers *= reachable
        edges = problem.edges
        sums = np.empty(problem.num_items)
        kernel.sum_over_elements(
            multipliers, edges.item_start, edges.item_elements, sums, num_threads
        )
        # Views where all items are affordable: copies of many take longer.
        items: slice | Ints = problem.affordable_items
        if problem.affordable_items.size == problem.num_items:
            items = slice(None)
        budget = problem.budget
        merits = sums[items]
        price = critical_price(merits, problem.costs[items], budget=budget)
        group, at_most = problem.group_limits
        with np.errstate(over="ignore", invalid="ignore"):
            reduced_profits = sums - price * problem.costs
            limits = 0.0
            prices = np.zeros(at_most.size)
            if group.size:
                price, prices = best_prices(
                    np.where(problem.costs <= budget, sums, 0.0),
                    problem.costs,
                    budget=budget,
                    highest=price,
                    group=group,
                    at_most=at_most,
                )
                reduced_profits = sums - price * problem.costs - prices[group]
                limits = float(prices @ at_most)
            gains = np.maximum(0.0, reduced_profits[items])
            touched = float((merits * (gains > 0)).sum())
            if not np.isfinite(touched + price * budget + limits):
                # At multipliers of 0 items earn nothing: the bound is all the weight.
                nothing = np.zeros_like(multipliers)
                profits, prices = np.zeros(sums.size), np.zeros(at_most.size)
                return cls(problem.reachable_bound, 0.0, nothing, profits, prices)
        left = problem.weights - multipliers
        left *= reachable
        free = float(left.sum())
        bound = free + price * budget + limits + float(gains.sum())
        # The sum over an item's elements may be off by one rounding error per element;
        # NumPy adds the long sums in pairs, which may be off by a few dozen.
        errors = int(edges.item_degrees.max(initial=0)) + 100
        eps = float(np.finfo(float).eps)
        bound += errors * eps * (touched + bound)
        bound += problem.counting_error
        return cls(bound, price, multipliers, reduced_profits, prices)


def dual_bound(problem: CoverageProblem, multipliers: ArrayLike) -> float:
    """Bound from one multiplier per element, at the price that makes it lowest.

    Parameters
    ----------
    problem
        The problem whose optimum is bounded.
    multipliers
        One per element: the part of its weight that its items must earn. Values are
        clipped to between 0 and the weight.

    >>> from thatch.problem.instances import toy
    >>> star = toy.star(10)
    >>> dual_bound(star.problem, 0.5 * star.problem.weights), star.optimum
    (20.0, 13.0)
    """
    return certified(problem, DualPoint.at(problem, multipliers))


def certified(problem: CoverageProblem, point: DualPoint) -> float:
    """The bound of a point, rounded down where values are integers."""
    return min(problem.rounded_bound(point.bound), problem.reachable_bound)


def residual_bound(problem: CoverageProblem, selection: Selection) -> float:
    """Bound from the weight that a selection leaves uncovered, in linear time.

    The optimum gains at most what the best fractional choice within the budget gains,
    either on top of nothing or on top of the selection.

    >>> from thatch.problem.instances import toy
    >>> star = toy.star(10)
    >>> residual_bound(star.problem, Selection.of(star.problem, [0])), star.optimum
    (14.0, 13.0)
    """
    return certified(problem, residual_point(problem, selection))


def residual_point(problem: CoverageProblem, selection: Selection) -> DualPoint:
    """The dual point of `residual_bound`."""
    uncovered = np.where(selection.covered, 0.0, problem.weights)
    points = [DualPoint.at(problem, each) for each in (problem.weights, uncovered)]
    return min(points, key=attrgetter("bound"))


def lp_bound(problem: CoverageProblem, *, max_seconds: float = inf) -> float:
    """Bound from the linear relaxation, in which fractions of items may be chosen.

    HiGHS supplies the multipliers; if the time runs out first, the bound is looser.

    >>> from thatch.problem.instances import toy
    >>> lp_bound(toy.greedy_trap().problem)
    16.0
    """
    from thatch.solvers.highs.linear_relaxation import relaxed_multipliers

    multipliers = relaxed_multipliers(problem, max_seconds=max_seconds)
    bound = dual_bound(problem, problem.weights)
    if multipliers is None:
        return bound
    return min(bound, dual_bound(problem, multipliers))


def critical_price(merits: Floats, costs: Floats, *, budget: float) -> float:
    """Merit per cost of the item at which the budget runs out, in order of that ratio.

    It is 0 when everything fits.

    >>> import numpy as np
    >>> critical_price(np.array([6.0, 4.0, 1.0]), np.array([2.0, 2.0, 2.0]), budget=3)
    2.0
    """
    with np.errstate(divide="ignore", over="ignore"):
        ratios = np.zeros(merits.size)
        np.divide(merits, costs, out=ratios, where=merits > 0)
    price = value_at(ratios, costs, budget)
    return price if price is not None and price < inf else 0.0


def _checked(problem: CoverageProblem, multipliers: ArrayLike) -> Floats:
    if _is_checked(multipliers):
        given: Floats = multipliers  # type: ignore[assignment]
    else:
        names = problem.element_names
        given = aligned("multipliers", multipliers, "element", names)
    if given.size != problem.num_elements:
        raise InputError(
            f"expected one multiplier per element, got {given.size} multipliers "
            f"for {problem.num_elements} elements.",
            hint="The weights themselves are a valid choice.",
        )
    is_nan = np.isnan(given)
    if is_nan.any():
        raise InputError(
            f"multipliers[{int(np.argmax(is_nan))}] is NaN; multipliers must be "
            "numbers.",
            hint="The weights themselves are a valid choice.",
        )
    return given


def _is_checked(multipliers: ArrayLike) -> bool:
    """Whether they are a read-only list of doubles, as those of a descent are."""
    if not (isinstance(multipliers, np.ndarray) and is_frozen(multipliers)):
        return False
    return multipliers.ndim == 1 and multipliers.dtype == np.float64


def best_prices(
    merits: Floats,
    costs: Floats,
    *,
    budget: float,
    highest: float,
    group: Indices,
    at_most: Indices,
) -> tuple[float, Floats]:
    """The price of the budget and one price per group that make the bound lowest.

    Parameters
    ----------
    merits, costs
        One per item: what it may earn, and its cost.
    budget
        The budget.
    highest
        The price of the budget without groups.
    group, at_most
        The group of each item, and the limit of each group.

    >>> best_prices(
    ...     np.array([5.0, 4.0, 3.0]), np.ones(3), budget=2, highest=3,
    ...     group=np.array([0, 0, 1]), at_most=np.array([1, 1]),
    ... )
    (0.0, array([4., 0.]))
    """
    order, starts, sizes = _by_group(group, at_most.size)

    def prices_at(price: float) -> tuple[Floats, float]:
        """Prices of the groups, and what the best items that fit in them cost."""
        profits = merits - price * costs
        ranked = order[np.lexsort((-profits[order], group[order]))]
        first_outside = starts + np.minimum(at_most, sizes - 1)
        found = np.where(at_most < sizes, profits[ranked[first_outside]], 0.0)
        # Of items that earn the same, as many as fit, not all and not none.
        is_inside = np.arange(ranked.size) < (starts + at_most)[group[ranked]]
        best = ranked[is_inside & (profits[ranked] > 0)]
        return np.maximum(found, 0.0), float(costs[best].sum())

    low, high = 0.0, highest
    found, spent = prices_at(low)
    if spent <= budget or high <= 0.0:
        return low, found
    price = high
    for _ in range(30):
        found, spent = prices_at(price)
        # Any prices give a bound: these are close enough to the best.
        if abs(spent - budget) <= 1e-3 * budget:
            break
        low, high = (price, high) if spent > budget else (low, price)
        price = 0.5 * (low + high)
    return price, prices_at(price)[0]


def _by_group(group: Indices, num_groups: int) -> tuple[Ints, Ints, Ints]:
    """Items by group, where each group starts, and its size."""
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group, minlength=num_groups)
    starts = np.minimum(np.cumsum(sizes) - sizes, max(0, group.size - 1))
    return order.astype(np.int64), starts.astype(np.int64), sizes
