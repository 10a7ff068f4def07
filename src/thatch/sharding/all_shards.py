"""All shards of a problem: one step on each of them, and sums over all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import fsum
from typing import Any

from numpy.typing import DTypeLike, NDArray

from thatch._kernels import shards as kernel
from thatch.arrays import Floats
from thatch.engines import Session
from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.sharding.array_files import loaded, remove_if_there, write_blocks
from thatch.sharding.shard import opened_items
from thatch.sharding.shard_checks import damaged
from thatch.sharding.sharded_problem import ShardedProblem
from thatch.sharding.steps import ShardFiles, Step

__all__ = ["AllShards", "exact_total", "item_blocks"]

# Items that the driver handles at a time.
_BLOCK_SIZE = 1 << 20


class AllShards:
    """The shards of a problem in one run, whose steps an engine performs."""

    def __init__(
        self,
        problem: ShardedProblem,
        session: Session,
        folder: Location,
        *,
        stage: str = "start",
    ) -> None:
        """Publish into that folder.

        The names of files beside the shards start with its name and the stage.
        """
        self._problem = problem
        self._session = session
        self._folder = folder
        self._files = [
            ShardFiles(problem.shard_folder(k), folder, k, stage)
            for k in range(len(problem.shards))
        ]

    def in_stage(self, stage: str) -> AllShards:
        """The same shards and published files, with other files beside the shards."""
        return AllShards(self._problem, self._session, self._folder, stage=stage)

    def publish(
        self, name: str, step: int, dtype: DTypeLike, blocks: Iterable[NDArray[Any]]
    ) -> None:
        """Let all workers read one number per item, given in blocks."""
        write_blocks(self._file(name, step), dtype, self._problem.num_items, blocks)

    def published(self, name: str, step: int) -> NDArray[Any]:
        """What was published before."""
        return loaded(self._file(name, step))

    def require_published(self, name: str, step: int) -> None:
        """Require what was published before, for a run that is resumed."""
        _require(self._file(name, step))

    def require_states(self, *names: str, step: int) -> None:
        """Require what a step left beside all shards, for a run that is resumed."""
        for files in self._files:
            for name in names:
                _require(files.file(name, step))

    def withdraw(self, name: str, step: int) -> None:
        """Remove what was published, if it was."""
        remove_if_there(self._file(name, step))

    def replies(self, step_of: Callable[[ShardFiles], Step]) -> list[Any]:
        """Run a step on every shard; return what each said, in their order."""
        steps = [step_of(files) for files in self._files]
        replies = {step.files.number: reply for step, reply in self._session.map(steps)}
        return [replies[number] for number in range(len(steps))]

    def sums(
        self,
        step_of: Callable[[ShardFiles], Step],
        name: str,
        step: int,
        *,
        out: Floats,
    ) -> list[Any]:
        """Run a step on every shard, and add what each left for its items.

        They are added in the order of the shards, whichever is finished first.
        """
        steps = [step_of(files) for files in self._files]
        out.fill(0.0)
        replies: dict[int, Any] = {}
        done = 0
        for each, reply in self._session.map(steps):
            replies[each.files.number] = reply
            while done in replies:
                self._add(done, name, step, out)
                done += 1
        return [replies[number] for number in range(len(steps))]

    def add_again(self, name: str, step: int, *, out: Floats) -> None:
        """The sums of a step that all shards have done before."""
        out.fill(0.0)
        for number in range(len(self._files)):
            self._add(number, name, step, out)

    def clear(self) -> None:
        """Remove what the steps of this stage left beside the shards."""
        for files in self._files:
            files.clear()

    def _add(self, number: int, name: str, step: int, totals: Floats) -> None:
        files = self._files[number]
        # The worker has checked that they ascend.
        items, sums = opened_items(files.folder), files.state(name, step)
        if items.size and not (items[0] >= 0 and items[-1] < totals.size):
            raise damaged(files.folder)
        if items.size != sums.size:
            raise damaged(files.folder)
        kernel.add_to(totals, items, sums)

    def _file(self, name: str, step: int) -> Location:
        return self._folder.child(f"{name}-{step}.npy")


def _require(file: Location) -> None:
    if not file.exists:
        raise InputError(
            f"cannot resume: {file.address} of the original run is missing.",
            hint="Start anew without resuming.",
        )


def item_blocks(num_items: int) -> Iterator[slice]:
    """The items in blocks, so that no temporary array is as long as all of them.

    >>> [block.stop for block in item_blocks(3 * 2**20)]
    [1048576, 2097152, 3145728]
    """
    for first in range(0, num_items, _BLOCK_SIZE):
        yield slice(first, min(first + _BLOCK_SIZE, num_items))


def exact_total(parts: Iterable[Iterable[float]]) -> float:
    """The sum of the parts of all shards, rounded once.

    >>> exact_total([[0.1, 1e-18], [0.2]])
    0.30000000000000004
    """
    return fsum(part for each in parts for part in each)
