"""Averages of scores over many candidates, with confidence intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from thatch.errors import InputError
from thatch.rouge.bootstrap import Bootstrap, Estimate
from thatch.rouge.score import Scores


@dataclass(frozen=True)
class Average:
    """Means of one metric over many candidates."""

    recall: Estimate
    precision: Estimate
    f_measure: Estimate


@dataclass(frozen=True)
class Averages(Mapping[str, Average]):
    """Means by name of the metric, with the scores and their settings."""

    #: The means, by name of the metric.
    by_metric: Mapping[str, Average]
    #: The scores of each candidate, in the order given.
    scores: tuple[Scores, ...]
    #: All settings that influence the numbers, in one line.
    signature: str

    def __getitem__(self, metric: str) -> Average:
        return self.by_metric[metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_metric)

    def __len__(self) -> int:
        return len(self.by_metric)


def average(
    scores: Sequence[Scores], *, bootstrap: Bootstrap | None = None
) -> Averages:
    """Average the scores of many candidates, with confidence intervals.

    Parameters
    ----------
    scores
        The scores of each candidate, all computed with the same settings.
    bootstrap
        Settings of the intervals. Default: 95 % of 1000 resamples, seed 0.

    Raises
    ------
    InputError
        If there are no scores, or their settings differ.

    >>> from thatch.rouge import Rouge
    >>> rouge = Rouge()
    >>> scores = [rouge.score(text, "two cats") for text in ("cat", "two cats", "dog")]
    >>> average(scores)["ROUGE-1"].recall
    Estimate(mean=0.5, low=0.0, high=1.0)
    """
    bootstrap = Bootstrap() if bootstrap is None else bootstrap
    signatures = sorted({each.signature for each in scores})
    if not signatures:
        raise InputError(
            "scores is empty; at least one was expected.",
            hint="Score a candidate first.",
        )
    if len(signatures) > 1:
        raise InputError(
            "scores were computed with different settings: "
            f"{signatures[0]} and {signatures[1]}.",
            hint="Score all candidates with the same Rouge object.",
        )
    metrics = list(scores[0])
    rows = [
        [
            share
            for metric in metrics
            for share in (
                each[metric].recall,
                each[metric].precision,
                each[metric].f_measure,
            )
        ]
        for each in scores
    ]
    estimates = bootstrap.estimates(rows)
    averages = {
        metric: Average(*estimates[3 * place : 3 * place + 3])
        for place, metric in enumerate(metrics)
    }
    signature = f"{signatures[0]}|interval:{bootstrap.name}"
    return Averages(averages, tuple(scores), signature)
