"""Markup: characters of a source that are layout, and the text without them.

Emphasis, the address of a link or the marker of a quotation are part of the source, so
that offsets refer to them too, but nobody wants to read them in a summary.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Markup:
    """Characters of a source that are not shown, and what is shown instead.

    >>> Markup(4, 9, shown="&").shown  # the entity &amp;
    '&'
    """

    #: Offset of the first character.
    start: int
    #: Offset after the last character.
    end: int
    #: What is shown instead.
    shown: str = ""


@dataclass(frozen=True, eq=False)
class ShownText:
    """A part of a source without its markup, and the way back to the source.

    >>> emphasis = [Markup(3, 5), Markup(11, 13)]
    >>> shown = ShownText.of("It **rained** here.", 0, 19, emphasis)
    >>> shown.text, shown.source_span(3, 9)
    ('It rained here.', (5, 11))
    """

    #: The text as shown.
    text: str
    #: Offsets in the text at which its pieces start, ascending.
    _piece_starts: Sequence[int]
    #: For each piece: offset in the source of its first character.
    _source_starts: Sequence[int]
    #: For each piece: whether it replaces markup.
    _is_replaced: Sequence[bool]
    #: For each piece: offset in the source after its last character.
    _source_ends: Sequence[int]

    @classmethod
    def of(
        cls, source: str, start: int, end: int, markup: Sequence[Markup]
    ) -> ShownText:
        """Return what is shown of ``source[start:end]``.

        The markup is in order and has no overlaps.
        """
        pieces: list[tuple[str, int, int, bool]] = []
        place = start
        first = bisect_left(markup, start, key=lambda mark: mark.start)
        for mark in markup[first:]:
            if mark.start >= end:
                break
            pieces.append((source[place : mark.start], place, mark.start, False))
            pieces.append((mark.shown, mark.start, mark.end, True))
            place = mark.end
        pieces.append((source[place:end], place, end, False))
        pieces = [piece for piece in pieces if piece[0]]
        starts, length = [], 0
        for text, *_ in pieces:
            starts.append(length)
            length += len(text)
        return cls(
            "".join(text for text, *_ in pieces),
            starts,
            [piece[1] for piece in pieces],
            [piece[3] for piece in pieces],
            [piece[2] for piece in pieces],
        )

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where ``text[start:end]``, which is not empty, is in the source."""
        first = bisect_right(self._piece_starts, start) - 1
        last = bisect_left(self._piece_starts, end) - 1
        source_start = self._source_starts[first]
        if not self._is_replaced[first]:
            source_start += start - self._piece_starts[first]
        source_end = self._source_ends[last]
        if not self._is_replaced[last]:
            source_end = self._source_starts[last] + end - self._piece_starts[last]
        return source_start, source_end


def merged(markup: Iterable[Markup]) -> tuple[Markup, ...]:
    """Return markup in order, without what lies inside of other markup.

    >>> merged([Markup(4, 6), Markup(0, 9), Markup(9, 10)])
    (Markup(start=0, end=9, shown=''), Markup(start=9, end=10, shown=''))
    """
    kept: list[Markup] = []
    for mark in sorted(markup, key=lambda mark: (mark.start, -mark.end)):
        if not kept or mark.start >= kept[-1].end:
            kept.append(mark)
    return tuple(kept)
