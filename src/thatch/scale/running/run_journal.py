"""The journal of a run on shards: what its driver must know to go on after a kill."""

from __future__ import annotations

import json
import uuid
from dataclasses import asdict
from typing import Any

from thatch.errors import FileFormatError, InputError
from thatch.files.locations import Location
from thatch.solvers.belief_propagation.loop import RunState

_FILE = "journal.json"


class Journal:
    """The state of a run in a file, written after every step or checkpoint.

    >>> import tempfile
    >>> from thatch.solvers.belief_propagation.loop import MessagesState
    >>> folder = Location.of(tempfile.mkdtemp())
    >>> journal = Journal.begun(folder, {"damping": 0.5})
    >>> journal.write(RunState(MessagesState(3.0), 10.0))
    >>> Journal.resumed(folder, {"damping": 0.5}).state.messages.price
    3.0
    """

    def __init__(
        self,
        folder: Location,
        run_id: str,
        settings: dict[str, Any],
        state: RunState | None,
    ) -> None:
        self._file = folder.child(_FILE)
        self._settings = settings
        self._run_id = run_id
        #: Folder of what the driver publishes, whose name tells the files of the run
        #: from those of all others.
        self.published = folder.child(f"{folder.name}-{run_id}")
        #: After the last step or checkpoint; None if there was none.
        self.state = state

    @classmethod
    def begun(cls, folder: Location, settings: dict[str, Any]) -> Journal:
        """The journal of a new run, which can be resumed from now on."""
        journal = cls(folder, uuid.uuid4().hex, settings, None)
        journal.write(None)
        return journal

    @classmethod
    def resumed(cls, folder: Location, settings: dict[str, Any]) -> Journal:
        """The journal of the run before, which must have had the same settings."""
        file = folder.child(_FILE)
        content = file.content()
        if content is None:
            raise InputError(
                "there is no run of these shards to resume: none was started, or the "
                "last one has finished.",
                hint="Leave out resume to start one.",
            )
        try:
            fields = json.loads(content)
            run_id, state = str(fields["run"]), fields["state"]
            known = dict(fields["settings"])
            state = None if state is None else RunState.of(state)
        except (ValueError, LookupError, TypeError) as error:
            raise FileFormatError(
                file.address,
                "it is damaged, or from another version of thatch.",
                hint="Start over without resuming.",
            ) from error
        # As they are read back: tuples become lists, for example.
        _require_same(known, json.loads(json.dumps(settings)))
        return cls(folder, run_id, settings, state)

    def write(self, state: RunState | None) -> None:
        """Replace the state."""
        fields = {
            "run": self._run_id,
            "settings": self._settings,
            "state": None if state is None else asdict(state),
        }
        with self._file.atomic_write() as file:
            file.write(json.dumps(fields, indent=1).encode())


def _require_same(known: dict[str, Any], settings: dict[str, Any]) -> None:
    differences = [
        f"the {name} differs from the original run "
        f"({_shown(known.get(name))}, now {_shown(value)})"
        for name, value in settings.items()
        if known.get(name) != value
    ]
    if differences:
        raise InputError(
            f"cannot resume: {'; '.join(differences)}.",
            hint="Use the same settings, or start over without resuming.",
        )


def _shown(value: object) -> str:
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return "the default" if value is None else str(value)
