"""Rounding on shards: selections from fields, of which the best is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from thatch.arrays import Floats
from thatch.scale.running.shard_steps import (
    AllShards,
    ShardFiles,
    exact_total,
    item_blocks,
)
from thatch.scale.shards.shard import exact_parts
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.scale.shards.sharded_selection import ShardedSelection
from thatch.solvers.belief_propagation.loop import RoundingState
from thatch.solvers.greedy import chosen_by_rank


class ShardedRounding(ABC):
    """The best selection so far.

    What the last one covers is learned later, when all shards have been read.
    """

    def __init__(self, problem: ShardedProblem, state: RoundingState) -> None:
        self._problem = problem
        self._state = state

    @abstractmethod
    def round(self, merits: Any) -> None:
        """Make the selection that the merits of items give the last one."""

    def learn(self, value: float) -> None:
        """Note what the last selection covers; keep it unless another covers more."""
        state = self._state
        if state.pending is None:
            return
        worse = state.pending
        if value >= state.value:
            worse, state.best, state.value = state.best, state.pending, value
        state.pending = None
        self._drop(worse)

    def evaluate(self) -> None:
        """Learn what the last selection covers, if that is not known."""
        if self._state.pending is not None:
            self.learn(self._covered(self._state.pending))

    @abstractmethod
    def _covered(self, selection: Any) -> float:
        """What a selection covers, by a look at all shards."""

    def _drop(self, selection: Any) -> None:
        """Note that a selection is not needed any more."""
        return

    def selection(self) -> ShardedSelection:
        """The best selection so far."""
        state = self._state
        items = self._items_of(state.best)
        return ShardedSelection(self._problem, items, state.value)

    @abstractmethod
    def _items_of(self, selection: Any) -> Any:
        """The items of a selection, on the processor."""


class EngineRounding(ShardedRounding):
    """Selections that are published for the workers of an engine."""

    def __init__(
        self, problem: ShardedProblem, shards: AllShards, state: RoundingState
    ) -> None:
        super().__init__(problem, state)
        self._shards = shards
        # Not in the journal: what a killed driver left is removed with the run.
        self._outdated: set[int] = set()

    def round(self, merits: Floats) -> None:
        problem, state = self._problem, self._state
        chosen = chosen_by_rank(merits, problem.costs, problem.budget)
        flags = chosen.astype(np.int8)
        blocks = (flags[block] for block in item_blocks(flags.size))
        self._shards.publish("selection", state.count, np.int8, blocks)
        state.pending = state.count
        state.count += 1

    def forget_outdated(self) -> None:
        """Remove the selections that no journal names any more."""
        while self._outdated:
            self._shards.withdraw("selection", self._outdated.pop())

    def _covered(self, selection: int) -> float:
        step_of = partial(CoveringStep, selection=selection)
        return exact_total(self._shards.replies(step_of))

    def _drop(self, selection: int | None) -> None:
        if selection is not None:
            self._outdated.add(selection)

    def _items_of(self, selection: int) -> Any:
        return np.flatnonzero(self._shards.published("selection", selection))


@dataclass(frozen=True)
class CoveringStep:
    """The weight that a published selection covers."""

    files: ShardFiles
    selection: int

    def run(self) -> list[float]:
        """Return numbers whose sum is the covered weight."""
        return covered_parts(self.files, self.selection)


@dataclass(frozen=True)
class ItemWeightsStep:
    """The weight that each item covers by itself."""

    files: ShardFiles

    def run(self) -> None:
        """Write the sums per item of the shard: step 0."""
        shard = self.files.shard
        self.files.keep("weights", 0, shard.item_sums(shard.weights))


def covered_parts(files: ShardFiles, selection: int) -> list[float]:
    """Numbers whose sum is the weight that a published selection covers here."""
    shard = files.shard
    counts = shard.cover_counts(files.of_items("selection", selection))
    return exact_parts(shard.weights[counts > 0])
