"""ROUGE as SumEval computes it: the variant that the paper used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thatch.rouge.lcs import LongestSubsequence
from thatch.rouge.measure import Measure
from thatch.rouge.ngrams import NGrams
from thatch.rouge.original import pooled
from thatch.rouge.score import Metric, Overlap, Score, exact_score
from thatch.rouge.text import OriginalTokens, Text, stop_words


@dataclass(frozen=True, kw_only=True)
class SumEval(Measure):
    """ROUGE with the same results as SumEval 0.2.2 for English, and its defaults.

    Unlike the original it removes stop words by default, has no stemmer (its option for
    stems is a word list that applies to references only), counts words between single
    spaces, treats a text as one sentence, and does not round.

    >>> scores = SumEval().score("The dog ran home.", "The dog was at home early.")
    >>> round(scores["ROUGE-1"].f_measure, 6)
    0.666667
    """

    #: The metrics, in the order of the table.
    metrics: tuple[Metric[Any], ...] = (NGrams(1), NGrams(2), LongestSubsequence())
    #: Candidates and references are truncated to this number of words (word_limit).
    limit_words: int | None = None
    #: Whether stop words are removed from candidates and references (stopwords).
    remove_stop_words: bool = True
    #: Weight of precision in the F-measure, SumEval's only result (alpha).
    alpha: float = 0.5

    def _facts(self, metrics: str) -> dict[str, str]:
        return {
            "sumeval": metrics,
            "stop-words": "removed" if self.remove_stop_words else "kept",
            "limit": "none" if self.limit_words is None else f"{self.limit_words}words",
        }

    def read(self, text: str) -> Text:
        """Return the words of a text, as one line: truncated, without stop words."""
        if self.limit_words is not None:
            text = " ".join(text.split(" ")[: self.limit_words])
        words = OriginalTokens().of(text)
        if self.remove_stop_words:
            words = [word for word in words if word not in stop_words()]
        return Text(tuple(words), (tuple(words),))

    def joined(self, overlaps: Sequence[Overlap]) -> Score:
        """Return the score, given the overlap with each reference."""
        return exact_score(pooled(overlaps), self.alpha)
