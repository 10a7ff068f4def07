"""ROUGE-L: the longest sequence of words that two lines have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import dataclass

from thatch.rouge.metrics import Metric, Overlap
from thatch.rouge.text import Text


@dataclass(frozen=True)
class Lines:
    """A text line by line, and how often it has each word."""

    lines: tuple[tuple[str, ...], ...]
    counts: Counter[str]
    num_words: int
    num_words_in_lines: int


@dataclass(frozen=True)
class LongestSubsequence(Metric[Lines]):
    """ROUGE-L of whole summaries: the union of what all candidate lines match.

    For every line of the reference, its words that lie on a longest common subsequence
    with some line of the candidate match; none more often than either text has it.

    >>> LongestSubsequence().name
    'ROUGE-L'
    """

    @property
    def name(self) -> str:
        """What tables call it."""
        return "ROUGE-L"

    def units_of(self, text: Text) -> Lines:
        """The lines, and how often each word occurs."""
        return Lines(
            text.lines,
            Counter(text.words),
            len(text.words),
            sum(map(len, text.lines)),
        )

    def overlap(self, candidate: Lines, reference: Lines) -> Overlap:
        """How many words lie on the union of longest common subsequences."""
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
    """Where in a line the words of one longest common subsequence stand, from the back.

    Of several longest ones it is the one that ROUGE-1.5.5 finds: from the ends of both
    lines, equal words are taken, and the line is shortened before the other is.

    >>> common_positions("the cat sat on the mat".split(), "the mat sat".split())
    [2, 0]
    """
    places = _places(set(line), other)
    # A word that the other line has not changes neither the table nor the walk.
    shared = [position for position, word in enumerate(line) if word in places]
    equal_places = [places[line[position]] for position in shared]
    rows = _rows(equal_places, len(other))
    positions = []
    end = len(other)
    for row in reversed(range(len(shared))):
        before_end = (1 << end) - 1
        last_equal = (equal_places[row] & before_end).bit_length()
        # Two rows differ by 0 or 1, and by the other one after every bit that differs:
        # an odd number of them says that the line must not be shortened yet.
        changes = (rows[row] ^ rows[row + 1]) & before_end
        if last_equal < end and changes.bit_count() % 2:
            end = max(last_equal, changes.bit_length() - 1)
        if end and last_equal == end:
            positions.append(shared[row])
            end -= 1
    return positions


def _places(words: Set[str], line: Sequence[str]) -> dict[str, int]:
    """Where in a line every word stands, as the bits of an integer."""
    fields: dict[str, bytearray] = {}
    for place, word in enumerate(line):
        if word in words:
            if word not in fields:
                fields[word] = bytearray(len(line) // 8 + 1)
            fields[word][place >> 3] |= 1 << (place & 7)
    return {word: int.from_bytes(field, "little") for word, field in fields.items()}


def _rows(equal_places: Sequence[int], width: int) -> list[int]:
    """One integer for every beginning of the line: its table row, a bit a step.

    A bit is 0 where the length of the longest common subsequence grows with the word
    of the other line that stands there (Crochemore et al., 2001): a row follows from
    the one before in four operations on whole integers.
    """
    everywhere = (1 << width) - 1
    row = everywhere
    rows = [row]
    for places in equal_places:
        equal = row & places
        row = ((row + equal) | (row - equal)) & everywhere
        rows.append(row)
    return rows
