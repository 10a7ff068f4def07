"""Pricing: a core of items that a good selection is likely to choose from.

At good multipliers, few items of a large problem have a reduced profit near 0 or above,
and a search among them is many times faster (as in Caprara, Fischetti and Toth 1999).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from thatch.arrays import Flags, Floats, Ints
from thatch.bounds.dual_bounds import DualPoint
from thatch.bounds.dual_descent import dual_points
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.restriction import Restriction
from thatch.problem.selection import Selection
from thatch.run.run import Run

# Where the bound is this share of all the weight or more, multipliers say little: even
# those of 0 would do. With less of the budget, one share after another, they tell items
# apart.
_SATURATED_SHARE = 0.98
_SMALLER_BUDGETS = (0.95, 0.98, 0.9)
# Their descent takes these iterations on all items, then some on the best ones, which
# are priced again after each.
_ITERATIONS_ON_ALL, _ITERATIONS_ON_BEST, _PRICINGS = 50, 600, 4
# Then almost everything can be covered, and every element keeps its best items.
_ITEMS_PER_ELEMENT = 5


def priced_core(
    problem: CoverageProblem,
    dual: DualPoint,
    kept: Sequence[Selection],
    *,
    num_items: int,
    turn: int,
    run: Run,
) -> Restriction:
    """Restrict a problem to the items of the best reduced profits.

    Parameters
    ----------
    problem
        The problem to restrict.
    dual
        Multipliers, which price the items.
    kept
        Selections whose items stay.
    num_items
        How many items to keep by their reduced profit.
    turn
        How many cores there were before: if the whole budget is too much to price
        items, another share of it is taken each time.
    run
        Ends a further descent early, if there is one.

    >>> from thatch import CoverageProblem
    >>> problem = CoverageProblem.from_sets([{0, 1}, {1}, {2}], budget=1)
    >>> dual = DualPoint.at(problem, problem.weights)
    >>> priced_core(problem, dual, [], num_items=1, turn=0, run=Run()).items
    array([0])
    """
    if dual.bound < _SATURATED_SHARE * problem.reachable_weight:
        is_kept = _best(dual.reduced_profits, num_items)
    else:
        share = _SMALLER_BUDGETS[turn % len(_SMALLER_BUDGETS)]
        smaller = replace(problem, budget=share * problem.budget)
        profits = _priced(smaller, kept, num_items, run)
        is_kept = _best(profits, num_items) | _best_of_elements(problem, profits)
    for selection in kept:
        is_kept[selection.items] = True
    return _restricted(problem, is_kept)


def _priced(
    problem: CoverageProblem, kept: Sequence[Selection], num_items: int, run: Run
) -> Floats:
    """Reduced profits from a descent on all items, then on the best ones in turn."""
    start = kept[0].items if kept else np.empty(0, dtype=np.int64)
    point = _descended(problem, start, _ITERATIONS_ON_ALL, run)
    for _ in range(_PRICINGS):
        profits = point.reduced_profits
        is_kept = _best(profits, num_items) | _best_of_elements(problem, profits)
        best = _restricted(problem, is_kept)
        inside = np.flatnonzero(np.isin(best.items, start))
        found = _descended(best.problem, inside, _ITERATIONS_ON_BEST, run)
        point = DualPoint.at(problem, found.multipliers)
        if run.must_stop:
            break
    return point.reduced_profits


def _descended(
    problem: CoverageProblem, start: Ints, iterations: int, run: Run
) -> DualPoint:
    (point,) = dual_points(
        problem,
        Selection(problem, start),
        iterations=iterations,
        iterations_per_point=iterations,
        num_threads=run.num_threads,
        should_stop=lambda: run.must_stop,
    )
    return point


def _restricted(problem: CoverageProblem, is_kept: Flags) -> Restriction:
    none = np.empty(0, dtype=np.int64)
    return Restriction.of(problem, np.flatnonzero(is_kept), none)


def _best(profits: Floats, num_items: int) -> Flags:
    """Mark the items of the best reduced profits."""
    is_best = np.zeros(profits.size, dtype=bool)
    num_items = min(num_items, profits.size)
    is_best[np.argpartition(-profits, num_items - 1)[:num_items]] = True
    return is_best


def _best_of_elements(problem: CoverageProblem, profits: Floats) -> Flags:
    """Mark the items of the best reduced profits of every element."""
    edges = problem.edges
    is_best = np.zeros(problem.num_items, dtype=bool)
    starts = edges.element_start[:-1][edges.element_degrees > 0]
    degrees = edges.element_degrees[edges.element_degrees > 0]
    left = profits[edges.element_items]
    for _ in range(_ITEMS_PER_ELEMENT):
        most = np.maximum.reduceat(left, starts)
        is_most = (left == np.repeat(most, degrees)) & (left > -np.inf)
        is_best[edges.element_items[is_most]] = True
        left[is_most] = -np.inf
    return is_best
