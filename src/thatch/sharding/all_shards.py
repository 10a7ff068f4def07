"""All shards of a problem: one step on each of them, and sums over all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch._kernels import shards as kernel
from thatch.arrays import Floats
from thatch.engines import Session
from thatch.files.locations import Location
from thatch.sharding.array_files import remove_if_there, write
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.sharding.steps import ShardFiles, Step

__all__ = ["AllShards"]


class AllShards:
    """The shards of a problem in one run, whose steps an engine performs."""

    def __init__(self, problem: ShardedProblem, session: Session, run: str) -> None:
        """Keep the files of a run apart from those of others by its name."""
        self._problem = problem
        self._session = session
        self._published: Location = problem.location.child(run)
        self._published.make_folder()
        self._files = [
            ShardFiles(problem.shard_folder(k), self._published, k)
            for k in range(len(problem.shards))
        ]

    def publish(self, name: str, step: int, values: NDArray[Any]) -> None:
        """Let all workers read one number per item; those before are removed."""
        write(self._file(name, step), values)
        remove_if_there(self._file(name, step - 2))

    def replies(self, step_of: Callable[[ShardFiles], Step]) -> list[Any]:
        """Run a step on every shard; return what each said, in their order."""
        steps = [step_of(files) for files in self._files]
        replies = {step.files.number: reply for step, reply in self._session.map(steps)}
        return [replies[number] for number in range(len(steps))]

    def sums(
        self, step_of: Callable[[ShardFiles], Step], name: str, step: int
    ) -> tuple[list[Any], Floats]:
        """Run a step on every shard, and add what each left for its items.

        They are added in the order of the shards, whichever is finished first.
        """
        steps = [step_of(files) for files in self._files]
        totals = np.zeros(self._problem.num_items)
        replies: dict[int, Any] = {}
        done = 0
        for each, reply in self._session.map(steps):
            replies[each.files.number] = reply
            while done in replies:
                files = self._files[done]
                kernel.add_to(totals, files.shard.items, files.state(name, step))
                done += 1
        return [replies[number] for number in range(len(steps))], totals

    def _file(self, name: str, step: int) -> Location:
        return self._published.child(f"{name}-{step}.npy")
