"""Folders that shards are written to: the files of a problem, and their replacement.

The files of a problem are in a subfolder with a name of its own. ``problem.json`` names
it and is written last, as a whole: until then, the folder has its former problem, or
none.
"""

from __future__ import annotations

import json
import logging
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.files.output_lock import LOCK, OutputLock
from thatch.scale.shards.shard import opened_shard

#: The file that describes the problem.
PROBLEM = "problem.json"
#: The format that it names.
FORMAT = "thatch-shards"
# How names of the subfolders start.
_FILES = "files-"
_LOG = logging.getLogger("thatch.scale")


@dataclass(frozen=True)
class OutputFolder:
    """A folder, and the new subfolder for the files of a problem."""

    location: Location
    files: Location

    def describe(self, content: bytes) -> None:
        """Write the description of the problem, which replaces the one before."""
        with self.location.child(PROBLEM).atomic_write() as file:
            file.write(content)


def locked(location: Location) -> OutputLock:
    """The lock of a folder of shards: one command at a time writes or solves it."""
    return OutputLock(location, on_notice=_LOG.warning)


@contextmanager
def output_folder(
    address: str | os.PathLike[str], *, overwrite: bool = False
) -> Iterator[OutputFolder]:
    """Create a folder for shards; after an error, it is as it was before.

    Shards in it, complete or not, are replaced only if `overwrite` is set. Anything
    else in it, or another command that uses it, is an error.
    """
    location = Location.of(address)
    _require_new(location, overwrite=overwrite)
    with locked(location):
        # Again: another command may have written to it meanwhile.
        _require_new(location, overwrite=overwrite)
        before = _names_of_files(location)
        output = OutputFolder(location, location.child(f"{_FILES}{uuid.uuid4().hex}"))
        output.files.make_folder()
        try:
            yield output
        except BaseException:
            _remove(location, {output.files.name})
            raise
        _remove(location, before)


def has_incomplete_files(location: Location) -> bool:
    """Whether the folder has files of a problem that was not written to the end."""
    return not location.child(PROBLEM).exists and bool(_names_of_files(location))


def _names_of_files(location: Location) -> set[str]:
    return {name for name in location.names() if name.startswith(_FILES)}


def _require_new(location: Location, *, overwrite: bool) -> None:
    if location.exists and not location.is_folder:
        raise InputError(
            f"{location.address} is a file; shards are written to a folder.",
            hint="Choose a new folder.",
        )
    names = location.finished_names() - {LOCK}
    if not names:
        return
    ours = _names_of_files(location)
    if _has_description(location):
        ours.add(PROBLEM)
    others = sorted(names - ours)
    if others:
        raise InputError(
            f"the output folder {location.address} contains other files, such as "
            f"{others[0]}.",
            hint="Choose a new or an empty folder.",
        )
    if not overwrite:
        state = "shards" if PROBLEM in names else "incomplete shards"
        raise InputError(
            f"{location.address} already contains {state}.",
            hint="Choose another folder, or overwrite it.",
        )


def _has_description(location: Location) -> bool:
    try:
        fields = json.loads(location.child(PROBLEM).content() or b"")
        return bool(fields["format"] == FORMAT)
    except (ValueError, KeyError, TypeError, OSError):
        return False


def _remove(location: Location, names: set[str]) -> None:
    for name in names:
        with suppress(OSError):
            location.child(name).remove()
    if names:
        # Removed files take space while they are mapped.
        opened_shard.cache_clear()
