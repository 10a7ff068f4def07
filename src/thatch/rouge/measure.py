"""What Rouge and SumEval share: texts in, scores out."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from typing import Any

from thatch.arrays import number
from thatch.errors import InputError, InputTypeError
from thatch.rouge.averages import Averages, average
from thatch.rouge.bootstrap import Bootstrap
from thatch.rouge.metrics import Metric, Overlap
from thatch.rouge.score import Score, Scores
from thatch.rouge.text import Text


@dataclass(frozen=True, eq=False)
class References:
    """References that were read and counted once, to score many candidates against."""

    #: The settings they were read with.
    measure: Measure
    #: What every metric counts in every reference.
    units: tuple[tuple[Any, ...], ...] = field(repr=False)


class Measure(ABC):
    """Settings that turn a candidate and its references into scores."""

    metrics: tuple[Metric[Any], ...]

    @property
    @abstractmethod
    def signature(self) -> str:
        """Everything that decides the numbers, in one line."""

    @abstractmethod
    def read(self, text: str) -> Text:
        """What is left of a text once it is cut into words and to the limit."""

    @abstractmethod
    def joined(self, overlaps: Sequence[Overlap]) -> Score:
        """Score from what the candidate shares with each reference."""

    def prepare(self, references: str | Iterable[str]) -> References:
        """References read and counted once, to score many candidates against.

        Parameters
        ----------
        references
            One text, or several.

        >>> from thatch.rouge import Rouge
        >>> rouge = Rouge()
        >>> references = rouge.prepare(["a cat sat", "cats sit"])
        >>> rouge.score("a cat", references)["ROUGE-1"].recall
        0.6
        """
        several = [references] if isinstance(references, str) else list(references)
        if not several:
            raise InputError(
                "references must be at least one text, got none.",
                hint="Pass the text that the candidate should agree with.",
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
        """Scores of one candidate by every metric.

        A text without a single word scores 0, on either side.

        Parameters
        ----------
        candidate
            The text to judge; ROUGE-L takes each of its lines for a sentence.
        references
            The texts it should agree with: one, several, or what `prepare` made.

        >>> from thatch.rouge import SumEval
        >>> SumEval().score("big cats", ["big cats", "white cats"])["ROUGE-1"].recall
        0.75
        """
        if not isinstance(references, References):
            references = self.prepare(references)
        elif references.measure is not self and references.measure != self:
            raise InputError(
                "references must be prepared with the settings they are used with, "
                f"got {references.measure.signature}.",
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
        """Mean scores over many candidates, with confidence intervals.

        Parameters
        ----------
        candidates
            The texts to judge.
        references
            As for `score`, in the order of the candidates.
        bootstrap
            How intervals are drawn; 95 % of 1000 resamples from seed 0 unless given.

        >>> from thatch.rouge import Rouge
        >>> averages = Rouge().average(["cats", "dogs"], [["cat"], ["a dog"]])
        >>> averages["ROUGE-1"].recall.mean
        0.75
        """
        several = list(candidates)
        of_each = list(references)
        if len(several) != len(of_each):
            raise InputError(
                "references must be given for every candidate, got "
                f"{len(of_each)} for {len(several)} candidates.",
                hint="Put the references of one candidate into a list of their own.",
            )
        pairs = zip(several, of_each, strict=True)
        return average(list(starmap(self.score, pairs)), bootstrap=bootstrap)


def _text(name: str, text: object, place: int | None = None) -> str:
    if isinstance(text, str):
        return text
    where = "" if place is None else f" at {place}"
    raise InputTypeError(
        f"{name} must be text, got {type(text).__name__}{where}.",
        hint="Decode bytes first; join tokens with spaces.",
    )


def checked_metrics(metrics: Iterable[Metric[Any]]) -> tuple[Metric[Any], ...]:
    """The metrics as a tuple, if they are some and differ.

    >>> from thatch.rouge import NGrams
    >>> checked_metrics([NGrams(1)])
    (NGrams(size=1),)
    """
    several = tuple(metrics)
    for metric in several:
        require_kind("metrics", metric, Metric, "NGrams(1)")
    if not several or len(set(several)) < len(several):
        names = ", ".join(metric.name for metric in several)
        raise InputError(
            f"metrics must be one or more that differ, got {names or 'none'}.",
            hint="NGrams(1) is ROUGE-1.",
        )
    return several


def require_kind(name: str, value: object, kind: type, example: str) -> None:
    """Raise an error that names the value unless it is of the kind.

    >>> require_kind("alpha", 0.5, float, "0.5")
    """
    if not isinstance(value, kind):
        raise InputTypeError(
            f"{name} must be of the kind {kind.__name__}, got {value!r}.",
            hint=f"Pass {example}, for example.",
        )


def checked_alpha(alpha: float) -> float:
    """The share of precision in the F-measure, if it is one.

    >>> checked_alpha(0.5)
    0.5
    """
    if not 0 <= number("alpha", alpha) <= 1:
        raise InputError(
            f"alpha must be from 0 to 1, got {alpha}.",
            hint="0.5 gives F1, 0 recall, 1 precision.",
        )
    return alpha


def checked_limit(name: str, limit: int | None) -> int | None:
    """The limit, if it is a whole number that leaves something.

    >>> checked_limit("limit_words", 100)
    100
    """
    if limit is not None and (number(name, limit) < 1 or limit % 1):
        raise InputError(
            f"{name} must be a whole number >= 1, got {limit}.",
            hint="Leave it out to take texts as long as they are.",
        )
    return limit
