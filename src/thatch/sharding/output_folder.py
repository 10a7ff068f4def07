"""Folders that shards are written to: complete, or marked as incomplete."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from thatch.errors import InputError
from thatch.files.locations import Location
from thatch.sharding.array_files import remove_if_there
from thatch.sharding.shard import opened_shard

__all__ = ["FORMAT", "INCOMPLETE", "PROBLEM", "new_folder"]

#: The file that describes the problem; it is written last.
PROBLEM = "problem.json"
#: The format that it names.
FORMAT = "thatch-shards"
#: The file that marks a folder whose shards are not all written.
INCOMPLETE = "incomplete"


@contextmanager
def new_folder(
    address: str | os.PathLike[str] | Location, *, overwrite: bool = False
) -> Iterator[Location]:
    """Create a folder for shards; after an error, nothing of it is left.

    While it is written, and if the process is killed, a file marks it as incomplete.

    Parameters
    ----------
    address
        A path or an address.
    overwrite
        Whether to remove the shards in the folder, complete or not, if there are any.

    Raises
    ------
    InputError
        If the folder contains something else, or shards that may not be removed.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with new_folder(folder) as location:
    ...     location.names()
    {'incomplete'}
    >>> location.names()
    set()
    """
    location = Location.of(address)
    existed = location.exists
    _require_new(location, overwrite=overwrite)
    location.make_folder()
    marker = location.child(INCOMPLETE)
    if not marker.create(b"") and not overwrite:
        raise _taken(location, is_complete=False)  # by another process, just now
    try:
        _remove_content(location)
        yield location
    except BaseException:
        with suppress(OSError):
            _remove_content(location)
            remove_if_there(marker)
            if not existed:
                location.remove()
        raise
    remove_if_there(marker)


def _require_new(location: Location, *, overwrite: bool) -> None:
    if location.exists and not location.is_folder:
        raise InputError(
            f"{location.address} is a file; shards are written to a folder.",
            hint="Choose a new folder.",
        )
    names = location.names()
    if not names:
        return
    if INCOMPLETE not in names and not _has_shards(location):
        raise InputError(
            f"the output folder {location.address} contains other files.",
            hint="Choose a new or an empty folder.",
        )
    if not overwrite:
        raise _taken(location, is_complete=PROBLEM in names)


def _taken(location: Location, *, is_complete: bool) -> InputError:
    return InputError(
        f"{location.address} already contains shards."
        if is_complete
        else f"{location.address} contains incomplete shards: the run that wrote them "
        "was killed, or is still running.",
        hint="Choose another folder, or overwrite it.",
    )


def _has_shards(location: Location) -> bool:
    content = location.child(PROBLEM).content()
    if content is None:
        return False
    try:
        return bool(json.loads(content)["format"] == FORMAT)
    except (ValueError, KeyError, TypeError):
        return False


def _remove_content(location: Location) -> None:
    """Remove everything but the marker, first of all what makes it a problem."""
    names = sorted(location.names() - {INCOMPLETE}, key=lambda name: name != PROBLEM)
    for name in names:
        location.child(name).remove()
    if names:
        # Removed files take space while they are mapped.
        opened_shard.cache_clear()
