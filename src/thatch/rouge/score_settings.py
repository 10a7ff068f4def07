"""Settings of a ROUGE measure, as the command line and the API name them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.errors import InputError
from thatch.options import option, require_choices

if TYPE_CHECKING:
    from thatch.rouge.measure import Measure
    from thatch.rouge.original import Rouge
    from thatch.rouge.score import Metric

# Sizes and gaps have at most two digits: more would be a typing error.
_NAME = re.compile(
    r"(?:rouge-)?(?:(?P<size>[1-9]\d?)|(?P<longest>l)|s(?P<words>u?)(?P<gap>\d\d?|\*))",
    re.IGNORECASE | re.ASCII,
)
_ONLY_ORIGINAL = ("limit_bytes", "stem", "aggregate", "tokens", "language")


@dataclass(frozen=True, kw_only=True)
class ScoreSettings:
    """Options of ``thatch score`` that decide the numbers."""

    metrics: str | None = option(
        None,
        help="Metrics, separated by commas: n-gram lengths, L, S4, SU4, S*, SU*",
        default_text="1,2,L,SU4",
        metavar="LIST",
    )
    limit_words: int | None = option(
        None, help="Truncate every text to this number of words (-l)", minimum=1
    )
    limit_bytes: int | None = option(
        None, help="Truncate every text to this number of bytes (-b)", minimum=1
    )
    stem: bool | None = option(
        None, help="Compare the stems of words (-m)", default_text="stem"
    )
    remove_stop_words: bool | None = option(
        None,
        help="Remove stop words (-s)",
        default_text="remove for sumeval, keep for original",
        flags="--remove-stop-words/--keep-stop-words",
    )
    aggregate: str | None = option(
        None,
        help="How to combine scores against several references (-f)",
        choices=lambda: {"average": "average", "best": "best"},
        default_text="average",
        metavar="METHOD",
    )
    alpha: float | None = option(
        None,
        help="Weight of precision in the F-measure (-p)",
        default_text="0.5",
        minimum=0,
        maximum=1,
    )
    tokens: str | None = option(
        None,
        help="Characters that words consist of",
        choices=lambda: {"original": "a-z and 0-9", "unicode": "any script"},
        default_text="original",
        metavar="KIND",
    )
    language: str | None = option(
        None,
        help="Language of the stemmer: a code or name, such as de or german; implies "
        "unicode tokens",
        default_text="the Porter stemmer",
        metavar="NAME",
    )
    variant: str = option(
        "original",
        help="Implementation to reproduce",
        choices=lambda: {
            "original": "ROUGE-1.5.5",
            "sumeval": "SumEval as in the paper",
        },
        metavar="NAME",
    )

    def measure(self) -> Measure:
        """Build the measure."""
        require_choices(self)
        return self._sumeval() if self.variant == "sumeval" else self._original()

    def _shared(self) -> dict[str, Any]:
        names = None if self.metrics is None else self.metrics.split(",")
        given = {
            "metrics": names and tuple(metric_by_name(name) for name in names),
            "limit_words": self.limit_words,
            "remove_stop_words": self.remove_stop_words,
            "alpha": self.alpha,
        }
        return {name: value for name, value in given.items() if value is not None}

    def _sumeval(self) -> Measure:
        from thatch.rouge.sumeval import SumEval

        for name in _ONLY_ORIGINAL:
            if getattr(self, name) is not None:
                raise InputError(
                    f"{name} applies only to variant original; the variant is sumeval.",
                    hint=f"Leave out {name}: SumEval has no such setting.",
                )
        return SumEval(**self._shared())

    def _original(self) -> Rouge:
        from thatch.rouge.original import Aggregation, Rouge
        from thatch.rouge.stems import PorterStems, SnowballStems
        from thatch.rouge.text import OriginalTokens, UnicodeTokens

        if self.language is not None and (
            self.stem is False or self.tokens == "original"
        ):
            raise InputError(
                f"language {self.language} requires stems and unicode tokens.",
                hint="Leave out the language, or compare stems of unicode tokens.",
            )
        is_unicode = self.language is not None or self.tokens == "unicode"
        stems = PorterStems() if self.language is None else SnowballStems(self.language)
        return Rouge(
            **self._shared(),
            limit_bytes=self.limit_bytes,
            stems=None if self.stem is False else stems,
            aggregate=Aggregation(self.aggregate or "average"),
            tokens=UnicodeTokens() if is_unicode else OriginalTokens(),
        )


def metric_by_name(name: str) -> Metric[Any]:
    """Return the metric of that name, with or without the prefix ROUGE."""
    from thatch.rouge.lcs import LongestSubsequence
    from thatch.rouge.ngrams import NGrams, SkipBigrams

    found = _NAME.fullmatch(name.strip())
    if not found:
        raise InputError(
            f"metrics contains {name!r}; the names are numbers, L, and S or SU with a "
            "gap.",
            hint="Write 1,2,L,SU4, for example.",
        )
    if found["size"]:
        return NGrams(int(found["size"]))
    if found["longest"]:
        return LongestSubsequence()
    gap = None if found["gap"] == "*" else int(found["gap"])
    return SkipBigrams(gap, with_words=bool(found["words"]))
