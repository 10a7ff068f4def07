"""ROUGE-L: longest common subsequences of lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import ClassVar

from thatch.rouge.score import Metric, Overlap
from thatch.rouge.text import Text


@dataclass(frozen=True)
class Lines:
    """The lines of a text, and the counts of its words."""

    lines: tuple[tuple[str, ...], ...]
    counts: Counter[str]
    num_words: int
    num_words_in_lines: int


@dataclass(frozen=True)
class LongestSubsequence(Metric[Lines]):
    """ROUGE-L of whole summaries, by the union of longest common subsequences.

    A word of a reference line matches if it is part of a longest common subsequence
    with a line of the candidate. A word matches at most as often as it occurs in either
    text.

    >>> LongestSubsequence().name
    'ROUGE-L'
    """

    #: Name in tables.
    name: ClassVar[str] = "ROUGE-L"

    def units_of(self, text: Text) -> Lines:
        """Return the lines, and the counts of the words."""
        return Lines(
            text.lines,
            Counter(text.words),
            len(text.words),
            sum(map(len, text.lines)),
        )

    def overlap(self, candidate: Lines, reference: Lines) -> Overlap:
        """Count the words in the union of longest common subsequences."""
        left = reference.counts & candidate.counts
        num_matches = 0
        for line in reference.lines:
            for position in _union(line, candidate.lines):
                if left[line[position]] > 0:
                    left[line[position]] -= 1
                    num_matches += 1
        return Overlap(num_matches, reference.num_words_in_lines, candidate.num_words)


def _union(line: Sequence[str], others: Sequence[Sequence[str]]) -> list[int]:
    positions: set[int] = set()
    for other in others:
        positions.update(common_positions(line, other))
    return sorted(positions)


def common_positions(line: Sequence[str], other: Sequence[str]) -> list[int]:
    """Positions in a line of one longest common subsequence, last position first.

    Of several longest ones it is that of ROUGE-1.5.5: from the ends of both lines,
    equal words are matched, and otherwise the line is shortened before the other.
    """
    places = _places(set(line), other)
    # Words that the other line lacks change neither the table nor the walk.
    shared = [position for position, word in enumerate(line) if word in places]
    equal_places = [places[line[position]] for position in shared]
    rows = _rows(equal_places, len(other))
    positions = []
    end = len(other)
    for row in reversed(range(len(shared))):
        before_end = (1 << end) - 1
        last_equal = (equal_places[row] & before_end).bit_length()
        # Two rows differ by 0 or 1, and the difference changes at every bit that
        # differs: after an odd number of them the line must not be shortened yet.
        changes = (rows[row] ^ rows[row + 1]) & before_end
        if last_equal < end and changes.bit_count() % 2:
            end = max(last_equal, changes.bit_length() - 1)
        if end and last_equal == end:
            positions.append(shared[row])
            end -= 1
    return positions


def _places(words: AbstractSet[str], line: Sequence[str]) -> dict[str, int]:
    """Positions of each word in a line, as the bits of an integer."""
    fields: dict[str, bytearray] = {}
    for place, word in enumerate(line):
        if word in words:
            if word not in fields:
                fields[word] = bytearray(len(line) // 8 + 1)
            fields[word][place >> 3] |= 1 << (place & 7)
    return {word: int.from_bytes(field, "little") for word, field in fields.items()}


def _rows(equal_places: Sequence[int], width: int) -> list[int]:
    """Rows of the dynamic program, one integer per prefix of the line.

    A bit is 0 where the length of the longest common subsequence increases with the
    word of the other line at that position (Crochemore et al., 2001). A row follows
    from the row before by four operations on whole integers.
    """
    everywhere = (1 << width) - 1
    row = everywhere
    rows = [row]
    for places in equal_places:
        equal = row & places
        row = ((row + equal) | (row - equal)) & everywhere
        rows.append(row)
    return rows
