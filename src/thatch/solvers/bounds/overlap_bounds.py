"""A bound from pairs of items that overlap, where the linear relaxation is loose.

The relaxation may choose a third of every item and cover every element of three items
exactly once. No selection does that: items that share elements waste some of them, and
the eigenvalues of the overlaps say how much at least.

An element of weight w, multiplier l and n chosen items, of which at most D fit into the
budget together, adds at most

    (w - l) + l n - (2 l / D) n (n - 1) / 2

to the value: for n = 0 that is w - l, for n from 1 to D at least w. Summed over the
elements, with P_ij the sum of l / D over the elements that i and j share,

    sum of (w - l) + s x - x P x,  s_i = sum of the multipliers of i,

for the indicator x of the selection. For any d with P + diag(d) positive semidefinite,
x_i = x_i^2 makes this the concave function s x + d x - x (P + diag(d)) x, which is at
most its tangent at any point. The tangent's maximum within the budget is the bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from thatch.arrays import Floats, Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.certificates import Overlaps
from thatch.solvers.bounds.dual_bounds import DualPoint, critical_price
from thatch.solvers.step_efforts import OverlapEffort

_EPS = float(np.finfo(float).eps)


def overlap_bound(
    problem: CoverageProblem,
    multipliers: ArrayLike,
    effort: OverlapEffort = OverlapEffort(),  # noqa: B008
) -> float:
    """Bound from the overlaps of items, in time cubic in the number of items.

    Parameters
    ----------
    problem
        The problem whose optimum is bounded.
    multipliers
        One per element, such as those of a descent. Mixtures of them and the weights
        are tried.
    effort
        How precise the bound is.

    >>> import numpy as np
    >>> from thatch import CoverageProblem
    >>> from thatch.solvers.bounds import lp_bound
    >>> lines = [(k % 7, (k + 1) % 7, (k + 3) % 7) for k in range(7)]
    >>> fano = CoverageProblem.from_sets(lines, budget=2)
    >>> lp_bound(fano), overlap_bound(fano, np.ones(7))
    (6.0, 5.0)
    """
    point = DualPoint.at(problem, multipliers)
    lowest = min(point.bound, problem.reachable_bound)
    found = overlap_proof(problem, point, effort)
    if found is not None:
        lowest = min(lowest, found[0])
    return problem.rounded_bound(lowest)


def overlap_proof(
    problem: CoverageProblem, point: DualPoint, effort: OverlapEffort
) -> tuple[float, Overlaps] | None:
    """The bound from a dual point, and what shows it; None for extreme numbers."""
    weights = problem.weights * problem.reachable_elements
    items = problem.affordable_items
    # Sums of numbers as extreme as these would overflow, or lose all digits.
    if items.size == 0 or not 1e-150 < weights.max(initial=0.0) < 1e150:
        return None
    graph = _Overlaps.of(problem, items)
    ends = [
        _Quadratic.at(graph, each, float((weights - each).sum()), effort)
        for each in (point.multipliers, weights)
    ]
    costs = problem.costs[items]
    fitting = min(1.0, problem.budget / max(float(costs.sum()), 1e-300))
    x = np.full(items.size, fitting)
    best: tuple[float, Overlaps] | None = None
    # Mixtures of the given multipliers and the weights.
    for share in (1.0, 0.5, 0.0):
        mixed = ends[0].mixed_with(ends[1], share)
        x = _maximum(mixed, costs, problem.budget, x, effort)
        # Whoever checks it counts in these units.
        x = np.ldexp(np.floor(np.ldexp(np.clip(x, 0.0, 1.0), 20)), -20)
        bound, price = mixed.tangent_bound(x, costs, problem.budget)
        # Points are counted in units as well.
        bound += 16.0 * problem.counting_error
        if best is None or bound < best[0]:
            prices = (1.0 - share) * point.multipliers + share * weights
            diagonal, tangent = np.zeros((2, problem.num_items))
            diagonal[items], tangent[items] = mixed.matrix.diagonal(), x
            best = bound, Overlaps(prices, diagonal, tangent, price)
    return best


def overlap_bound_work(problem: CoverageProblem) -> float:
    """Work of the bound: items and edges that could be looked at in the same time."""
    degrees = np.diff(problem.edges.element_start).astype(float)
    pairs = float(degrees @ degrees)
    cubed = float(problem.num_items) ** 3
    return 2e7 + 10.0 * pairs + 0.3 * cubed


@dataclass(frozen=True)
class _Overlaps:
    """Every pair of items of every element, and how many of its items fit together."""

    num_items: int
    #: For each pair: its element, and its place in a matrix of items by items.
    elements: Ints
    places: Ints
    #: For each edge: its element and its item.
    edge_elements: Ints
    edge_items: Ints
    most_chosen: Floats

    @classmethod
    def of(cls, problem: CoverageProblem, items: Ints) -> _Overlaps:
        edges = problem.edges
        numbers = np.full(problem.num_items, -1)
        numbers[items] = np.arange(items.size)
        elements = np.repeat(
            np.arange(problem.num_elements), np.diff(edges.element_start)
        )
        edge_items = numbers[edges.element_items]
        is_kept = edge_items >= 0
        elements, edge_items = elements[is_kept], edge_items[is_kept]
        degrees = np.bincount(elements, minlength=problem.num_elements)
        first = np.concatenate(([0], np.cumsum(degrees)))[elements]
        # Edge e of an element is paired with each of the element's edges.
        sizes = degrees[elements]
        one = np.repeat(np.arange(elements.size), sizes)
        offset = np.arange(one.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        other = np.repeat(first, sizes) + offset
        is_pair = one != other
        one, other = one[is_pair], other[is_pair]
        # Rounding may let one more item fit than the sums of costs say.
        spent = np.cumsum(np.sort(problem.costs[items]))
        budget = problem.budget * (1.0 + 1e-9)
        most = max(1, int(np.searchsorted(spent, budget, side="right")))
        return cls(
            items.size,
            elements[one],
            edge_items[one] * items.size + edge_items[other],
            elements,
            edge_items,
            np.clip(degrees, 1, most).astype(float),
        )


@dataclass(frozen=True)
class _Quadratic:
    """The concave function free + merits x - x Q x, with Q and the merits not below 0.

    The merits include the diagonal of Q, because x_i = x_i^2.
    """

    free: float
    merits: Floats
    matrix: Floats

    @classmethod
    def at(
        cls,
        graph: _Overlaps,
        multipliers: Floats,
        free: float,
        effort: OverlapEffort,
    ) -> _Quadratic:
        n = graph.num_items
        shares = (multipliers / graph.most_chosen)[graph.elements]
        # Without any pair, NumPy returns integers.
        counted = np.bincount(graph.places, shares, minlength=n * n).astype(float)
        matrix: Floats = counted.reshape(n, n)
        sums = np.bincount(
            graph.edge_items, multipliers[graph.edge_elements], minlength=n
        ).astype(float)
        # Symmetric to the last bit: the eigenvalues are of the matrix that is used.
        matrix = np.maximum(matrix, matrix.T)
        scale = np.where(sums > 0.0, sums, 1.0)
        roots = np.sqrt(scale)
        scaled = matrix / roots[:, None] / roots
        diagonal = _semidefinite_shift(scaled, effort) * scale
        np.fill_diagonal(matrix, diagonal)
        return cls(free, sums + diagonal, matrix)

    def mixed_with(self, other: _Quadratic, share: float) -> _Quadratic:
        """A mixture of both: again a valid function, since all is linear in them."""
        return _Quadratic(
            (1.0 - share) * self.free + share * other.free,
            (1.0 - share) * self.merits + share * other.merits,
            (1.0 - share) * self.matrix + share * other.matrix,
        )

    def tangent_bound(
        self, x: Floats, costs: Floats, budget: float
    ) -> tuple[float, float]:
        """The maximum of the tangent at x within the budget, rounded up; its price."""
        slope = self.matrix @ x
        # Every term of the sums is at least 0, so errors are relative to their sizes.
        error = 10.0 * (x.size + 100) * _EPS
        gains = self.merits - 2.0 * slope + error * (self.merits + 2.0 * slope)
        price = critical_price(gains, costs, budget=budget)
        rest = float(np.maximum(0.0, gains - price * costs).sum())
        constant = self.free + float(x @ slope) + price * budget
        sizes = constant + float(np.maximum(gains, 0.0).sum()) + float(x @ slope)
        return constant + rest + error * sizes, price


def _semidefinite_shift(matrix: Floats, effort: OverlapEffort) -> float:
    """A number that makes a matrix of diagonal 0 semidefinite, added to the diagonal.

    An estimate of the lowest eigenvalue proposes it, and a Cholesky factorization
    proves it: if it succeeds, the matrix differs from a semidefinite one by less than
    its rounding errors, which are added too.
    """
    n = matrix.shape[0]
    shift = max(0.0, -_lowest_eigenvalue(matrix, effort))
    shift *= 1.0 + effort.eigenvalue_error
    for _ in range(effort.max_proofs):
        shifted = matrix + shift * np.eye(n)
        try:
            np.linalg.cholesky(shifted)
        except np.linalg.LinAlgError:
            shift = 1.01 * shift + effort.eigenvalue_error
            continue
        return float(shift + 10.0 * (n + 10) * _EPS * (n * shift + 1.0))
    # No eigenvalue is lower than minus the largest row sum.
    return float(matrix.sum(axis=1).max(initial=0.0) * (1.0 + 10.0 * n * _EPS))


def _lowest_eigenvalue(matrix: Floats, effort: OverlapEffort) -> float:
    """An estimate of the lowest eigenvalue."""
    if matrix.shape[0] > effort.max_items_for_all_eigenvalues:
        # SciPy is imported when it is needed: most problems are solved sooner.
        from scipy.sparse import csr_matrix
        from scipy.sparse.linalg import ArpackError, eigsh

        # The start makes the result the same every time.
        start = np.cos(np.arange(matrix.shape[0]))
        try:
            found = eigsh(
                csr_matrix(matrix),
                k=1,
                which="SA",
                v0=start,
                tol=effort.eigenvalue_error,
                return_eigenvectors=False,
            )
            return float(found[0])
        except ArpackError:
            pass  # it did not converge
    return float(np.linalg.eigvalsh(matrix)[0])


def _maximum(
    function: _Quadratic,
    costs: Floats,
    budget: float,
    x: Floats,
    effort: OverlapEffort,
) -> Floats:
    """The point of the lowest of some tangents on the way to the maximum."""
    steepest = 2.0 * float(function.matrix.sum(axis=1).max(initial=0.0))
    if steepest == 0.0:
        return x
    lowest, best = function.tangent_bound(x, costs, budget)[0], x
    last, ahead, pace = x, x, 1.0
    for step in range(1, effort.steps + 1):
        slope = function.merits - 2.0 * (function.matrix @ ahead)
        moved = _projected(ahead + slope / steepest, costs, budget, effort.bisections)
        next_pace = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * pace * pace))
        ahead = moved + (pace - 1.0) / next_pace * (moved - last)
        last, pace = moved, next_pace
        if step % effort.steps_per_tangent == 0:
            bound = function.tangent_bound(last, costs, budget)[0]
            if bound < lowest:
                lowest, best = bound, last
    return best


def _projected(x: Floats, costs: Floats, budget: float, bisections: int) -> Floats:
    """A point between 0 and 1, close to x, that costs about the budget at most."""
    clipped = np.clip(x, 0.0, 1.0)
    largest = float(costs.max(initial=0.0)) or 1.0
    # Relative to the largest, so that no product overflows.
    costs, budget = costs / largest, budget / largest
    if float(costs @ clipped) <= budget:
        return clipped
    # Items that cost less than that, relative to the most costly one, cost nothing.
    is_costly = costs > 1e-100
    low, high = 0.0, float((np.maximum(x, 0.0)[is_costly] / costs[is_costly]).max())
    for _ in range(bisections):
        price = 0.5 * (low + high)
        if float(costs @ np.clip(x - price * costs, 0.0, 1.0)) > budget:
            low = price
        else:
            high = price
    return np.clip(x - high * costs, 0.0, 1.0)
