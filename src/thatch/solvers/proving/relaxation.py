"""Linear programs of what is open: they suggest prices, branches and selections.

The covered weight is maximized. Where the cheapest cover is asked for, the cost is
minimized instead, with a row for what must be covered: its dual value, a cost per
weight, turns all others into prices in weight.

What HiGHS answers proves nothing here: prices from it are evaluated in integers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, ldexp
from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.problem.constraint_rows import highs_scale, highs_scales
from thatch.solvers.proving.claims import Claim
from thatch.solvers.proving.open_items import OpenItems
from thatch.solvers.proving.split_rows import SplitRows

if TYPE_CHECKING:
    import highspy

# HiGHS works for hundredths of a second until it is asked whether it must stop: so many
# steps, or fewer if there are many entries, which a step may read.
_STEPS_PER_SLICE, _READ_PER_SLICE, _FEWEST_STEPS = 500, 3_000_000, 10
# Models with that many elements are first solved by an interior point method.
_LEAST_TO_START_INSIDE = 500
# A row is added if a solution violates it by this share of an item.
_LEAST_VIOLATION = 0.05


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The answer of a linear program, with prices that need not be optimal."""

    #: float64, shape (num_items,): shares of items, 0 or 1 where they are decided.
    shares: Floats
    #: Prices of elements and rows; of rows alone where these make it infeasible.
    elements: Floats
    rows: Floats
    #: What edges pay on top, if there are cuts for elements with demands.
    edges: Floats | None
    is_infeasible: bool
    #: How far the program is above the target of the claim, in weight or cost.
    excess: float
    #: Share of each element that counts, in the order of the model.
    counting: Floats


@dataclass(eq=False)
class Basis:
    """Where the solution of a model is."""

    relaxation: Relaxation
    found: highspy.HighsBasis


class Relaxation:
    """One model in HiGHS for all that decisions after a first state leave open."""

    def __init__(self, first: OpenItems) -> None:
        self._items = first.items
        elements = np.flatnonzero(first.can_count & (first.claim.weights > 0))
        self._elements = elements
        claim = first.claim
        self._num_items, self._num_elements = self._items.size, elements.size
        #: Per row of the model after those of elements: its row, and its scale.
        self._rows, self._scales = np.zeros(0, dtype=np.int64), np.zeros(0)
        weights = claim.weights[elements]
        self._is_cover = claim.most_left is not None
        costs = claim.problem.costs[self._items]
        self._weight_scale = highs_scale(weights)
        self._scale = highs_scale(costs) if self._is_cover else self._weight_scale
        self._objective = np.append(
            -costs if self._is_cover else np.zeros(costs.size),
            np.zeros(elements.size) if self._is_cover else weights,
        )
        self._highs = _silent_highs()
        self._left = first.left[elements].copy()
        self._upper = np.ones(elements.size)
        self._bounds = np.zeros(self._items.size), np.ones(self._items.size)
        self._first = first
        self._cuts: list[Ints] = []
        self._is_new = True
        self._pass_model(first)
        self._splits = SplitRows(self._highs, self._place, first.is_taken)

    def is_too_large(self, root: OpenItems) -> bool:
        """Whether the root has much less open by now, so that a new model pays."""
        return 10 * root.items.size < 7 * self._num_items

    def solve(
        self,
        state: OpenItems,
        *,
        should_stop: Callable[[], bool],
        basis: Basis | None = None,
    ) -> Relaxed:
        """Solve the program of a state, from where the last one ended.

        Parameters
        ----------
        state
            What is open.
        should_stop
            Whether the run must stop; then the answer is what was reached.
        basis
            Where another one ended, to go on from there instead.
        """
        self._set_state(state)
        self._go_to(basis)
        if self._is_new:
            self._start(should_stop)
        # No steps from where a start was interrupted: the first ones may take long.
        from highspy import HighsModelStatus

        highs = self._highs
        highs.setOptionValue("simplex_iteration_limit", self._steps_per_slice)
        status = HighsModelStatus.kIterationLimit
        while status == HighsModelStatus.kIterationLimit and not should_stop():
            highs.run()
            status = highs.getModelStatus()
        is_infeasible = status == HighsModelStatus.kInfeasible
        return self._answer(state, is_infeasible=is_infeasible)

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
        shares = state.is_taken.astype(float)
        solution = self._highs.getSolution()
        found = np.array(solution.col_value)
        if found.size:
            shares[state.items] = found[: self._num_items][self._place[state.items]]
        duals = np.array(solution.row_dual)
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
            if self._is_cover:
                # What is needed has a price per weight: all others are counted in it.
                scale = float(duals[last]) * self._weight_scale
                rows[0] = 0.0 if is_infeasible else self._scale
                last += 1
            for place, case in enumerate(claim.cases):
                row = rows.size - len(claim.cases) + place
                rows[row] = duals[self._splits.row_of(case.items)]
            has_prices = scale > 0.0
            if has_prices:
                elements, rows = elements / scale, rows / scale
                edges = self._edge_prices(duals[last : last + len(self._cuts)] / scale)
            highest = claim.weights / np.maximum(state.left, 1)
            elements = np.minimum(elements, highest)
        if is_infeasible and not (self._is_cover and has_prices):
            # The rows alone contradict each other.
            elements, edges = elements[:0], None
        counting = found[self._num_items :]
        excess = self._excess(claim, state)
        return Relaxed(shares, elements, rows, edges, is_infeasible, excess, counting)

    def _excess(self, claim: Claim, state: OpenItems) -> float:
        value = float(self._highs.getInfo().objective_function_value) / self._scale
        if self._is_cover:
            return value + claim.least_cost
        covered = self._first.covered
        return value - ldexp(float(claim.target - covered), -claim.unit)

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

    def _set_state(self, state: OpenItems) -> None:
        """Change what differs from the last state."""
        highs = self._highs
        lower, upper = self._bounds
        new_lower = state.is_taken[self._items].astype(float)
        new_upper = (state.is_open | state.is_taken)[self._items].astype(float)
        changed = np.flatnonzero((lower != new_lower) | (upper != new_upper))
        if changed.size:
            highs.changeColsBounds(
                changed.size,
                changed.astype(np.int32),
                new_lower[changed],
                new_upper[changed],
            )
            self._bounds = new_lower, new_upper
        self._splits.set_cases(state.claim.cases)
        self._set_elements(state)

    def basis(self) -> Basis:
        """Where the last solution is, to go on from there later."""
        return Basis(self, self._highs.getBasis())

    def _go_to(self, basis: Basis | None) -> None:
        """Go on from an earlier solution, if it is one of this model."""
        if basis is None or basis.relaxation is not self:
            return
        import highspy

        found = basis.found
        # Rows of later splits are free.
        more = self._highs.getNumRow() - len(found.row_status)
        if more:
            free = [highspy.HighsBasisStatus.kBasic] * more
            found.row_status = [*found.row_status, *free]
        self._highs.setBasis(found)

    def falls(self, items: Ints, most: int, *, max_steps: int) -> tuple[float, float]:
        """How far the bound falls in both cases of a split, after some steps."""
        one, other = self._splits.falls(items, most, max_steps=max_steps)
        return one / self._scale, other / self._scale

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

    def _pass_model(self, state: OpenItems) -> None:
        import highspy

        claim = state.claim
        self._place = np.full(claim.problem.num_items, -1)
        self._place[self._items] = np.arange(self._num_items)
        entries = [self._element_entries(state), self._row_entries(claim, state)]
        if self._is_cover:
            entries.append(self._target_entries(state))
        counts = np.concatenate([sizes for sizes, _, _, _ in entries])
        num_columns = self._num_items + self._num_elements
        lp = highspy.HighsLp()
        lp.sense_ = highspy.ObjSense.kMaximize
        lp.num_col_, lp.num_row_ = num_columns, counts.size
        lp.col_cost_ = self._objective * self._scale
        lp.col_lower_, lp.col_upper_ = np.zeros(num_columns), np.ones(num_columns)
        lp.row_lower_ = np.full(counts.size, -inf)
        lp.row_upper_ = np.concatenate([most for _, _, _, most in entries])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.append(0, np.cumsum(counts)).astype(np.int32)
        columns = np.concatenate([columns for _, columns, _, _ in entries])
        lp.a_matrix_.index_ = columns.astype(np.int32)
        lp.a_matrix_.value_ = np.concatenate([values for _, _, values, _ in entries])
        self._highs.passModel(lp)
        most = _READ_PER_SLICE // (columns.size + num_columns + 1)
        self._steps_per_slice = min(max(most, _FEWEST_STEPS), _STEPS_PER_SLICE)

    def _element_entries(self, state: OpenItems) -> tuple[Ints, Ints, Floats, Floats]:
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

    def _target_entries(self, state: OpenItems) -> tuple[Ints, Ints, Floats, Floats]:
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

    def _row_entries(
        self, claim: Claim, state: OpenItems
    ) -> tuple[Ints, Ints, Floats, Floats]:
        """The same of the rows of open items, scaled to the tolerances of HiGHS."""
        rows, row_of = claim.rows, claim.rows.row_of
        is_open, is_taken = state.is_open[rows.items], state.is_taken[rows.items]
        spent = np.bincount(row_of[is_taken], rows.values[is_taken], rows.size)
        row_of, values = row_of[is_open], rows.values[is_open]
        sizes = np.bincount(row_of, minlength=rows.size)
        highest = np.bincount(row_of, np.maximum(values, 0.0), rows.size)
        most = rows.limits - spent
        is_kept = (sizes > 0) & (highest > most)
        # A cover's budget is its objective.
        is_kept[: int(self._is_cover)] = False
        largest = np.abs(most)
        np.maximum.at(largest, row_of, np.abs(values))
        are_whole = most == np.floor(most)
        are_whole[row_of[values != np.floor(values)]] = False
        scales = highs_scales(largest, are_whole)
        self._rows, self._scales = np.flatnonzero(is_kept), scales[is_kept]
        inside = is_kept[row_of]
        return (
            sizes[is_kept],
            self._place[rows.items[is_open][inside]],
            (values * scales[row_of])[inside],
            (most * scales)[is_kept],
        )


def _silent_highs() -> highspy.Highs:
    import highspy

    highs = highspy.Highs()
    highs.silent()
    for option, value in {
        "parallel": "off",
        "threads": 1,
        "solver": "simplex",
        "presolve": "off",
    }.items():
        highs.setOptionValue(option, value)
    return highs
