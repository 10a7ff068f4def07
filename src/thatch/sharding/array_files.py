"""Arrays in NumPy files, on this disk or at any address, written as a whole or not."""

from __future__ import annotations

import hashlib
import os
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thatch.files.locations import Location

__all__ = ["mapped", "remove_if_there", "write"]

# Copies of files that are elsewhere.
_COPIES = "thatch-shards"


def mapped(file: Location) -> NDArray[Any]:
    """The array of a file, whose parts are read when they are needed.

    A file that is elsewhere is copied to this machine first, once.

    >>> location = Location.of(tempfile.mkdtemp()).child("numbers.npy")
    >>> write(location, np.arange(3))
    >>> mapped(location)[1]
    np.int64(1)
    """
    path = file.local_path
    if path is None:
        path = _copy_of(file)
    array: NDArray[Any] = np.load(path, mmap_mode="r")
    return array


def write(file: Location, values: NDArray[Any]) -> None:
    """Write an array; readers see the whole file, or the one before it.

    It is not synced: what a killed process wrote is there, but after a power cut it may
    not be.
    """
    path = file.local_path
    if path is None:
        with file.atomic_write() as opened:
            np.save(opened, values)
        return
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with draft.open("wb") as opened:
            np.save(opened, values)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def remove_if_there(file: Location) -> None:
    """Remove a file that may have been removed before."""
    path = file.local_path
    with suppress(FileNotFoundError):
        if path is None:
            file.remove()
        else:
            path.unlink()


def _copy_of(file: Location) -> Path:
    folder = Path(tempfile.gettempdir()) / f"{_COPIES}-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    version = f"{file.address} {file.size} {file.modified}"
    path = folder / f"{hashlib.sha256(version.encode()).hexdigest()}.npy"
    if not path.exists():
        content = file.content()
        if content is None:
            raise FileNotFoundError(file.address)
        draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
        draft.write_bytes(content)
        draft.replace(path)
    return path
