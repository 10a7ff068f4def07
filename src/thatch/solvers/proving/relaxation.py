"""Linear programs of what is open: they suggest prices, branches and selections.

The covered weight is maximized. Where the cheapest cover is asked for, the cost is
minimized instead, with a row for what must be covered: its dual value, a cost per
weight, turns all others into prices in weight.

What HiGHS answers proves nothing here: prices from it are evaluated in integers.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, ldexp
from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.problem.constraint_rows import highs_scale
from thatch.solvers.proving.item_model import Basis, Entries, ItemModel, Relaxed
from thatch.solvers.proving.open_items import OpenItems

if TYPE_CHECKING:
    import highspy

# Models with that many elements are first solved by an interior point method.
_LEAST_TO_START_INSIDE = 500
# A row is added if a solution violates it by this share of an item.
_LEAST_VIOLATION = 0.05


class Relaxation(ItemModel):
    """The linear relaxation, with a column and a row for each open element."""

    def __init__(self, first: OpenItems) -> None:
        claim = first.claim
        elements = np.flatnonzero(first.can_count & (claim.weights > 0))
        weights = claim.weights[elements]
        costs = claim.problem.costs[first.items]
        self.is_cover = claim.most_left is not None
        self._weight_scale = highs_scale(weights)
        scale = highs_scale(costs) if self.is_cover else self._weight_scale
        super().__init__(first, scale=scale)
        self._elements, self._num_elements = elements, elements.size
        objective = np.append(
            -costs if self.is_cover else np.zeros(costs.size),
            np.zeros(elements.size) if self.is_cover else weights,
        )
        self._left = first.left[elements].copy()
        self._upper = np.ones(elements.size)
        self._cuts: list[Ints] = []
        self._is_new = True
        entries = [self._element_entries(first), self._row_entries(claim, first)]
        if self.is_cover:
            entries.append(self._target_entries(first))
        self._pass(objective, np.ones(objective.size), entries)

    def solve(
        self,
        state: OpenItems,
        *,
        should_stop: Callable[[], bool],
        basis: Basis | None = None,
    ) -> Relaxed:
        self._set_items(state)
        self._set_elements(state)
        self._go_to(basis)
        if self._is_new:
            self._start(should_stop)
        # No steps from where a start was interrupted: the first ones may take long.
        from highspy import HighsModelStatus

        status = self._run(should_stop)
        return self._answer(state, is_infeasible=status == HighsModelStatus.kInfeasible)

    def _start(self, should_stop: Callable[[], bool]) -> None:
        """Solve a large model from inside, which is much faster for the first time."""
        self._is_new = False
        if self._num_elements < _LEAST_TO_START_INSIDE:
            return

        def interrupt(event: highspy.HighsCallbackEvent) -> None:
            if should_stop():
                event.interrupt()

        highs = self._highs
        highs.setOptionValue("solver", "ipm")
        highs.cbIpmInterrupt.subscribe(interrupt)
        highs.run()
        highs.cbIpmInterrupt.unsubscribe(interrupt)
        highs.setOptionValue("solver", "simplex")

    def _answer(self, state: OpenItems, *, is_infeasible: bool) -> Relaxed:
        claim = state.claim
        shares, found = self._shares(state)
        duals = np.array(self._highs.getSolution().row_dual)
        if is_infeasible:
            _, has_ray, ray = self._highs.getDualRay()
            duals = np.array(ray) if has_ray else np.zeros(0)
        elements, edges, has_prices = np.zeros(claim.weights.size), None, False
        rows = np.zeros(claim.rows.size)
        if duals.size:
            # All rows have upper limits, so that the sign says nothing.
            duals = np.abs(duals)
            k = self._num_elements
            last = k + self._rows.size
            rows[self._rows] = duals[k:last] * self._scales
            elements[self._elements] = duals[:k]
            scale = self._scale
            if self.is_cover:
                # What is needed has a price per weight: all others are counted in it.
                scale = float(duals[last]) * self._weight_scale
                rows[0] = 0.0 if is_infeasible else self._scale
                last += 1
            self._case_prices(claim, duals, rows)
            has_prices = scale > 0.0
            if has_prices:
                elements, rows = elements / scale, rows / scale
                edges = self._edge_prices(duals[last : last + len(self._cuts)] / scale)
            highest = claim.weights / np.maximum(state.left, 1)
            elements = np.minimum(elements, highest)
        if is_infeasible and not (self.is_cover and has_prices):
            # The rows alone contradict each other.
            elements, edges = elements[:0], None
        counting = found[self._num_items :]
        excess = self._excess(claim, state)
        return Relaxed(shares, elements, rows, edges, is_infeasible, excess, counting)

    def _edge_prices(self, duals: Floats) -> Floats | None:
        if not self._cuts:
            return None
        edges = np.zeros(self._first.claim.problem.num_edges)
        for cut, price in zip(self._cuts, duals.tolist(), strict=True):
            edges[cut] += price
        return edges

    def cut(self, relaxed: Relaxed) -> int:
        """Add rows that a relaxation violates; return how many.

        An element that needs d items needs d - j of those beside any j. That is most
        of a restriction for the j items with the largest shares.
        """
        first = self._first
        before = len(self._cuts)
        owners = np.repeat(first.items, np.diff(first.start))
        order = np.argsort(first.elements, kind="stable")
        elements = first.elements[order]
        for a in np.flatnonzero(first.left[self._elements] > 1).tolist():
            z = float(relaxed.counting[a])
            if z < _LEAST_VIOLATION:
                continue
            element = self._elements[a]
            needed = int(first.left[element])
            part = slice(*np.searchsorted(elements, [element, element + 1]))
            inside = order[part]
            shares = relaxed.shares[owners[inside]]
            largest_first = np.argsort(-shares, kind="stable")
            after = shares.sum() - np.cumsum(shares[largest_first][: needed - 1])
            short = (needed - 1 - np.arange(needed - 1)) * z - after
            j = int(np.argmax(short))
            if short[j] < _LEAST_VIOLATION:
                continue
            kept = inside[np.sort(largest_first[j + 1 :])]
            columns = np.append(self._place[owners[kept]], self._num_items + a)
            values = np.append(-np.ones(kept.size), needed - 1.0 - j)
            self._highs.addRow(
                -inf, 0.0, columns.size, columns.astype(np.int32), values
            )
            self._cuts.append(first.edges[kept])
        return len(self._cuts) - before

    def _set_elements(self, state: OpenItems) -> None:
        """Demands that are met in part; elements that cannot count."""
        highs, k = self._highs, self._num_items
        if (state.claim.demands == 1).all():
            return
        left = state.left[self._elements]
        for a in np.flatnonzero(left != self._left).tolist():
            met = float(self._first.left[self._elements[a]] - left[a])
            highs.changeCoeff(a, k + a, float(left[a]))
            highs.changeRowBounds(a, -inf, -met)
        self._left = left
        counts = state.can_count | (state.left <= 0)
        upper = counts[self._elements].astype(float)
        changed = np.flatnonzero(upper != self._upper)
        if changed.size:
            highs.changeColsBounds(
                changed.size,
                (k + changed).astype(np.int32),
                np.zeros(changed.size),
                upper[changed],
            )
            self._upper = upper

    def _element_entries(self, state: OpenItems) -> Entries:
        """Sizes, columns and values of the rows of elements, and their limits."""
        place = np.full(state.left.size, -1)
        place[self._elements] = np.arange(self._num_elements)
        owners = np.repeat(np.arange(self._num_items), np.diff(state.start))
        rows = place[state.elements]
        owners, rows = owners[rows >= 0], rows[rows >= 0]
        own = np.arange(self._num_elements)
        all_rows = np.append(rows, own)
        columns: Ints = np.append(owners, self._num_items + own)
        values: Floats = np.append(-np.ones(owners.size), state.left[self._elements])
        order = np.argsort(all_rows, kind="stable")
        sizes: Ints = np.bincount(all_rows, minlength=own.size)
        return sizes, columns[order], values[order], np.zeros(own.size)

    def _target_entries(self, state: OpenItems) -> Entries:
        """The same of the row that says how much must be covered."""
        claim, size = state.claim, self._num_elements
        missing = ldexp(float(claim.target - state.covered), -claim.unit)
        scale = self._weight_scale
        return (
            np.array([size]),
            self._num_items + np.arange(size),
            -claim.weights[self._elements] * scale,
            np.array([-missing * scale]),
        )
