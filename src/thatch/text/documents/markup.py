"""Markup: characters of a source that are layout, and the text without them.

Emphasis, the address of a link or the marker of a quotation are part of the source, so
that offsets refer to them too, but nobody wants to read them in a summary.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate


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
    _starts: Sequence[int]
    #: For each piece: where it is in the source, and whether it replaces markup.
    _pieces: Sequence[tuple[int, int, bool]]

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
        texts = [piece[0] for piece in pieces]
        starts = accumulate(map(len, texts[:-1]), initial=0)
        return cls("".join(texts), list(starts), [piece[1:] for piece in pieces])

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """Return where ``text[start:end]``, which is not empty, is in the source."""
        first = bisect_right(self._starts, start) - 1
        last = bisect_left(self._starts, end) - 1
        source_start, _, is_replaced = self._pieces[first]
        if not is_replaced:
            source_start += start - self._starts[first]
        last_start, source_end, is_replaced = self._pieces[last]
        if not is_replaced:
            source_end = last_start + end - self._starts[last]
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
