"""The journal of a run on shards: what its driver must know to go on after a kill."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any

from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.sharding.sharded_descent import DescentState
from thatch.sharding.sharded_messages import MessagesState

__all__ = ["Journal", "RoundingState", "RunState"]

_FILE = "journal.json"


@dataclass
class RoundingState:
    """Which published selections a driver remembers, by their numbers."""

    #: The best one so far, and what it covers.
    best: int | None = None
    value: float = -inf
    #: The last one, if what it covers is not known yet.
    pending: int | None = None
    #: How many there have been.
    count: int = 0


@dataclass
class RunState:
    """The state of a run after a step; all arrays are in files."""

    messages: MessagesState
    #: No selection within the budget is worth more than this.
    upper_bound: float
    rounding: RoundingState = field(default_factory=RoundingState)
    #: None until the messages are done.
    descent: DescentState | None = None

    @classmethod
    def of(cls, fields: dict[str, Any]) -> RunState:
        """The state that `asdict` has made plain."""
        descent = fields["descent"]
        return cls(
            MessagesState(**fields["messages"]),
            fields["upper_bound"],
            RoundingState(**fields["rounding"]),
            None if descent is None else DescentState(**descent),
        )


class Journal:
    """The state of a run in a file, written after every step.

    >>> import tempfile
    >>> folder = Location.of(tempfile.mkdtemp())
    >>> Journal(folder, {"damping": 0.5}).write(RunState(MessagesState(3.0), 10.0))
    >>> Journal(folder, {"damping": 0.5}).read().messages.price
    3.0
    """

    def __init__(self, folder: Location, settings: dict[str, Any]) -> None:
        """Keep the journal of a run with these settings."""
        self._file = folder.child(_FILE)
        # As they are read back: tuples become lists, for example.
        self._settings = json.loads(json.dumps(settings))

    def read(self) -> RunState | None:
        """The state of the run before; None if there was none."""
        content = self._file.content()
        if content is None:
            return None
        fields = json.loads(content)
        if fields["settings"] != self._settings:
            changed = [
                name
                for name in self._settings
                if fields["settings"].get(name) != self._settings[name]
            ]
            raise InputError(
                f"the run to resume had other settings: {', '.join(changed)}.",
                hint="Use the same settings, or start anew without resuming.",
            )
        return RunState.of(fields["state"])

    def write(self, state: RunState) -> None:
        """Replace the state."""
        fields = {"settings": self._settings, "state": asdict(state)}
        with self._file.atomic_write() as file:
            file.write(json.dumps(fields, indent=1).encode())
