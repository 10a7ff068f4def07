"""Files by the endings of their paths, as questions and tracebacks name them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

# What more files could be is not named.
_MAX_FILES = 3


class PathEndings:
    """Finds files by paths that may be of another machine.

    >>> PathEndings(["src/roof.py", "docs/roof.md"]).at("/home/ada/src/roof.py")
    [0]
    """

    def __init__(self, paths: Sequence[str]) -> None:
        self._files = by_names(endings(path, "/") for path in paths)

    def at(self, path: str) -> list[int]:
        """Indices of the files that a path means; empty if they could be many."""
        parts = [part for part in path.replace("\\", "/").split("/") if part.strip(".")]
        for ending in endings("/".join(parts), "/"):
            found = self._files.get(ending, [])
            if found:
                is_told = "/" in ending or len(found) == 1
                return found if is_told and len(found) <= _MAX_FILES else []
        return []


def endings(name: str, separator: str) -> Iterator[str]:
    """The name, and what is after each separator, longest first.

    >>> list(endings("a.b.c", "."))
    ['a.b.c', 'b.c', 'c']
    """
    yield name
    while separator in name:
        name = name.partition(separator)[2]
        yield name


def by_names(names_of_each: Iterable[Iterable[str]]) -> Mapping[str, list[int]]:
    """The indices of what has each of some names.

    >>> by_names([["a", "b"], ["b"]])
    {'a': [0], 'b': [0, 1]}
    """
    found: dict[str, list[int]] = defaultdict(list)
    for k, names in enumerate(names_of_each):
        for name in names:
            found[name].append(k)
    return dict(found)
