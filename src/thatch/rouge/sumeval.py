"""ROUGE as SumEval computes it: the variant that the paper's figures were made with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from thatch import __version__
from thatch.rouge.lcs import LongestSubsequence
from thatch.rouge.measure import (
    Measure,
    checked_alpha,
    checked_limit,
    checked_metrics,
)
from thatch.rouge.metrics import Metric, Overlap
from thatch.rouge.ngrams import NGrams
from thatch.rouge.original import pooled
from thatch.rouge.score import Score, exact_score
from thatch.rouge.stop_words import stop_words
from thatch.rouge.text import Text
from thatch.rouge.tokens import OriginalTokens


@dataclass(frozen=True, kw_only=True)
class SumEval(Measure):
    """ROUGE with the numbers of SumEval 0.2.2 for English, its defaults included.

    Unlike the original it removes stop words unless told not to, has no stems (its own
    option for them looks words up in a list, for references only), counts words
    between single spaces, takes a text for one sentence, and does not round.

    >>> scores = SumEval().score("The dog ran home.", "The dog was at home early.")
    >>> round(scores["ROUGE-1"].f_measure, 6)
    0.666667
    """

    #: What to score by, in the order of the table.
    metrics: tuple[Metric[Any], ...] = (NGrams(1), NGrams(2), LongestSubsequence())
    #: Words of every text that count, on both sides; the rest is cut off (word_limit).
    limit_words: int | None = None
    #: Whether stop words are left out, on both sides (stopwords).
    remove_stop_words: bool = True
    #: Share of precision in the F-measure, SumEval's only result (alpha).
    alpha: float = 0.5

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", checked_metrics(self.metrics))
        checked_alpha(self.alpha)
        checked_limit("limit_words", self.limit_words)

    @cached_property
    def signature(self) -> str:
        """Everything that decides the numbers, in one line."""
        names = ",".join(metric.name.removeprefix("ROUGE-") for metric in self.metrics)
        limit = "none" if self.limit_words is None else f"{self.limit_words}words"
        return "|".join(
            [
                f"sumeval:{names}",
                f"stop-words:{'removed' if self.remove_stop_words else 'kept'}",
                f"limit:{limit}",
                f"alpha:{self.alpha:g}",
                f"thatch:{__version__}",
            ]
        )

    def read(self, text: str) -> Text:
        """The words that count, all in one line."""
        if self.limit_words is not None:
            text = " ".join(text.split(" ")[: self.limit_words])
        words = OriginalTokens().of(text)
        if self.remove_stop_words:
            words = [word for word in words if word not in stop_words()]
        return Text(tuple(words), (tuple(words),))

    def joined(self, overlaps: Sequence[Overlap]) -> Score:
        """Score from what the candidate shares with all references together."""
        return exact_score(pooled(overlaps), self.alpha)
