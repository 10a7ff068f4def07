"""Prices of groups: limits per group within a dual bound.

A group of which at most k items may be chosen has a price, as the budget has one: k
times the price is added to the bound, and every item of the group earns that much less.
At a given price of the budget, the best price of a group is what the first item earns
for which there is no room.
"""

from __future__ import annotations

import numpy as np

from thatch.arrays import Floats, Indices, Ints

# Halvings of the interval in which the price of the budget is, and the share of the
# budget that may be spent too much or too little at the end.
_MAX_HALVINGS = 30
_TOLERANCE = 1e-3


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
    for _ in range(_MAX_HALVINGS):
        found, spent = prices_at(price)
        if abs(spent - budget) <= _TOLERANCE * budget:
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
