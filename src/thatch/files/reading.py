"""Files and folders, with errors that say what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from thatch.errors import InputError

__all__ = ["files_below", "is_file", "is_folder", "read_bytes", "visible_entries"]


def read_bytes(path: Path) -> bytes:
    """Return the content of a file.

    Raises
    ------
    InputError
        If it cannot be read, or is a folder.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> _ = path.write_bytes(b"All is well.")
    >>> read_bytes(path)
    b'All is well.'
    """
    if is_folder(path):
        raise InputError(
            f"the document must be a file, got the folder {path}.",
            hint="Name a file inside it, or read the folder with read_documents.",
        )
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def is_folder(path: Path) -> bool:
    """Whether there is a folder of that name.

    >>> is_folder(Path("/")), is_folder(Path("no such folder"))
    (True, False)
    """
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False  # whoever reads it will be told what is wrong


def is_file(path: Path) -> bool:
    """Whether there is a file of that name, and not a socket or the like.

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
    """Files in a folder and below, sorted by name, without hidden ones.

    Links to folders are not followed: they may lead around in a circle.

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
        hint="Check its spelling, and that you may read it.",
    )
