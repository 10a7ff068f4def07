"""Files and folders to read, with errors that name them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path

from thatch.errors import InputError

__all__ = [
    "files_below",
    "is_file",
    "is_folder",
    "opened",
    "package_lines",
    "read_bytes",
    "visible_entries",
]


def read_bytes(path: Path) -> bytes:
    """Read the content of a file.

    Raises
    ------
    InputError
        If the file cannot be read, or is a folder.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> _ = path.write_bytes(b"All is well.")
    >>> read_bytes(path)
    b'All is well.'
    """
    with opened(path) as file:
        return file.read()


@contextmanager
def opened(path: Path) -> Iterator[BufferedReader]:
    """Open a file for reading bytes.

    Raises
    ------
    InputError
        If the file cannot be read, or is a folder.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> _ = path.write_bytes(b"All is well.")
    >>> with opened(path) as file:
    ...     file.read(3)
    b'All'
    """
    if is_folder(path):
        raise InputError(
            f"{path} is a folder; a file was expected.",
            hint="Name a file inside it.",
        )
    try:
        file = path.open("rb")
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    with file:
        try:
            yield file
        except OSError as error:
            raise _unreadable(path, error) from error


def package_lines(package: str, name: str) -> list[str]:
    """Lines of a data file in a package, without comment lines, which start with ``#``.

    >>> package_lines("thatch.rouge.data", "stop_words.txt")[:3]
    ['a', 'able', 'about']
    """
    from importlib import resources

    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if not line.startswith("#")]


def is_folder(path: Path) -> bool:
    """Whether the path is a folder.

    >>> is_folder(Path("/")), is_folder(Path("no such folder"))
    (True, False)
    """
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False  # reading it raises the error that says why


def is_file(path: Path) -> bool:
    """Whether the path is a regular file, not a folder, a socket or a device.

    >>> is_file(Path("/")), is_file(Path(__file__))
    (False, True)
    """
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def visible_entries(folder: Path) -> list[Path]:
    """Files and folders in a folder, sorted by name, without hidden ones.

    Raises
    ------
    InputError
        If the folder cannot be read.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / ".hidden").write_text("")
    >>> visible_entries(folder)
    []
    """
    try:
        entries = sorted(folder.iterdir())
    except (OSError, ValueError) as error:
        raise _unreadable(folder, error) from error
    return [entry for entry in entries if not entry.name.startswith(".")]


def files_below(folder: Path) -> Iterator[Path]:
    """Files in a folder and its subfolders, sorted by name, without hidden ones.

    Links to folders are not followed, because they may form a cycle.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b", "a"):
    ...     _ = (folder / name).write_text("")
    >>> [path.name for path in files_below(folder)]
    ['a', 'b']
    """
    for entry in visible_entries(folder):
        if not is_folder(entry):
            if is_file(entry):
                yield entry
        elif not entry.is_symlink():
            yield from files_below(entry)


def _unreadable(path: Path, error: OSError | ValueError) -> InputError:
    reason = getattr(error, "strerror", None) or error
    return InputError(
        f"{path} cannot be read: {reason}.",
        hint="Check the path and its permissions.",
    )
