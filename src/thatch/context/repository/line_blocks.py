"""Lines of a file, and their division into blocks of a size that suits prompts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from operator import add

#: Blocks are filled up to this size.
TARGET_CHARACTERS = 2000
#: Maximum size of a block, unless it is one line.
MAX_CHARACTERS = 4000
#: Some lines, from the first to the one after the last, counted from 0.
Span = tuple[int, int]
# Lines that start so end or continue what is above them.
_CONTINUATIONS = "})]{"


class Lines:
    """The lines of a text."""

    def __init__(self, text: str) -> None:
        #: All of it.
        self.source = text
        #: The lines, without the line feeds that end them.
        self.all = text.split("\n")
        #: The lines without white space at their start.
        self.contents = list(map(str.lstrip, self.all))
        # Offsets at which lines start, and that at which one more would start.
        ends = accumulate(map(len, self.all), initial=0)
        self.offsets: list[int] = list(map(add, ends, range(len(self.all) + 1)))

    def __len__(self) -> int:
        return len(self.all)

    def text(self, start: int, end: int) -> str:
        """Lines as one text."""
        return "\n".join(self.all[start:end]).removesuffix("\r")

    def size(self, start: int, end: int) -> int:
        """Number of characters of some lines."""
        return self.offsets[end] - self.offsets[start] - 1

    def fits(self, start: int, end: int) -> bool:
        """Whether lines are few enough for one chunk."""
        return end - start <= 60 and self.size(start, end) <= TARGET_CHARACTERS

    def is_too_large(
        self, start: int, end: int, max_characters: int = MAX_CHARACTERS
    ) -> bool:
        """Whether lines are too many for one chunk, and can be divided."""
        return end - start > 1 and self.size(start, end) > max_characters

    def trimmed(self, start: int, end: int) -> Span:
        """The span without blank lines at its start and end; empty if all are blank."""
        contents = self.contents
        while start < end and not contents[start]:
            start += 1
        while start < end and not contents[end - 1]:
            end -= 1
        return start, end

    def blocks(self, start: int, end: int) -> list[Span]:
        """Divide lines at blank lines, outer ones first, into blocks of some size.

        What is too large is divided at inner blank lines, then at any line.
        """
        start, end = self.trimmed(start, end)
        if start == end:
            return []
        if self.fits(start, end):
            return [(start, end)]
        return list(self._packed(start, end, level=0))

    def _packed(self, start: int, end: int, *, level: int) -> Iterator[Span]:
        open_start = open_end = start
        for first, last in self._units(start, end, level):
            if open_start < open_end and not self.fits(open_start, last):
                yield open_start, open_end
                open_start = open_end = first
            if open_start == open_end:
                open_start = first
            if level < 2 and self.is_too_large(first, last):
                yield from self._packed(first, last, level=level + 1)
                open_start = open_end = last
            else:
                open_end = last
        if open_start < open_end:
            yield open_start, open_end

    def _units(self, start: int, end: int, level: int) -> Iterator[Span]:
        """Smallest blocks at a level, without blank lines around them.

        Those of level 0 start after a blank line at the least indentation, those of
        level 1 after any blank line, and those of level 2 are single lines.
        """
        contents = self.contents
        margin = 0
        if level == 0:
            margin = min(self.indent(k) for k in range(start, end) if contents[k])
        first = start
        for k in range(start + 1, end):
            if not contents[k] or (level < 2 and contents[k - 1]):
                continue
            is_outer = self.indent(k) == margin and contents[k][0] not in _CONTINUATIONS
            if level > 0 or is_outer:
                yield self.trimmed(first, k)
                first = k
        yield self.trimmed(first, end)

    def indent(self, k: int) -> int:
        """Number of characters before the content of a line."""
        return len(self.all[k]) - len(self.contents[k])
