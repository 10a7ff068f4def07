"""Superseded figures: of dated documents, the newest says how many there are."""

from __future__ import annotations

import re

from thatch.text.passages.near_duplicates import near_duplicates
from thatch.text.passages.passages import Passages

__all__ = ["superseded"]

# Sentences with other figures are alike if they share this much of everything else.
_SIMILARITY = 0.5
_FIGURE = re.compile(r"\d[\d.,]*(?<=\d)")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")


def superseded(passages: Passages) -> dict[int, int]:
    """Find superseded passages: index of each, and index of the newer one.

    Two passages of documents of different dates that say the same but for their
    figures: the older one is superseded. Figures of different years do not replace one
    another.

    >>> from thatch.text.documents.document import Document
    >>> old = Document("The storm killed 12 people in the north.", date="2024-05-01")
    >>> new = Document("The storm killed 15 people in the north.", date="2024-05-02")
    >>> superseded(Passages.of([old, new]))
    {0: 1}
    """
    dates = [document.date for document in passages.documents]
    if len(set(filter(None, dates))) < 2:
        return {}
    figures = {
        p: frozenset(_FIGURE.findall(text))
        for p, text in enumerate(passages.contents)
        if dates[passages.all[p].document] and any(map(str.isdigit, text))
    }

    def date_of(p: int) -> str:
        return dates[passages.all[p].document]

    newest_first = sorted(figures, key=lambda p: (date_of(p), p), reverse=True)
    frames = [
        [term for term in passages.terms[p] if not term[0].isdigit()]
        for p in newest_first
    ]
    alike = near_duplicates(frames, similarity=_SIMILARITY)
    found = {}
    for older, newer in sorted(alike.items()):
        p, q = newest_first[older], newest_first[newer]
        if date_of(p) < date_of(q) and _is_replaced(figures[p], figures[q]):
            found[p] = q
    return dict(sorted(found.items()))


def _is_replaced(old: frozenset[str], new: frozenset[str]) -> bool:
    years = [{each for each in found if _YEAR.fullmatch(each)} for found in (old, new)]
    return old != new and years[0] == years[1]
