"""Atomic writes: files that are complete or do not appear at all."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from thatch.errors import InputError


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path to write to, which replaces `path` on success only.

    A file that exists keeps its mode.
    """
    require_writable(path)
    target = Path(path).resolve()  # a link is kept, and its target is replaced
    if target.exists() and not target.is_file():
        # A pipe or a device such as /dev/stdout cannot be replaced.
        with _naming(target, target):
            yield target
        return
    try:
        handle, name = tempfile.mkstemp(
            prefix=f".{target.name}.", suffix=target.suffix, dir=target.parent
        )
        os.close(handle)
    except OSError as error:
        raise _unwritable(target, error) from error
    draft = Path(name)
    try:
        with _naming(target, draft):
            yield draft
            draft.chmod(0o666 & ~_umask())
            publish(draft, target)
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _naming(target: Path, draft: Path) -> Iterator[None]:
    """Errors of the system while a draft is written name the file that it would be.

    That of a full disk names none. An error that names another file is about that one.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None or Path(error.filename) in (draft, target):
            raise _unwritable(target, error) from error
        raise


def publish(draft: Path, target: Path) -> None:
    """Give a finished file its name; a file that it replaces passes on its mode.

    The data is synced before the rename and the folder after it, so that after a power
    cut the name belongs to the old file or to the whole new one.
    """
    # For writing: Windows syncs no file that is open for reading only.
    descriptor = os.open(draft, os.O_RDWR)
    try:
        with suppress(FileNotFoundError):
            draft.chmod(stat.S_IMODE(target.stat().st_mode))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    draft.replace(target)
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    # Some file systems cannot sync a folder, and some folders cannot be read; the file
    # is complete without it.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Wait until no other process of this program is in such a block for the folder.

    The lock ends with the process. Windows and some network disks have no such locks.
    """
    descriptor = None
    with suppress(OSError, ImportError):
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)


def require_writable(path: str | Path) -> None:
    """Require that a path can be written, to fail before the work rather than after."""
    target = Path(path)
    try:
        target.resolve()
        is_folder, has_folder = target.is_dir(), target.parent.is_dir()
    except (OSError, ValueError) as error:
        raise _unwritable(target, error) from error
    if is_folder:
        raise InputError(
            f"{target} cannot be written: it is a folder.",
            hint="Name a file inside it.",
        )
    if not has_folder:
        raise InputError(
            f"{target} cannot be written: there is no folder {target.parent}.",
            hint="Create the folder, or name another one.",
        )


def _unwritable(target: Path, error: OSError | ValueError) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(
        f"{target} cannot be written: {reason}.",
        hint="Check the permissions, and that the disk is not full.",
    )


def make_folder(path: str | Path) -> None:
    """Create a folder and its parents, if they do not exist."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"the folder {path} cannot be created: {error.strerror}.",
            hint="Name a folder that you may write to.",
        ) from error


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0)
    os.umask(mask)
    return mask
