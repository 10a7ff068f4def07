"""ROUGE-L: the longest sequence of words that two lines have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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
    rows = _rows(line, other)
    positions = []
    end, other_end = len(line), len(other)
    while end and other_end:
        if line[end - 1] == other[other_end - 1]:
            end, other_end = end - 1, other_end - 1
            positions.append(end)
            continue
        beginning = (1 << other_end) - 1
        length = (rows[end] & beginning).bit_count()
        if (rows[end - 1] & beginning).bit_count() == length:
            end -= 1
        else:
            other_end -= 1
    return positions


def _rows(line: Sequence[str], other: Sequence[str]) -> list[int]:
    """One integer for every beginning of the line: its table row, a bit a step.

    Bit a is 0 where the length of the longest common subsequence grows from the first
    a words of the other line to the first a + 1 (Crochemore et al., 2001): a row
    follows from the one before in four operations on whole integers.
    """
    places: dict[str, int] = {}
    for position, word in enumerate(other):
        places[word] = places.get(word, 0) | 1 << position
    everywhere = (1 << len(other)) - 1
    row = everywhere
    rows = [row]
    for word in line:
        equal = row & places.get(word, 0)
        row = ((row + equal) | (row - equal)) & everywhere
        rows.append(row)
    return rows
