"""Raising the lower bound of a search, and fixing items with it."""

from __future__ import annotations

from thatch.covering.lagrangian import Ascent, CoverDual, first_multipliers
from thatch.covering.search_state import SearchState

_STEPS_PER_SLICE = 20
# An ascent that starts from good multipliers takes shorter steps.
_LATER_FACTOR = 0.5
# Fixing is worthwhile if it leaves at most this share of the items.
_MOST_LEFT = 0.9


class Bounding:
    """The multipliers of the open task of a search."""

    def __init__(self, state: SearchState) -> None:
        self._state = state
        #: The best multipliers so far.
        self.dual = CoverDual.at(state.task, first_multipliers(state.task))
        self._ascend(2.0)

    def improve(self) -> None:
        """Continue from the best multipliers, once a cheaper cover is known."""
        self._ascend(_LATER_FACTOR)

    def fix(self, *, most_left: float = _MOST_LEFT) -> None:
        """Fix items by their reduced costs, if at most this share of them is left."""
        state = self._state
        before = state.task
        if not state.fix(self.dual) or state.is_over or state.task.is_trivial:
            return
        if state.task.items.size > most_left * before.items.size:
            state.task = before
            return
        self.dual = CoverDual.at(state.task, first_multipliers(state.task))
        self._ascend(2.0)

    def _ascend(self, factor: float) -> None:
        state = self._state
        ascent = Ascent(state.task, self.dual.multipliers, factor=factor)
        while not (ascent.has_ended or state.is_over):
            ascent.climb(_STEPS_PER_SLICE, cost=state.open_cost)
        found = ascent.best
        if found.bound >= self.dual.bound:
            self.dual = found
        state.raise_bound(self.dual.bound, step="multipliers")
