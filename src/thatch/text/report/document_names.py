"""Names of documents that can be shared: without the folders of a computer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

_STANDARD_INPUT = "-"
# The start of a path that is a path whatever its end is.
_ROOTED = re.compile(r"file:|[/\\~]|\.\.?[/\\]|[A-Za-z]:[/\\]")
_SUFFIX = re.compile(r"[^/\\\s][^/\\]*\.\w{1,8}\Z")
# In a title, there may be spaces around a slash.
_FOLDER = re.compile(r"[^\s/\\][/\\]+[^\s/\\]")
_SEPARATORS = re.compile(r"[/\\]+")


def short_names(names: Sequence[str]) -> list[str]:
    """Return the end of each path that distinguishes it from the others.

    Titles stay as they are; documents without a name are numbered.

    >>> short_names(["/home/ann/a/notes.txt", "/home/ann/b/notes.txt", "/tmp/x.pdf"])
    ['a/notes.txt', 'b/notes.txt', 'x.pdf']
    >>> short_names(["Profit / loss", "", "-"])
    ['Profit / loss', 'Document 2', 'Standard input']
    """
    paths = {name: _parts(name) for name in names if _is_path(name)}
    shortened = _distinct_ends(paths)
    return [
        shortened.get(name) or _title(name, number)
        for number, name in enumerate(names, start=1)
    ]


def is_file_name(name: str) -> bool:
    """Whether a name is that of a file rather than a title."""
    return name == _STANDARD_INPUT or _SUFFIX.search(name) is not None


def _is_path(name: str) -> bool:
    if _ROOTED.match(name):
        return True
    is_address = "://" in name
    has_folder = _FOLDER.search(name) is not None
    return has_folder and not is_address and is_file_name(name)


def _parts(path: str) -> tuple[str, ...]:
    return tuple(
        part
        for part in _SEPARATORS.split(path.removeprefix("file:"))
        if part not in ("", ".", "..")
    )


def _distinct_ends(paths: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """The shortest end of each path that no other has."""
    found: dict[str, str] = {}
    left = dict(paths)
    num_parts = 1
    while left:
        # Two ways to write one path count as one.
        ends = Counter(parts[-num_parts:] for parts in {*paths.values()})
        for name, parts in list(left.items()):
            end = parts[-num_parts:]
            if ends[end] == 1 or len(parts) <= num_parts:
                found[name] = "/".join(end)
                del left[name]
        num_parts += 1
    return found


def _title(name: str, number: int) -> str:
    if name == _STANDARD_INPUT:
        return "Standard input"
    return name or f"Document {number}"
