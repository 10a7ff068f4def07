"""Companions: chunks that others need to make sense, such as headings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from thatch.arrays import Ints
from thatch.text.relevance.structure import Structure

_HEADING = re.compile(r"#{1,6}[ \t]+\S[^\n]*|[^\n]+\n(?:={3,}|-{3,})")
_INTRODUCTION = (":", "\uff1a")
# What a colon introduces: code, a list, or a table.
_INTRODUCED = re.compile(
    r"\s*\n?(?:```|~~~|[-*+\u2022][ \t]|\d{1,3}[.)][ \t]|[ ]{4}|\t|>>>|\$[ ]|\|)"
)


def headings_of(texts: Sequence[str], sources: Sequence[str]) -> Ints:
    """For each chunk, the chunk before it that is its heading: itself, if it is one.

    int64, shape (num_chunks,); -1 for chunks without a heading.

    >>> headings_of(["Hi.", "# North", "Snow fell.", "It froze."], [""] * 4)
    array([-1,  1,  1,  1])
    """
    found = np.full(len(texts), -1)
    heading, source_of_heading = -1, ""
    for k, (text, source) in enumerate(zip(texts, sources, strict=True)):
        if _HEADING.fullmatch(text.strip()):
            heading, source_of_heading = k, source
        if heading >= 0 and source == source_of_heading:
            found[k] = heading
    return found


def companions_of(
    texts: Sequence[str],
    structure: Structure,
    headings: Ints,
    sources: Sequence[str],
    *,
    window: int = 0,
) -> Mapping[int, Sequence[int]]:
    """Chunks that should accompany each chunk, those that it needs most first.

    A heading accompanies the text below it; code or a list accompanies the line with a
    colon before it; and with a window, its neighbors accompany every chunk. Chunks that
    need none are left out.

    >>> texts = ["Install it like this:", "    pip install thatch", "Done."]
    >>> companions_of(texts, Structure.unordered(3), np.full(3, -1), [""] * 3)
    {0: [1]}
    """
    found: dict[int, list[int]] = {}

    def add(chunk: int, companion: int) -> None:
        accompanying = found.setdefault(chunk, [])
        if companion not in accompanying and texts[companion].strip():
            accompanying.append(companion)

    for k, heading in enumerate(headings.tolist()):
        if heading not in (-1, k):
            add(k, heading)
    next_of = dict(zip(*map(np.ndarray.tolist, structure.neighbors(1)), strict=True))
    for k, text in enumerate(texts):
        if text.rstrip().endswith(_INTRODUCTION):
            following = next_of.get(k, -1)
            is_list = k + 1 < len(texts) and sources[k] == sources[k + 1]
            if following < 0 and is_list and _INTRODUCED.match(texts[k + 1]):
                following = k + 1
            if following >= 0:
                add(k, following)
    for distance in range(1, min(window, len(texts) - 1) + 1):
        earlier, later = structure.neighbors(distance)
        for one, other in zip(earlier.tolist(), later.tolist(), strict=True):
            add(one, other)
            add(other, one)
    return dict(sorted(found.items()))
