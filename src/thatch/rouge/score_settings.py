"""What decides a score, by name, as people write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from thatch.errors import InputError
from thatch.rouge.measure import Measure
from thatch.rouge.metric_names import metric_by_name
from thatch.rouge.original import Joining, Rouge
from thatch.rouge.stems import PorterStems, SnowballStems
from thatch.rouge.sumeval import SumEval
from thatch.rouge.tokens import OriginalTokens, UnicodeTokens

__all__ = ["ScoreSettings"]

_OF_THE_ORIGINAL = ("limit_bytes", "stem", "joining", "tokens", "language")


@dataclass(frozen=True, kw_only=True)
class ScoreSettings:
    """What the options of ``thatch score`` say; None where they were left out.

    >>> ScoreSettings(metrics="1,L", stem=False).measure().stems is None
    True
    """

    #: Whose numbers to reproduce.
    variant: Literal["original", "sumeval"] = "original"
    #: Names with commas between them, such as ``1,2,L,SU4``.
    metrics: str | None = None
    limit_words: int | None = None
    limit_bytes: int | None = None
    stem: bool | None = None
    remove_stop_words: bool | None = None
    joining: Literal["average", "best"] | None = None
    alpha: float | None = None
    tokens: Literal["original", "unicode"] | None = None
    language: str | None = None

    def measure(self) -> Measure:
        """The measure that they stand for."""
        return self._sumeval() if self.variant == "sumeval" else self._original()

    def _shared(self) -> dict[str, Any]:
        """Settings that both variants have."""
        names = None if self.metrics is None else self.metrics.split(",")
        given = {
            "metrics": names and tuple(metric_by_name(name) for name in names),
            "limit_words": self.limit_words,
            "remove_stop_words": self.remove_stop_words,
            "alpha": self.alpha,
        }
        return {name: value for name, value in given.items() if value is not None}

    def _sumeval(self) -> Measure:
        for name in _OF_THE_ORIGINAL:
            if getattr(self, name) is not None:
                raise InputError(
                    f"{name} must come with variant original, got sumeval.",
                    hint="SumEval has no such choice: leave it out.",
                )
        return SumEval(**self._shared())

    def _original(self) -> Rouge:
        if self.language is not None and (
            self.stem is False or self.tokens == "original"
        ):
            raise InputError(
                "language must come with stems and tokens of any script, got "
                f"{self.language} without stems or with original tokens.",
                hint="Leave one of the two out.",
            )
        is_unicode = self.language is not None or self.tokens == "unicode"
        stems = PorterStems() if self.language is None else SnowballStems(self.language)
        return Rouge(
            **self._shared(),
            limit_bytes=self.limit_bytes,
            stems=None if self.stem is False else stems,
            joining=Joining(self.joining or "average"),
            tokens=UnicodeTokens() if is_unicode else OriginalTokens(),
        )
