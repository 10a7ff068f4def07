"""A bound from pairs of items that overlap.

Prices of elements between 0 and their weights, numbers d_i >= 0 and a matrix P with

    P_ij = sum of price / D of the elements that i and j share

bound the value of a selection x, where at most D items of an element fit together, by

    sum of (weight - price) + sum_i (s_i + d_i) x_i - x (P + diag(d)) x

as x_i = x_i^2. If P + diag(d) has no negative eigenvalue, this is at most its tangent
at any point, and the tangent's maximum within the budget is the bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch.verification.rows import Ints, NotProvedError, floored
from thatch.verification.states import Prices, State

# Points of the tangent are multiples of 1 / 2 to this power.
_POINT_BITS = 20


def exclude_by_overlaps(state: State, step: Mapping[str, Any]) -> None:
    """Raise an error unless the overlaps exclude all that is open."""
    claim = state.claim
    if not claim.is_plain:
        raise NotProvedError("overlaps are not bounded under its constraints")
    given = [np.asarray(step[name], dtype=np.float64) for name in ("prices", "d", "x")]
    prices, own, point = given
    if not all(np.isfinite(each).all() for each in given):
        raise NotProvedError("the numbers of its overlaps are not finite")
    weights = claim.counted_weights
    can_count = (state.left > 0) & (
        np.bincount(state.elements, minlength=weights.size) > 0
    )
    limit = np.where(can_count, weights, 0)
    prices = np.clip(prices, 0.0, claim.reachable_weights)
    price = np.minimum(floored(prices, claim.unit), limit)
    diagonal = 1 - floored(-np.maximum(own, 0.0)[state.items], claim.unit)
    matrix, sums = _overlaps(state, price)
    np.fill_diagonal(matrix, diagonal)
    if not _is_semidefinite(matrix, sums):
        raise NotProvedError("the matrix of its overlaps is indefinite")
    x = floored(np.clip(point[state.items], 0.0, 1.0), _POINT_BITS).astype(object)
    # From here on in Python's integers, in units of 2 to the -2 * _POINT_BITS.
    slope = matrix.astype(object) @ x
    merits = (sums + diagonal).astype(object) * (1 << _POINT_BITS) - 2 * slope
    at_price = {"elements": prices, "rows": [float(step["price"])]}
    charges, allowed = Prices.of(claim, at_price).charges(state)
    charged = charges.astype(object) * (1 << _POINT_BITS)
    gains = int(np.maximum(merits - charged, 0).sum()) if x.size else 0
    free = int((limit - price).sum()) + int(weights[state.left <= 0].sum()) + allowed
    most = free * (1 << 2 * _POINT_BITS) + gains * (1 << _POINT_BITS) + int(x @ slope)
    if most >= state.target * (1 << 2 * _POINT_BITS):
        raise NotProvedError("overlaps do not exclude that a selection is better")


def _overlaps(state: State, price: Ints) -> tuple[Ints, Ints]:
    """The matrix without its diagonal, rounded down, and the prices of each item."""
    costs, limit = state.costs
    limit -= int(costs[state.is_taken].sum())
    spent = np.cumsum(np.sort(costs[state.items]))
    most = max(1, int(np.searchsorted(spent, limit, side="right")))
    size = state.items.size
    order = np.argsort(state.elements, kind="stable")
    items = np.repeat(np.arange(size), np.diff(state.start))[order]
    elements = state.elements[order]
    matrix = np.zeros((size, size), dtype=np.int64)
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, items, price[elements])
    ends = np.flatnonzero(np.append(np.diff(elements) != 0, True)) + 1
    start = 0
    for end in ends.tolist() if elements.size else []:
        inside = items[start:end]
        together = min(end - start, most)
        matrix[np.ix_(inside, inside)] += int(price[elements[start]]) // together
        start = end
    return matrix, sums


def _is_semidefinite(matrix: Ints, sums: Ints) -> bool:
    """Whether a Cholesky factorization shows that no eigenvalue is negative.

    If it succeeds for the matrix less 4 (n + 4) u times its trace on the diagonal, with
    the unit of rounding u, the matrix itself is semidefinite, whatever was rounded
    (Rump 2006). Rows and columns are scaled by powers of two, which is exact.
    """
    size = sums.size
    exponents = -(np.frexp(np.maximum(sums, 1).astype(np.float64))[1] // 2)
    scaled: NDArray[np.float64] = np.ldexp(
        matrix.astype(np.float64), exponents[:, None]
    )
    scaled = np.ldexp(scaled, exponents[None, :])
    shift = 4 * (size + 4) * np.finfo(float).eps / 2 * float(np.trace(scaled))
    try:
        np.linalg.cholesky(scaled - shift * np.eye(size))
    except np.linalg.LinAlgError:
        return False
    return True
