"""Steps of shards: what a worker does with one, and what the driver adds up.

A step reads one number per item, which the driver has published, and the state of the
shard after the step before. It writes the state after it, and one number per item of
the shard, which the driver adds up. The state before a step is kept until the next one:
a worker that is lost costs one shard's step, which another worker repeats, with the
same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import fsum
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from thatch._kernels import shards as kernel
from thatch.arrays import Floats
from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.machine.engines import Session
from thatch.scale.shards.array_files import (
    loaded,
    mapped,
    remove_copy,
    remove_if_there,
    write,
    write_blocks,
)
from thatch.scale.shards.shard import Shard, opened_items, opened_shard
from thatch.scale.shards.shard_checks import damaged
from thatch.scale.shards.sharded_problem import ShardedProblem
from thatch.solvers.belief_propagation.schedule import Precision

# Items that the driver handles at a time.
_BLOCK_SIZE = 1 << 20
#: The types of numbers in files.
TYPES = {Precision.SINGLE: np.float32, Precision.DOUBLE: np.float64}


@dataclass(frozen=True)
class ShardFiles:
    """A shard, and the files of one run beside it."""

    #: Folder of the shard.
    folder: Location
    #: Folder of what the driver publishes; its name is that of the run.
    published: Location
    number: int
    #: Part of the run; files of others may have the same names otherwise.
    stage: str
    #: Checksum of the shard.
    digest: str

    @property
    def shard(self) -> Shard:
        """The shard, mapped."""
        return opened_shard(self.folder, self.digest)

    def state(self, name: str, step: int) -> NDArray[Any]:
        """What a step of this run left here."""
        return loaded(self.file(name, step))

    def keep(self, name: str, step: int, values: NDArray[Any]) -> None:
        """Write the state after a step; only that before it is kept as well."""
        write(self.file(name, step), values)
        remove_if_there(self.file(name, step - 2))

    def of_items(self, name: str, step: int) -> NDArray[Any]:
        """What the driver published about the items of the shard."""
        values = mapped(self._published_file(name, step))
        if step > 1:
            self._forget_copy(name, step - 2)
        return np.asarray(values[self.shard.items])

    def file(self, name: str, step: int) -> Location:
        """Where a step of this run leaves a state."""
        return self.folder.child(f"{self._prefix}-{name}-{step}.npy")

    def clear(self) -> None:
        """Remove the files of the stage."""
        for name in self.folder.names():
            if name.startswith(f"{self._prefix}-"):
                remove_if_there(self.folder.child(name))

    def _forget_copy(self, name: str, step: int) -> None:
        """Remove what no step needs any more, if it was copied to this machine."""
        file = self._published_file(name, step)
        if file.local_path is None:
            remove_copy(file)

    def _published_file(self, name: str, step: int) -> Location:
        return self.published.child(f"{name}-{step}.npy")

    @property
    def _prefix(self) -> str:
        return f"{self.published.name}-{self.stage}"


class Step(Protocol):
    """A step of one shard, which a worker can be sent."""

    @property
    def files(self) -> ShardFiles:
        """The shard, and where its state is."""
        ...  # pragma: no cover

    def run(self) -> Any:
        """Do it; return what the driver needs to know at once."""
        ...  # pragma: no cover


def perform(step: Step) -> Any:
    """Run a step: the function that engines call."""
    reply = step.run()
    step.files.shard.release()
    return reply


class RunFiles:
    """The files of one run on shards: beside each shard, and what the driver shares."""

    def __init__(
        self, problem: ShardedProblem, folder: Location, *, stage: str = "start"
    ) -> None:
        """Publish into that folder.

        The names of files beside the shards start with its name and the stage.
        """
        self._problem = problem
        self._folder = folder
        #: Those of each shard.
        self.of_shards = [
            ShardFiles(problem.shard_folder(k), folder, k, stage, shard.digest)
            for k, shard in enumerate(problem.shards)
        ]

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
        for files in self.of_shards:
            for name in names:
                _require(files.file(name, step))

    def withdraw(self, name: str, step: int) -> None:
        """Remove what was published, if it was."""
        remove_if_there(self._file(name, step))

    def clear(self) -> None:
        """Remove what the steps of this stage left beside the shards."""
        for files in self.of_shards:
            files.clear()

    def _file(self, name: str, step: int) -> Location:
        return self._folder.child(f"{name}-{step}.npy")


class AllShards(RunFiles):
    """The shards of a problem in one run, whose steps an engine performs."""

    def __init__(
        self,
        problem: ShardedProblem,
        session: Session,
        folder: Location,
        *,
        stage: str = "start",
    ) -> None:
        super().__init__(problem, folder, stage=stage)
        self._session = session

    def in_stage(self, stage: str) -> AllShards:
        """The same shards and published files, with other files beside the shards."""
        return AllShards(self._problem, self._session, self._folder, stage=stage)

    def replies(self, step_of: Callable[[ShardFiles], Step]) -> list[Any]:
        """Run a step on every shard; return what each said, in their order."""
        steps = [step_of(files) for files in self.of_shards]
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
        steps = [step_of(files) for files in self.of_shards]
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
        for number in range(len(self.of_shards)):
            self._add(number, name, step, out)

    def _add(self, number: int, name: str, step: int, totals: Floats) -> None:
        files = self.of_shards[number]
        # The worker has checked that they ascend.
        items, sums = opened_items(files.folder), files.state(name, step)
        if items.size and not (items[0] >= 0 and items[-1] < totals.size):
            raise damaged(files.folder)
        if items.size != sums.size:
            raise damaged(files.folder)
        kernel.add_to(totals, items, sums)


def _require(file: Location) -> None:
    if not file.exists:
        raise InputError(
            f"cannot resume: {file.address} of the original run is missing.",
            hint="Start over without resuming.",
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
