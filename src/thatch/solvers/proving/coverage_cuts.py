"""Linear relaxations with cuts instead of columns of elements (Benders decomposition).

What a group of elements is worth is concave in the shares of items: each element counts
up to its weight, and then no more. Its tangent at any shares is a cut,

    worth of the group <= sum of w_a over elements that are covered there
                          + sum over items of x_i sum of w_a over its other elements,

so that a column per group and some hundred cuts do for a million edges. A price of the
cuts is one of elements: w_a times the prices of the cuts that count a as open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Flags, Floats, Ints, sums_by
from thatch.problem.constraint_rows import highs_scale
from thatch.solvers.proving.branching import has_clusters
from thatch.solvers.proving.item_model import Basis, ItemModel, Relaxed
from thatch.solvers.proving.open_items import OpenItems
from thatch.solvers.proving.relaxation import Relaxation

if TYPE_CHECKING:
    import scipy.sparse

# Elements are in this many groups: with fewer there are more rounds of cuts, with more
# each of them takes longer.
_NUM_GROUPS = 100
# With fewer edges, columns of elements are solved faster.
_LEAST_EDGES = 50_000
# Cuts are added at shares between those of the program and the best known, and at those
# of the program.
_STEP_FROM_BEST = 0.3
# Rounds end once cuts could gain no more than this share of the distance to the target,
# or of the bound.
_LEAST_OF_EXCESS, _LEAST_OF_BOUND = 0.05, 1e-6
# Cuts that do not bind are dropped once there are this many more.
_CUTS_BEFORE_DROPPING = 1_000
# No program had more than a hundred rounds of cuts; dropped cuts could return for ever.
_MOST_ROUNDS = 500
# Shares of items add up to a covered element within this.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class _Cut:
    """What tells the prices of elements: the group, and which of them it counts."""

    group: int
    is_open: Flags


@dataclass(frozen=True, eq=False)
class _Tangent:
    """What some shares are worth, per group, and which elements they do not cover."""

    shares: Floats
    is_open: Flags
    by_group: Floats

    @property
    def worth(self) -> float:
        return float(self.by_group.sum())


class CutRelaxation(ItemModel):
    """The linear relaxation of a claim about coverage without demands."""

    def __init__(self, first: OpenItems) -> None:
        """Start without cuts."""
        import scipy.sparse

        claim = first.claim
        elements = np.flatnonzero(first.can_count & (claim.weights > 0))
        weights = claim.weights[elements]
        super().__init__(first, scale=highs_scale(weights))
        place = np.full(claim.weights.size, -1)
        place[elements] = np.arange(elements.size)
        is_kept = place[first.elements] >= 0
        owners = np.repeat(np.arange(self._num_items), np.diff(first.start))[is_kept]
        columns = place[first.elements[is_kept]]
        by_item = scipy.sparse.csr_array(
            (np.ones(columns.size), (owners, columns)),
            shape=(self._num_items, elements.size),
        )
        group = _groups(by_item, weights)
        # By group, so that each has a slice.
        order = np.argsort(group, kind="stable")
        self._elements, self._weights = elements[order], weights[order]
        self._group = group[order]
        self._by_element = by_item.T.tocsr()[order]
        self._num_groups = int(group.max(initial=-1)) + 1
        self._start = np.searchsorted(self._group, np.arange(self._num_groups + 1))
        totals = np.bincount(self._group, self._weights, self._num_groups)
        objective = np.append(np.zeros(self._num_items), np.ones(self._num_groups))
        upper = np.append(np.ones(self._num_items), totals * self._scale)
        # The worth is counted in units of the objective.
        self._pass(objective / self._scale, upper, [self._row_entries(claim, first)])
        #: What each row of the model is: a cut, or None.
        self._cuts: list[_Cut | None] = [None] * self._highs.getNumRow()
        self._most_rows = _CUTS_BEFORE_DROPPING

    def solve(
        self,
        state: OpenItems,
        *,
        should_stop: Callable[[], bool],
        basis: Basis | None = None,
    ) -> Relaxed:
        """Solve the program of a state, and add cuts until they hardly gain.

        The parameters are those of `Relaxation.solve`.
        """
        from highspy import HighsModelStatus

        self._set_items(state)
        self._drop_cuts()
        self._go_to(basis)
        best: _Tangent | None = None
        for _ in range(_MOST_ROUNDS):
            status = self._run(should_stop)
            if status != HighsModelStatus.kOptimal:
                break
            found = np.array(self._highs.getSolution().col_value)
            shares, most = found[: self._num_items], found[self._num_items :]
            tangents = [self._tangent(shares)]
            if best is not None:
                step = _STEP_FROM_BEST * (shares - best.shares)
                tangents.append(self._tangent(best.shares + step))
                tangents.append(best)
            best = max(tangents, key=lambda each: each.worth)
            bound = float(most.sum()) / self._scale
            excess = self._excess(state.claim, state)
            least = max(_LEAST_OF_EXCESS * excess, _LEAST_OF_BOUND * bound)
            if excess < 0.0 or bound - best.worth < least or should_stop():
                break
            cuts = [(each, self._cut_off(each, most)) for each in tangents[:2]]
            if not any(groups.size for _, groups in cuts):
                break
            # What was found is read by now: changes of the model take it away.
            self._drop_cuts()
            for each, groups in cuts:
                self._add_cuts(each, groups)
        is_infeasible = status == HighsModelStatus.kInfeasible
        return self._answer(state, is_infeasible=is_infeasible)

    def _answer(self, state: OpenItems, *, is_infeasible: bool) -> Relaxed:
        claim = state.claim
        shares, _ = self._shares(state)
        duals = np.array(self._highs.getSolution().row_dual)
        if is_infeasible:
            # Cuts allow everything: the rows alone contradict each other.
            _, has_ray, ray = self._highs.getDualRay()
            duals = np.array(ray) if has_ray else np.zeros(0)
        elements, rows = np.zeros(claim.weights.size), np.zeros(claim.rows.size)
        # If it had to stop right after cuts were added, there is no solution.
        if duals.size == self._highs.getNumRow():
            duals = np.abs(duals)
            rows[self._rows] = duals[: self._rows.size] * self._scales / self._scale
            self._case_prices(claim, duals / self._scale, rows)
            elements[self._elements] = self._prices(duals)
        if is_infeasible:
            elements = elements[:0]
        excess = self._excess(claim, state)
        none = np.zeros(0)
        return Relaxed(shares, elements, rows, None, is_infeasible, excess, none)

    def _prices(self, duals: Floats) -> Floats:
        """Prices of elements from those of cuts."""
        prices = np.zeros(self._elements.size)
        for k in np.flatnonzero(duals[: len(self._cuts)]).tolist():
            cut = self._cuts[k]
            if cut is not None:
                part = slice(self._start[cut.group], self._start[cut.group + 1])
                prices[part] += duals[k] * cut.is_open
        found: Floats = np.minimum(prices, 1.0) * self._weights
        return found

    def _tangent(self, shares: Floats) -> _Tangent:
        covered = self._by_element @ shares
        worth = np.minimum(covered, 1.0) * self._weights
        return _Tangent(shares, covered < 1.0 - _ROUNDING, self._sums(worth))

    def _sums(self, values: Floats) -> Floats:
        """Sums by group."""
        return sums_by(self._group, values, self._num_groups)

    def _cut_off(self, tangent: _Tangent, most: Floats) -> Ints:
        """Groups whose cuts at some shares cut off what a program found of them."""
        least = _LEAST_OF_BOUND * tangent.worth / self._num_groups
        found: Ints = np.flatnonzero(most / self._scale > tangent.by_group + least)
        return found

    def _add_cuts(self, tangent: _Tangent, groups: Ints) -> None:
        """Add the cuts of some groups at some shares."""
        import scipy.sparse

        if groups.size == 0:
            return
        is_open = tangent.is_open
        open_weights = np.where(is_open, self._weights, 0.0)
        shape = (self._num_groups, open_weights.size)
        entries = (open_weights, np.arange(open_weights.size), self._start)
        slopes = scipy.sparse.csr_array(entries, shape=shape) @ self._by_element
        slopes = slopes[groups]
        slopes.eliminate_zeros()
        reached = self._sums(self._weights - open_weights)[groups]
        first = slopes.indptr[:-1] + np.arange(groups.size)
        columns = np.insert(slopes.indices, slopes.indptr[1:], self._num_items + groups)
        values = np.insert(-slopes.data * self._scale, slopes.indptr[1:], 1.0)
        # Rows of splits that were added before are no cuts.
        missing = self._highs.getNumRow() - len(self._cuts)
        self._cuts += [None] * missing
        self._cuts += [
            _Cut(g, is_open[self._start[g] : self._start[g + 1]])
            for g in groups.tolist()
        ]
        self._highs.addRows(
            groups.size,
            np.full(groups.size, -inf),
            reached * self._scale,
            values.size,
            first.astype(np.int32),
            columns.astype(np.int32),
            values,
        )

    def _drop_cuts(self) -> None:
        """Drop cuts that do not bind, once there are many."""
        import highspy

        num_rows = self._highs.getNumRow()
        if num_rows < self._most_rows:
            return
        statuses = self._highs.getBasis().row_status
        self._cuts += [None] * (num_rows - len(self._cuts))
        is_dropped = np.array(
            [
                cut is not None and status == highspy.HighsBasisStatus.kBasic
                for cut, status in zip(self._cuts, statuses, strict=True)
            ]
        )
        dropped = np.flatnonzero(is_dropped)
        self._highs.deleteRows(dropped.size, dropped.astype(np.int32))
        self._cuts = [self._cuts[k] for k in np.flatnonzero(~is_dropped).tolist()]
        self._splits.renumber(np.cumsum(~is_dropped) - 1)
        self._most_rows = len(self._cuts) + _CUTS_BEFORE_DROPPING
        # Solutions that were kept do not fit the new rows.
        self._owner = object()


def _groups(by_item: scipy.sparse.csr_array, weights: Floats) -> Ints:
    """A group per element: those whose items are like the same center.

    Each center is the item that has the least in common with those before.
    """
    import scipy.sparse

    covered = np.maximum(by_item @ weights, 1e-300)
    weighted = by_item.multiply(weights).tocsr()
    by_element = by_item.T.tocsr()
    likeness, center_of = np.full(covered.size, -1.0), np.zeros(covered.size, dtype=int)
    for k in range(min(_NUM_GROUPS, covered.size)):
        center = int(np.argmin(likeness))
        common = weighted @ by_item[[center]].toarray().ravel()
        common = common / (covered + covered[center] - common)
        common[center] = 2.0
        is_nearer = common > likeness
        likeness[is_nearer], center_of[is_nearer] = common[is_nearer], k
    items = np.arange(covered.size)
    centers = scipy.sparse.csr_array((np.ones(items.size), (items, center_of)))
    votes = by_element @ centers
    return np.asarray(votes.argmax(axis=1)).ravel()


def relaxation_of(first: OpenItems) -> ItemModel:
    """The model that is solved faster."""
    if first.elements.size >= _LEAST_EDGES and has_clusters(first):
        return CutRelaxation(first)
    return Relaxation(first)
