"""Copies of files that are elsewhere, such as in an object store, on this machine."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
import uuid
from contextlib import suppress
from pathlib import Path

from thatch.errors import InputError
from thatch.files.locations import Location

__all__ = ["copy_of", "remove_copy"]

_FOLDER = "thatch-shards"
# A run opens its shards again and again; copies that nobody opened for a day are old.
_SECONDS_UNUSED = 86_400.0


def copy_of(file: Location) -> Path:
    """The copy of a file; all processes of this machine share it."""
    # A resumed run may write a file of the same name.
    version = f"{file.size} {file.modified}"
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
            if now - path.stat().st_mtime > _SECONDS_UNUSED:
                path.unlink()
