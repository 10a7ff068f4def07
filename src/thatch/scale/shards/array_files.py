"""Arrays in NumPy files, on this disk or at any address, written as a whole or not."""

from __future__ import annotations

import hashlib
import io
import mmap
import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.scale.shards.shard_checks import damaged


def mapped(file: Location) -> NDArray[Any]:
    """The array of a file that does not change; parts are read when they are needed.

    A file that is elsewhere is copied to this machine first, once.
    """
    path = file.local_path
    return _on_disk(copy_of(file) if path is None else path)


def loaded(file: Location) -> NDArray[Any]:
    """The array of a file that is read once, mapped if it is on this disk."""
    path = file.local_path
    if path is not None:
        return _on_disk(path)
    content = file.content()
    if content is None:
        raise damaged(file)
    array: NDArray[Any] = np.load(io.BytesIO(content))
    return array


def release(array: NDArray[Any]) -> None:
    """Give back the memory that a mapped array takes; what is used is read again.

    The system keeps the parts of the file while it has memory to spare, but they do not
    add up in a process that works on one file after the other.
    """
    owner: Any = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    # Windows has no such advice.
    if isinstance(owner, mmap.mmap) and hasattr(owner, "madvise"):
        owner.madvise(mmap.MADV_DONTNEED)


def write(file: Location, values: NDArray[Any]) -> None:
    """Write an array; readers see the whole file, or the one before it.

    It is not synced: what a killed process wrote is there, but after a power cut it may
    not be.
    """
    with _replacing(file) as opened:
        np.save(opened, values)


def write_blocks(
    file: Location, dtype: DTypeLike, size: int, blocks: Iterable[NDArray[Any]]
) -> None:
    """Write an array that comes in blocks, so that it need not be held as a whole.

    >>> import tempfile
    >>> location = Location.of(tempfile.mkdtemp()).child("numbers.npy")
    >>> write_blocks(location, np.int64, 4, [np.arange(2), np.arange(2)])
    >>> loaded(location).tolist()
    [0, 1, 0, 1]
    """
    header = {
        "descr": np.lib.format.dtype_to_descr(np.dtype(dtype)),
        "fortran_order": False,
        "shape": (size,),
    }
    with _replacing(file) as opened:
        np.lib.format.write_array_header_1_0(opened, header)
        for block in blocks:
            opened.write(np.ascontiguousarray(block, dtype=dtype).data)


def remove_if_there(file: Location) -> None:
    """Remove a file that may have been removed before."""
    path = file.local_path
    with suppress(FileNotFoundError):
        if path is None:
            file.remove()
        else:
            path.unlink()


@contextmanager
def _replacing(file: Location) -> Iterator[BinaryIO]:
    path = file.local_path
    if path is None:
        with file.atomic_write() as opened:
            yield opened
        return
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with draft.open("wb") as opened:
            yield opened
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _on_disk(path: Path) -> NDArray[Any]:
    try:
        array: NDArray[Any] = np.load(path, mmap_mode="r")
    except (ValueError, EOFError, FileNotFoundError) as error:
        raise damaged(Location.of(path)) from error
    # Slices of a memmap are slower to make than those of an array.
    return array.view(np.ndarray)


_FOLDER = "thatch-shards"


def copy_of(file: Location) -> Path:
    """The copy of a file; all processes of this machine share it."""
    # A resumed run may write a file of the same name.
    try:
        version = f"{file.size} {file.modified}"
    except FileNotFoundError as error:
        raise damaged(file) from error
    path = _folder() / f"{_key(file)}-{_digest(version)}.npy"
    with suppress(FileNotFoundError):
        os.utime(path)
        return path
    _remove_unused(path.parent)
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        with file.opened() as source, draft.open("wb") as target:
            shutil.copyfileobj(source, target)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def remove_copy(file: Location) -> None:
    """Remove the copies of a file, if there are any."""
    for path in _folder().glob(f"{_key(file)}-*"):
        path.unlink(missing_ok=True)


def _folder() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else 0  # not on Windows
    folder = Path(tempfile.gettempdir()) / f"{_FOLDER}-{user}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if user and folder.stat().st_uid != user:
        raise InputError(
            f"{folder} belongs to another user; copies of shards are kept there.",
            hint="Set TMPDIR to a folder of your own.",
        )
    return folder


def _key(file: Location) -> str:
    return _digest(file.address)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _remove_unused(folder: Path) -> None:
    now = time.time()
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            # A run opens its shards again and again; copies that nobody opened for a
            # day are old.
            if now - path.stat().st_mtime > 86_400.0:
                path.unlink()
