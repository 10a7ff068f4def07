"""The owner of a lock: which process on which machine, and whether it still runs."""

from __future__ import annotations

import json
import os
import shlex
import socket
import sys
import uuid
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

__all__ = ["LockOwner"]

_MAX_CHARACTERS = 200


@dataclass(frozen=True)
class LockOwner:
    """A process that has or had a lock.

    >>> owner = LockOwner.current()
    >>> owner.was_on_this_machine, owner.is_dead
    (True, False)
    """

    #: Random; a process may have several locks, one after the other.
    token: str
    host: str
    #: Id of the running kernel, which containers share and a restart changes.
    boot: str
    #: Namespace of the process number: containers count their own processes.
    namespace: str
    process_id: int
    #: When the process started, since numbers are used again.
    process_start: str
    command: str
    since: str

    @classmethod
    def current(cls) -> LockOwner:
        """The owner for this process, with a new token."""
        return cls(
            token=uuid.uuid4().hex,
            host=socket.gethostname(),
            boot=_boot(),
            namespace=_namespace(),
            process_id=os.getpid(),
            process_start=_start_of(os.getpid()),
            command=shlex.join(sys.argv)[:_MAX_CHARACTERS],
            since=datetime.now(UTC).isoformat(timespec="seconds"),
        )

    @property
    def description(self) -> str:
        """Process, machine, time and command, for messages."""
        place = f"process {self.process_id} on {self.host}"
        return f"{place}, since {self.since} ({self.command})"

    @property
    def was_on_this_machine(self) -> bool:
        """Whether it ran on this machine, now or before it was restarted."""
        return self.host == socket.gethostname() or self._has_same_kernel

    @property
    def is_visible(self) -> bool:
        """Whether this process would see it if it still runs."""
        # On Windows, processes cannot be checked without ending them.
        is_checked = os.name != "nt"
        return is_checked and self._has_same_kernel and self.namespace == _namespace()

    @property
    def is_dead(self) -> bool:
        """Whether it certainly no longer runs."""
        if self.is_visible:
            return _start_of(self.process_id) != self.process_start
        # The machine was restarted.
        return self.host == socket.gethostname() and not self._has_same_kernel

    @property
    def _has_same_kernel(self) -> bool:
        return self.boot == _boot()

    def to_json(self) -> bytes:
        """The content of a lock file."""
        return json.dumps(asdict(self), indent=1).encode()


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return socket.gethostname()


def _namespace() -> str:
    try:
        return str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return ""


def _start_of(process: int) -> str:
    """When a process started, in ticks since the restart; empty if it does not run."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
        # The name of the program, in parentheses, may contain anything.
        return stat.rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "" if not _runs(process) else "running"


def _runs(process: int) -> bool:
    if os.name == "nt":
        # There, signal 0 is Ctrl+C.
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
