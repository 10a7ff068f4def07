"""Checkpoints: what a run whose arrays are in memory writes now and then."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from thatch.scale.running.run_journal import Journal
from thatch.scale.running.shard_steps import RunFiles
from thatch.solvers.belief_propagation.loop import RunState

# A step on a GPU takes milliseconds, and a checkpoint as long as all messages take to
# be written. With this one, a driver that is killed loses about a minute.
_SECONDS_BETWEEN = 60.0
# Messages or multipliers beside a shard.
_OF_SHARD = "state"


class Checkpoints:
    """The last checkpoint of a run, and when the next one is due.

    The journal names a checkpoint once all of it is written, and the one before is kept
    until then. All files of a checkpoint have its number.
    """

    def __init__(self, journal: Journal, files: RunFiles) -> None:
        """Require all files of the checkpoint that the journal names, if any."""
        self._journal = journal
        self._files = files
        #: What the journal says; None if the run starts.
        self.state = journal.state
        self._written = time.monotonic()
        if self.state is None:
            return
        self._number = self.state.rounding.count - 1
        selections = [self.state.rounding.best, self.state.rounding.pending]
        names = [
            name
            for name, number in zip(("best", "pending"), selections, strict=True)
            if number is not None
        ]
        if self.state.descent is None:
            names += ["log_sums", "totals"]
        for name in names:
            files.require_published(name, self._number)
        files.require_states(_OF_SHARD, step=self._number)

    @property
    def is_due(self) -> bool:
        """Whether the last one is old."""
        return time.monotonic() - self._written >= _SECONDS_BETWEEN

    def of_items(self, name: str) -> NDArray[Any]:
        """An array of the checkpoint to go on from, with one number per item."""
        return self._files.published(name, self._number)

    def of_shards(self) -> Iterator[NDArray[Any]]:
        """The array of each shard in it: messages, or multipliers in a descent."""
        for files in self._files.of_shards:
            yield files.state(_OF_SHARD, self._number)

    def write(
        self,
        state: RunState,
        of_items: Mapping[str, NDArray[Any]],
        of_shards: Iterable[NDArray[Any]],
    ) -> None:
        """Write a state with its arrays, and remove what only older ones need."""
        number = state.rounding.count
        for name, values in of_items.items():
            self._files.publish(name, number, values.dtype, [values])
        for files, values in zip(self._files.of_shards, of_shards, strict=True):
            files.keep(_OF_SHARD, number, values)
        state.rounding.count += 1
        self._journal.write(_with_numbers(state, number))
        for name in of_items:
            self._files.withdraw(name, number - 1)
        self._written = time.monotonic()


def _with_numbers(state: RunState, number: int) -> RunState:
    """The state with the number of the checkpoint where it has selections."""
    rounding, descent = state.rounding, state.descent
    return replace(
        state,
        rounding=replace(
            rounding,
            best=None if rounding.best is None else number,
            pending=None if rounding.pending is None else number,
        ),
        descent=None if descent is None else replace(descent, selection=number),
    )
