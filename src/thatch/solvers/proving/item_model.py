"""Linear programs of open items in HiGHS: what all relaxations have in common.

The columns of items come first. Each relaxation adds columns and rows of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, ldexp
from typing import TYPE_CHECKING

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.problem.constraint_rows import highs_scales
from thatch.solvers.proving.claims import Claim
from thatch.solvers.proving.open_items import OpenItems
from thatch.solvers.proving.split_rows import SplitRows

if TYPE_CHECKING:
    import highspy

# HiGHS works for hundredths of a second until it is asked whether it must stop. That is
# this many steps, or fewer if there are many entries, which a step may read.
_STEPS_PER_SLICE, _READ_PER_SLICE, _FEWEST_STEPS = 500, 3_000_000, 10

#: Rows of a model: their sizes, the columns and values of their entries, their limits.
Entries = tuple[Ints, Ints, Floats, Floats]


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

    #: What tells whether it is one of the present rows of a model.
    owner: object
    found: highspy.HighsBasis


class ItemModel:
    """One model in HiGHS for all that decisions after a first state leave open."""

    #: Whether the cheapest cover is asked for.
    is_cover = False

    def __init__(self, first: OpenItems, *, scale: float) -> None:
        """Start without a model; its objective is multiplied by the scale."""
        self._first = first
        self._items = first.items
        self._num_items = first.items.size
        self._scale = scale
        #: Per row of the model after those of elements: its row, and its scale.
        self._rows, self._scales = np.zeros(0, dtype=np.int64), np.zeros(0)
        self._highs = _silent_highs()
        self._bounds = np.zeros(self._num_items), np.ones(self._num_items)
        self._place = np.full(first.claim.problem.num_items, -1)
        self._place[self._items] = np.arange(self._num_items)
        self._splits = SplitRows(self._highs, self._place, first.is_taken)
        self._owner: object = self

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
        raise NotImplementedError

    def cut(self, relaxed: Relaxed) -> int:
        """Add rows that a relaxation violates; return how many."""
        return 0

    def is_too_large(self, root: OpenItems) -> bool:
        """Whether the root has much less open by now, so that a new model pays."""
        return 10 * root.items.size < 7 * self._num_items

    def basis(self) -> Basis:
        """Where the last solution is, to go on from there later."""
        return Basis(self._owner, self._highs.getBasis())

    def _go_to(self, basis: Basis | None) -> None:
        """Go on from an earlier solution, if it is one of this model."""
        if basis is None or basis.owner is not self._owner:
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

    def _run(self, should_stop: Callable[[], bool]) -> highspy.HighsModelStatus:
        """Take steps of the simplex method until the end, or until it must stop."""
        from highspy import HighsModelStatus

        highs = self._highs
        highs.setOptionValue("simplex_iteration_limit", self._steps_per_slice)
        status = HighsModelStatus.kIterationLimit
        while status == HighsModelStatus.kIterationLimit and not should_stop():
            highs.run()
            status = highs.getModelStatus()
        return status

    def _set_items(self, state: OpenItems) -> None:
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

    def _shares(self, state: OpenItems) -> tuple[Floats, Floats]:
        """Shares of all items, and what the columns of the model are."""
        shares = state.is_taken.astype(float)
        found = np.array(self._highs.getSolution().col_value)
        if found.size:
            shares[state.items] = found[: self._num_items][self._place[state.items]]
        return shares, found

    def _case_prices(self, claim: Claim, duals: Floats, rows: Floats) -> None:
        """Put the prices of cases where the prices of rows end."""
        for place, case in enumerate(claim.cases):
            row = rows.size - len(claim.cases) + place
            rows[row] = duals[self._splits.row_of(case.items)]

    def _excess(self, claim: Claim, state: OpenItems) -> float:
        value = float(self._highs.getInfo().objective_function_value) / self._scale
        if self.is_cover:
            return value + claim.least_cost
        covered = self._first.covered
        return value - ldexp(float(claim.target - covered), -claim.unit)

    def _pass(
        self, objective: Floats, upper: Floats, entries: Sequence[Entries]
    ) -> None:
        """Pass a model to HiGHS: columns from 0 to a limit, and rows up to a limit."""
        import highspy

        counts = np.concatenate([sizes for sizes, _, _, _ in entries])
        lp = highspy.HighsLp()
        lp.sense_ = highspy.ObjSense.kMaximize
        lp.num_col_, lp.num_row_ = objective.size, counts.size
        lp.col_cost_ = objective * self._scale
        lp.col_lower_, lp.col_upper_ = np.zeros(objective.size), upper
        lp.row_lower_ = np.full(counts.size, -inf)
        lp.row_upper_ = np.concatenate([most for _, _, _, most in entries])
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_ = np.append(0, np.cumsum(counts)).astype(np.int32)
        columns = np.concatenate([columns for _, columns, _, _ in entries])
        lp.a_matrix_.index_ = columns.astype(np.int32)
        lp.a_matrix_.value_ = np.concatenate([values for _, _, values, _ in entries])
        self._highs.passModel(lp)
        most = _READ_PER_SLICE // (columns.size + objective.size + 1)
        self._steps_per_slice = min(max(most, _FEWEST_STEPS), _STEPS_PER_SLICE)

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
        is_kept[: int(self.is_cover)] = False
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
