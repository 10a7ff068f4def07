"""The lock of an output: only one command at a time writes to it.

The file ``_lock`` in the output folder names its owner. On a disk, the owner also has
an exclusive lock of the operating system on that file, which ends with its process: a
lock that is free belongs to a dead process and is taken over. Elsewhere, as in an
object store, the lock of the operating system is on a file in the folder for temporary
files, which excludes the processes of this machine; those of other machines are
excluded by the existence of ``_lock`` alone. So are all processes on Windows, which
has no such locks.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shlex
import socket
import sys
import tempfile
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from thatch.errors import InputError
from thatch.files.json_lines import record_in
from thatch.files.locations import Location

try:
    import fcntl
except ImportError:  # Windows
    _HAS_FILE_LOCKS = False
else:
    _HAS_FILE_LOCKS = True

#: Name of the lock file.
LOCK = "_lock"
# Lustre without the mount option flock, for example.
_WITHOUT_LOCKS = (errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK)


class OutputLock:
    """Locks an output folder, which is created, until the end of a ``with`` block.

    If another command has it, the error names its owner. `on_notice` is called with a
    message if the lock of a dead process is taken over.

    >>> folder = Location(tempfile.mkdtemp())
    >>> with OutputLock(folder, on_notice=print):
    ...     folder.names()
    {'_lock'}
    >>> folder.names()
    set()
    """

    def __init__(
        self,
        folder: Location,
        *,
        on_notice: Callable[[str], None],
        keeps_empty_folder: bool = True,
    ) -> None:
        self._folder = folder
        self._on_notice = on_notice
        self._owner = LockOwner.current()
        self._path = Path()
        #: The file that is locked by the operating system, if it has such locks.
        self._descriptor: int | None = None
        self._keeps_empty_folder = keeps_empty_folder
        self._has_folder = False

    @property
    def token(self) -> str:
        """Identifies this lock: no other has the same."""
        return self._owner.token

    def __enter__(self) -> Self:
        # An empty folder of the user is kept.
        is_empty = self._folder.is_folder and not self._folder.names()
        self._has_folder = is_empty and self._keeps_empty_folder
        path = self._folder.local_path
        if not _HAS_FILE_LOCKS:
            self._take_over_elsewhere(self._folder.child(LOCK))
        elif path is None or not self._is_locked_on_disk(path):
            self._lock_elsewhere()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        lock = self._folder.child(LOCK)
        try:
            # If the file was removed by hand, another command may have the lock now.
            if _owner_of(lock) == self._owner:
                lock.remove()
            if not self._has_folder:
                self._folder.remove_if_empty()
        finally:
            self._release()

    def _release(self) -> None:
        if self._descriptor is None:
            return
        if self._path.parent != self._folder.local_path:
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)

    def _is_locked_on_disk(self, folder: Path) -> bool:
        """Lock the file in the folder; False if its disk has no such locks."""
        try:
            descriptor = self._hold(folder / LOCK)
        except OSError as error:
            if error.errno not in _WITHOUT_LOCKS:
                raise
            return False
        try:
            self._take_over_on_disk(descriptor)
        except BaseException:
            self._release()
            raise
        return True

    def _take_over_on_disk(self, descriptor: int) -> None:
        content = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
        before = record_in(content, LockOwner)
        # Not every network file system shares its locks with other machines.
        if before is not None and not before.was_on_this_machine:
            raise self._in_use(before)
        if content:
            self._notify_of(before)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, self._owner.to_json(), 0)
        os.fsync(descriptor)

    def _lock_elsewhere(self) -> None:
        name = hashlib.sha256(self._folder.address.encode()).hexdigest()[:24]
        self._hold(Path(tempfile.gettempdir()) / f"thatch-{os.getuid()}-{name}.lock")
        try:
            self._take_over_elsewhere(self._folder.child(LOCK))
        except BaseException:
            self._release()
            raise

    def _take_over_elsewhere(self, lock: Location) -> None:
        self._folder.make_folder()
        if lock.create(self._owner.to_json()):
            return
        before = _owner_of(lock)
        if before is None or not before.is_dead:
            raise self._in_use(before)
        self._notify_of(before)
        with lock.atomic_write() as file:
            file.write(self._owner.to_json())

    def _hold(self, path: Path) -> int:
        """Lock a file of this machine by the operating system; its descriptor."""
        # The folder may be removed by its last owner between two steps.
        for _ in range(100):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                descriptor, is_new = _opened(path)
            except FileNotFoundError:
                continue
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(descriptor)
                raise self._in_use(_owner_of(self._folder.child(LOCK))) from None
            except OSError:
                if is_new:
                    path.unlink()
                os.close(descriptor)
                raise
            if _is_named(descriptor, path):
                self._path, self._descriptor = path, descriptor
                return descriptor
            os.close(descriptor)  # its last owner has removed it
        raise self._in_use(None)

    def _in_use(self, owner: LockOwner | None) -> InputError:
        name = "another command" if owner is None else owner.description
        lock = self._folder.child(LOCK).address
        return InputError(
            f"{self._folder.address} is in use by {name}.",
            hint="Wait until it has finished, or choose another output."
            if owner is not None and owner.is_visible
            else f"Wait until it has finished. If it is not running, remove {lock}.",
        )

    def _notify_of(self, before: LockOwner | None) -> None:
        name = "a command" if before is None else before.description
        self._on_notice(
            f"took over the lock of {self._folder.address} from {name}, which has ended"
        )


def require_locked_by(folder: Location, token: str) -> None:
    """Require that the lock with a token still exists, before something is written.

    A worker may outlive the command that it works for.
    """
    owner = _owner_of(folder.child(LOCK))
    if owner is None or owner.token != token:
        raise InputError(
            f"the lock of {folder.address} was removed while this command ran"
            f"{'' if owner is None else f'; now {owner.description} has it'}.",
            hint="Resume when no other command is using this output.",
        )


def _owner_of(lock: Location) -> LockOwner | None:
    lock.refresh()
    return record_in(lock.content(), LockOwner)


def _opened(path: Path) -> tuple[int, bool]:
    """The file, opened for reading and writing; and whether it was created."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666), True
    except FileExistsError:
        return os.open(path, os.O_RDWR), False


def _is_named(descriptor: int, path: Path) -> bool:
    """Whether the open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


@dataclass(frozen=True)
class LockOwner:
    """A process that has or had a lock."""

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
        max_characters = 200
        return cls(
            token=uuid.uuid4().hex,
            host=socket.gethostname(),
            boot=_boot(),
            namespace=_namespace(),
            process_id=os.getpid(),
            process_start=_start_of(os.getpid()),
            command=shlex.join(sys.argv)[:max_characters],
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
