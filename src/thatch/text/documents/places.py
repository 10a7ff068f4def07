"""Places in a document: page, time and speaker, as a citation needs them."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Place"]


@dataclass(frozen=True, slots=True)
class Place:
    """Page, time and speaker of a text, from an offset on.

    >>> Place(0, page=12).page
    12
    """

    #: Offset of the first character.
    start: int
    #: Number of the page, from 1; None where there are no pages.
    page: int | None = None
    #: When it was said or sent, such as ``00:12:07`` or ``2024-05-01 10:30``.
    time: str = ""
    #: Who said or sent it.
    speaker: str = ""
