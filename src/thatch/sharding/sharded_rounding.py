"""Rounding on shards: selections from fields, of which the best is kept."""

from __future__ import annotations

from functools import partial

import numpy as np

from thatch.arrays import Floats
from thatch.sharding.all_shards import AllShards, exact_total, item_blocks
from thatch.sharding.covering import CoveringStep
from thatch.sharding.run_journal import RoundingState
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.sharding.sharded_selection import ShardedSelection
from thatch.solvers.greedy import chosen_by_rank

__all__ = ["ShardedRounding"]


class ShardedRounding:
    """Selections that were published, as in `BestRounding`.

    What a selection covers is known after the next step of the shards.
    """

    def __init__(
        self, problem: ShardedProblem, shards: AllShards, state: RoundingState
    ) -> None:
        self._problem = problem
        self._shards = shards
        self._state = state
        # Not in the journal: what a killed driver left is removed with the run.
        self._outdated: set[int] = set()

    def round(self, merits: Floats) -> None:
        """Publish the selection that the merits of items give."""
        state = self._state
        problem = self._problem
        chosen = chosen_by_rank(merits, problem.costs, problem.budget)
        flags = chosen.astype(np.int8)
        blocks = (flags[block] for block in item_blocks(flags.size))
        self._shards.publish("selection", state.count, np.int8, blocks)
        state.pending = state.count
        state.count += 1

    def learn(self, value: float) -> None:
        """Note what the last selection covers; keep it unless another covers more."""
        state = self._state
        if state.pending is None:
            return
        is_better = value >= state.value
        worse = state.best if is_better else state.pending
        if worse is not None:
            self._outdated.add(worse)
        if is_better:
            state.best, state.value = state.pending, value
        state.pending = None

    def evaluate(self) -> None:
        """Learn what the last selection covers, by a step of its own."""
        if self._state.pending is not None:
            step_of = partial(CoveringStep, selection=self._state.pending)
            self.learn(exact_total(self._shards.replies(step_of)))

    def forget_outdated(self) -> None:
        """Remove the selections that no journal names any more."""
        while self._outdated:
            self._shards.withdraw("selection", self._outdated.pop())

    def selection(self) -> ShardedSelection:
        """The best selection so far."""
        state = self._state
        assert state.best is not None
        chosen = self._shards.published("selection", state.best)
        return ShardedSelection(self._problem, np.flatnonzero(chosen), state.value)
