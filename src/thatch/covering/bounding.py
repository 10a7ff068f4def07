"""Raising the lower bound of a search, and fixing items with it."""

from __future__ import annotations

from thatch.covering.lagrangian import Ascent, CoverDual, first_multipliers
from thatch.covering.search_state import SearchState

_MAX_STEPS_PER_SLICE = 20
_EDGES_PER_SLICE = 2_000_000
# Within a time limit, an ascent takes at most this share of what is left.
_SHARE_OF_TIME = 0.3
# An ascent that starts from good multipliers takes shorter steps.
_LATER_FACTOR = 0.5
# With more edges, an ascent is repeated only if the cost is lower by a few percent.
_MAX_EDGES_TO_REPEAT = 300_000
_LOWER_COST = 0.97
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
        state = self._state
        is_large = state.task.problem.num_edges > _MAX_EDGES_TO_REPEAT
        if not is_large or state.cost < _LOWER_COST * self._cost:
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
        self._cost = state.cost
        ascent = Ascent(state.task, self.dual.multipliers, factor=factor)
        steps = _EDGES_PER_SLICE // (state.task.problem.num_edges + 1)
        steps = min(max(steps, 1), _MAX_STEPS_PER_SLICE)
        last_second = state.run.seconds + _SHARE_OF_TIME * state.run.seconds_left
        while not (ascent.has_ended or state.is_over):
            if state.run.seconds > last_second:
                break
            ascent.climb(steps, cost=state.open_cost)
        found = ascent.best
        if found.bound >= self.dual.bound:
            self.dual = found
        state.raise_bound(self.dual.bound, step="multipliers")
