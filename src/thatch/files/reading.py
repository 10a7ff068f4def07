"""Files and folders to read, with errors that name them."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import Any

from thatch.errors import InputError

#: Standard input, on every system.
STANDARD_INPUT = Path("/dev/stdin")
#: Maximum number of bytes read from a pipe, a terminal or a socket, which may never
#: end, and from a file that is found in a folder.
MAX_STREAM_BYTES = 1 << 29
# A path has one slash where a URL has two.
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/+(.+)", re.DOTALL)


def read_bytes(path: Path) -> bytes:
    """Read the content of a file."""
    with opened(path) as file:
        return file.read()


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """Open a file for reading bytes.

    Folders, URLs, endless devices such as /dev/zero, and pipes with more than 512 MiB
    are errors.
    """
    if is_folder(path):
        raise InputError(
            f"{path} is a folder; a file was expected.",
            hint="Name a file inside it.",
        )
    try:
        # Windows has no file of that name.
        is_stdin = path == STANDARD_INPUT
        file = os.fdopen(0, "rb", closefd=False) if is_stdin else path.open("rb")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    with file:
        try:
            yield _with_end(file, str(path))
        except OSError as error:
            raise _unreadable(path, error) from error


def read_stream(stream: BufferedReader, name: str) -> bytes:
    """Read the content of an open stream, such as standard input."""
    return _with_end(stream, name).read()


def _with_end(stream: BufferedReader, name: str) -> BufferedReader:
    """The stream itself if it is a file; a pipe with a limit; an error for devices."""
    try:
        status = os.fstat(stream.fileno())
    except OSError:
        return stream  # bytes in memory
    if stat.S_ISREG(status.st_mode):
        return stream
    is_device = stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)
    is_null = status.st_rdev == Path(os.devnull).stat().st_rdev
    if is_device and not is_null and not stream.isatty():
        raise InputError(
            f"{name} is a device; a file was expected.",
            hint="Copy the part that you need to a file.",
        )
    return BufferedReader(_Bounded(stream, name))


class _Bounded(RawIOBase):
    """A stream that raises an error once too much of it was read."""

    def __init__(self, stream: BufferedReader, name: str) -> None:
        self._stream = stream
        self._name = name
        self._num_left = MAX_STREAM_BYTES

    def readable(self) -> bool:
        """Return True: a buffered reader requires it."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into the buffer, and return how many bytes."""
        content = self._stream.read1(len(buffer))
        self._num_left -= len(content)
        if self._num_left < 0:
            raise InputError(
                f"{self._name} has more than {MAX_STREAM_BYTES:,} bytes and is not a "
                "file.",
                hint="It may never end. Save what you need to a file.",
            )
        buffer[: len(content)] = content
        return len(content)


def package_lines(package: str, name: str) -> list[str]:
    """Lines of a data file in a package, without comments, which start with ``#``."""
    from importlib import resources

    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def is_folder(path: Path) -> bool:
    """Whether the path is a folder."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False  # reading it raises the error that says why


def is_file(path: Path) -> bool:
    """Whether the path is a regular file, not a folder, a socket or a device."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def visible_entries(folder: Path) -> list[Path]:
    """Files and folders in a folder, sorted by name, without hidden ones."""
    try:
        entries = sorted(folder.iterdir())
    except (OSError, ValueError) as error:
        raise _unreadable(folder, error) from error
    return [entry for entry in entries if not entry.name.startswith(".")]


def files_below(
    folder: Path,
    *,
    follow_links: bool = False,
    on_skip: Callable[[Path, str], None] | None = None,
) -> Iterator[Path]:
    """Files in a folder and its subfolders, sorted by name, without hidden ones.

    Parameters
    ----------
    folder
        The folder; it may be a link itself.
    follow_links
        Whether links to files outside of the folder are followed. Links to folders
        never are, because they may form a cycle.
    on_skip
        Called with each file that is left out and the reason: links out of the folder,
        pipes, sockets and devices, and files above 512 MiB.
    """
    top = None if follow_links else folder.resolve()
    for path in _entries_below(folder):
        reason = _reason_to_skip(path, top)
        if not reason:
            yield path
        elif on_skip is not None:
            on_skip(path, reason)


def _entries_below(folder: Path) -> Iterator[Path]:
    """Everything in a folder and its subfolders, but folders and links to them."""
    for entry in visible_entries(folder):
        if not is_folder(entry):
            yield entry
        elif not entry.is_symlink():
            yield from _entries_below(entry)


def _reason_to_skip(path: Path, top: Path | None) -> str:
    """Why a file in a folder should not be read; empty if it should."""
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        return f"it cannot be read: {_cause(error)}"
    if top is not None and not path.resolve().is_relative_to(top):
        return "it is a link out of the folder"
    if not stat.S_ISREG(status.st_mode):
        return "it is a pipe, a socket or a device"
    if status.st_size > MAX_STREAM_BYTES:
        return f"it has {status.st_size:,} bytes"
    return ""


def _cause(error: OSError | ValueError) -> str:
    return str(getattr(error, "strerror", None) or error)


def _unreadable(path: Path, error: OSError | ValueError) -> InputError:
    url = _URL.fullmatch(path.as_posix())
    # Windows refuses the colon as invalid before it looks for the file.
    reasons = (errno.ENOENT, errno.EINVAL)
    if url and getattr(error, "errno", None) in reasons:
        address = f"{url[1]}://{url[2]}"
        return InputError(
            f"{address} is a URL; thatch reads files and downloads nothing.",
            hint=f"Download it first, or pipe it to a command that reads -, such as: "
            f"curl -sSL {address} | thatch summarize -",
        )
    return InputError(
        f"{path} cannot be read: {_cause(error)}.",
        hint="Check the path and its permissions.",
    )
