"""Steps: what a worker does with one shard, and the files that it leaves beside it.

A step reads one number per item, which the driver has published, and the state of the
shard after the step before. It writes the state after it, and one number per item of
the shard, which the driver adds up. The state before a step is kept until the next one:
a worker that is lost costs one shard's step, which another worker repeats, with the
same result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from thatch.files.locations import Location
from thatch.sharding.array_files import loaded, mapped, remove_if_there, write
from thatch.sharding.file_copies import remove_copy
from thatch.sharding.shard import Shard, opened_shard
from thatch.solvers.belief_propagation.schedule import Precision

__all__ = ["TYPES", "ShardFiles", "Step", "perform"]

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

    @property
    def shard(self) -> Shard:
        """The shard, mapped."""
        return opened_shard(self.folder)

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
