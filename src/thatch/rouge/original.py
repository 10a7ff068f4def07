"""ROUGE as ROUGE-1.5.5 computes it."""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from thatch.errors import InputError
from thatch.rouge.lcs import LongestSubsequence
from thatch.rouge.measure import Measure, require_kind, require_limit
from thatch.rouge.ngrams import NGrams, SkipBigrams
from thatch.rouge.score import Metric, Overlap, Score, rounded_score
from thatch.rouge.stems import PorterStems, Stems
from thatch.rouge.text import (
    OriginalTokens,
    Text,
    Tokens,
    first_bytes,
    first_bytes_of_each,
    first_words,
    stop_words,
)


class Aggregation(Enum):
    """How the scores against several references are combined."""

    #: Matches and counts of all are added up before they are divided.
    AVERAGE = "average"
    #: The reference of the highest recall alone; the first of equals.
    BEST = "best"


@dataclass(frozen=True, kw_only=True)
class Rouge(Measure):
    """ROUGE with the same results as the original script, ROUGE-1.5.5.

    The defaults are those of most publications: stems, stop words kept, no limit.

    >>> rouge = Rouge(limit_words=100)
    >>> scores = rouge.score(
    ...     "Police killed the gunman.",
    ...     ["Police kill the gunman.", "The gunman was shot down by police."],
    ... )
    >>> scores["ROUGE-1"]
    Score(recall=0.63636, precision=0.875, f_measure=0.73684)
    >>> scores["ROUGE-2"].recall
    0.44444
    >>> print(scores.signature.partition("|thatch:")[0])
    rouge:1,2,L,SU4|tokens:original|stems:porter+wordnet|stop-words:kept|limit:100words|references:average|alpha:0.5
    """

    #: The metrics, in the order of the table.
    metrics: tuple[Metric[Any], ...] = (
        NGrams(1),
        NGrams(2),
        LongestSubsequence(),
        SkipBigrams(4),
    )
    #: Candidates and references are truncated to this number of words (-l).
    limit_words: int | None = None
    #: Candidates and references are truncated to this number of bytes (-b).
    limit_bytes: int | None = None
    #: The stemmer; None for no stemming (no -m).
    stems: Stems | None = PorterStems()
    #: Whether stop words are removed from candidates and references (-s).
    remove_stop_words: bool = False
    #: How the scores against several references are combined (-f).
    aggregate: Aggregation = Aggregation.AVERAGE
    #: Weight of precision in the F-measure (-p).
    alpha: float = 0.5
    #: The tokenizer.
    tokens: Tokens = OriginalTokens()
    #: The encoding whose bytes `limit_bytes` counts.
    encoding: str = "utf-8"

    def __post_init__(self) -> None:
        super().__post_init__()
        require_limit("limit_bytes", self.limit_bytes)
        require_kind("aggregate", self.aggregate, Aggregation, "Aggregation.BEST")
        require_kind("tokens", self.tokens, Tokens, "UnicodeTokens()")
        if self.stems is not None:
            require_kind("stems", self.stems, Stems, "PorterStems() or None")
        if self.limit_words is not None and self.limit_bytes is not None:
            raise InputError(
                f"limit_words is {self.limit_words} and limit_bytes is "
                f"{self.limit_bytes}; only one limit is allowed.",
                hint="Omit one of the two.",
            )
        try:
            codecs.lookup(self.encoding)
        except LookupError:
            raise InputError(
                f"encoding {self.encoding!r} is unknown.",
                hint="Use utf-8 or latin-1, for example.",
            ) from None

    def _facts(self, metrics: str) -> dict[str, str]:
        return {
            "rouge": metrics,
            "tokens": self.tokens.name,
            "stems": self.stems.name if self.stems else "none",
            "stop-words": "removed" if self.remove_stop_words else "kept",
            "limit": self._limit,
            "references": self.aggregate.value,
        }

    @property
    def _limit(self) -> str:
        if self.limit_words is not None:
            return f"{self.limit_words}words"
        if self.limit_bytes is not None:
            return f"{self.limit_bytes}bytes,{self.encoding}"
        return "none"

    def read(self, text: str) -> Text:
        """Return the words by line: truncated, without stop words, stemmed."""
        lines = text.split("\n")
        if self.limit_bytes is not None:
            flat = self._words_of(first_bytes(lines, self.limit_bytes, self.encoding))
            lines = first_bytes_of_each(lines, self.limit_bytes, self.encoding)
            return Text(
                tuple(word for line in flat for word in line), self._words_of(lines)
            )
        if self.limit_words is not None:
            lines = first_words(lines, self.limit_words, self.tokens)
        words = self._words_of(lines)
        return Text(tuple(word for line in words for word in line), words)

    def _words_of(self, lines: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(self._words_of_line(line)) for line in lines)

    def _words_of_line(self, line: str) -> list[str]:
        words = self.tokens.of(line)
        if self.remove_stop_words:
            removed = stop_words()
            words = [word for word in words if word not in removed]
        return words if self.stems is None else self.stems.of(words)

    def joined(self, overlaps: Sequence[Overlap]) -> Score:
        """Return the score, given the overlap with each reference."""
        if self.aggregate is Aggregation.BEST:
            best = max(overlaps, key=lambda overlap: round(overlap.recall, 5))
            return rounded_score(best, self.alpha)
        return rounded_score(pooled(overlaps), self.alpha)


def pooled(overlaps: Sequence[Overlap]) -> Overlap:
    """Sum of the overlaps with all references.

    >>> pooled([Overlap(1, 2, 3), Overlap(2, 2, 3)])
    Overlap(num_matches=3, num_in_reference=4, num_in_candidate=6)
    """
    return Overlap(*map(sum, zip(*overlaps, strict=True)))
