"""Base class of Rouge and SumEval: scores of candidates against references."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any

from thatch import __version__
from thatch.arrays import number
from thatch.errors import InputError, InputTypeError
from thatch.machine.caching import cached_property
from thatch.options import require_integer
from thatch.rouge.averages import Averages, Bootstrap, average
from thatch.rouge.score import Metric, Overlap, Score, Scores
from thatch.rouge.text import Text


@dataclass(frozen=True, eq=False)
class References:
    """References prepared once, to score many candidates against."""

    #: The settings they were prepared with.
    measure: Measure
    #: The units of each reference, for each metric.
    units: tuple[tuple[Any, ...], ...] = field(repr=False)


class Measure(ABC):
    """Settings of a score of candidates against references."""

    #: The metrics, in the order of the table.
    metrics: tuple[Metric[Any], ...]
    limit_words: int | None
    alpha: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", _checked_metrics(self.metrics))
        if not 0 <= number("alpha", self.alpha) <= 1:
            raise InputError(
                f"alpha is {self.alpha}; it must be between 0 and 1.",
                hint="0.5 gives F1, 0 recall, 1 precision.",
            )
        require_limit("limit_words", self.limit_words)

    @cached_property
    def signature(self) -> str:
        """All settings that influence the numbers, in one line."""
        names = ",".join(metric.name.removeprefix("ROUGE-") for metric in self.metrics)
        facts = {
            **self._facts(names),
            "alpha": f"{self.alpha:g}",
            "thatch": __version__,
        }
        return "|".join(f"{name}:{fact}" for name, fact in facts.items())

    @abstractmethod
    def _facts(self, metrics: str) -> dict[str, str]:
        """Settings for the signature, with the names of the metrics."""

    @abstractmethod
    def read(self, text: str) -> Text:
        """Return a text as words, truncated to the limit."""

    @abstractmethod
    def joined(self, overlaps: Sequence[Overlap]) -> Score:
        """Return the score, given the overlap with each reference."""

    def prepare(self, references: str | Iterable[str]) -> References:
        """Prepare references once, to score many candidates against.

        Parameters
        ----------
        references
            One text, or several.

        Raises
        ------
        InputError
            If there is no reference.
        InputTypeError
            If a reference is not a string.

        >>> from thatch.rouge import Rouge
        >>> rouge = Rouge()
        >>> references = rouge.prepare(["a cat sat", "cats sit"])
        >>> rouge.score("a cat", references)["ROUGE-1"].recall
        0.6
        """
        several = [references] if isinstance(references, str) else list(references)
        if not several:
            raise InputError(
                "references is empty; at least one text was expected.",
                hint="Pass the text that the candidate is compared with.",
            )
        texts = [
            self.read(_text("references", each, place))
            for place, each in enumerate(several)
        ]
        units = tuple(
            tuple(metric.units_of(text) for text in texts) for metric in self.metrics
        )
        return References(self, units)

    def score(
        self, candidate: str, references: str | Iterable[str] | References
    ) -> Scores:
        """Score one candidate by every metric.

        If the candidate or the reference contains no word, the score is 0.

        Parameters
        ----------
        candidate
            The text to score; for ROUGE-L, each line is a sentence.
        references
            The texts to compare with: one, several, or the result of `prepare`.

        >>> from thatch.rouge import SumEval
        >>> SumEval().score("big cats", ["big cats", "white cats"])["ROUGE-1"].recall
        0.75
        """
        if not isinstance(references, References):
            references = self.prepare(references)
        elif references.measure is not self and references.measure != self:
            raise InputError(
                "references were prepared with other settings: "
                f"{references.measure.signature}.",
                hint=f"Prepare them with {self.signature}.",
            )
        text = self.read(_text("candidate", candidate))
        scores = {}
        for metric, of_references in zip(self.metrics, references.units, strict=True):
            units = metric.units_of(text)
            scores[metric.name] = self.joined(
                [metric.overlap(units, each) for each in of_references]
            )
        return Scores(scores, self.signature)

    def average(
        self,
        candidates: Iterable[str],
        references: Iterable[str | Iterable[str] | References],
        *,
        bootstrap: Bootstrap | None = None,
    ) -> Averages:
        """Average the scores of many candidates, with confidence intervals.

        Parameters
        ----------
        candidates
            The texts to score.
        references
            The references of each candidate, as for `score`.
        bootstrap
            Settings of the intervals. Default: 95 % of 1000 resamples, seed 0.

        Raises
        ------
        InputError
            If the number of candidates is not that of references.

        >>> from thatch.rouge import Rouge
        >>> averages = Rouge().average(["cats", "dogs"], [["cat"], ["a dog"]])
        >>> averages["ROUGE-1"].recall.mean
        0.75
        """
        several = list(candidates)
        of_each = list(references)
        if len(several) != len(of_each):
            raise InputError(
                "expected one list of references per candidate, got "
                f"{len(of_each)} for {len(several)} candidates.",
                hint="Put the references of each candidate into a list.",
            )
        pairs = zip(several, of_each, strict=True)
        return average(list(starmap(self.score, pairs)), bootstrap=bootstrap)


def _text(name: str, text: object, place: int | None = None) -> str:
    if isinstance(text, str):
        return text
    where = name if place is None else f"{name}[{place}]"
    raise InputTypeError(
        f"{where} is {type(text).__name__}; a string was expected.",
        hint="Decode bytes first; join tokens with spaces.",
    )


def _checked_metrics(metrics: Iterable[Metric[Any]]) -> tuple[Metric[Any], ...]:
    several = tuple(metrics)
    for place, metric in enumerate(several):
        require_kind(f"metrics[{place}]", metric, Metric, "NGrams(1)")
    if not several or len(set(several)) < len(several):
        names = ", ".join(metric.name for metric in several)
        raise InputError(
            f"metrics contains duplicates: {names}." if names else "metrics is empty.",
            hint="NGrams(1) is ROUGE-1.",
        )
    return several


def require_limit(name: str, limit: int | None) -> None:
    """Require None or a positive integer."""
    if limit is not None:
        require_integer(name, limit, least=1, hint="Omit it for no limit.")


def require_kind(name: str, value: object, kind: type, example: str) -> None:
    """Require that a value is an instance of a type; `name` is for errors.

    >>> require_kind("alpha", 0.5, float, "0.5")
    """
    if not isinstance(value, kind):
        raise InputTypeError(
            f"{name} is {value!r}, which is not of the type {kind.__name__}.",
            hint=f"Pass {example}, for example.",
        )
