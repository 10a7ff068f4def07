"""Results of `summaries.py`: kept as JSON, summarized as tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean

from quality_results import ordered
from tables import Table

HALVES = ("odd", "even")


@dataclass(frozen=True)
class Outcome:
    """One method on one half of the clusters of a set."""

    set: str
    #: In words.
    budget: int
    method: str
    #: ``odd`` or ``even``: the clusters counted from 0 for which the number is that.
    half: str
    #: ROUGE recall of each cluster, in percent.
    rouge_1: Sequence[float]
    rouge_2: Sequence[float]
    #: All together.
    num_words: int
    num_sentences: int
    #: Sentences with a flaw.
    num_flawed: int
    seconds: float

    @property
    def key(self) -> tuple[object, ...]:
        """What was measured."""
        return (self.set, self.budget, self.method, self.half)


class Results:
    """Outcomes in a file, which is written again after each."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.outcomes: list[Outcome] = []
        if path is not None and path.exists():
            fields = json.loads(path.read_text(encoding="utf-8"))
            self.outcomes = [Outcome(**each) for each in fields]

    def add(self, outcome: Outcome) -> None:
        """Keep an outcome."""
        self.outcomes.append(outcome)
        if self._path is not None:
            lines = [json.dumps(asdict(each)) for each in self.outcomes]
            text = "[\n" + ",\n".join(lines) + "\n]\n"
            self._path.write_text(text, encoding="utf-8")

    def has(self, key: tuple[object, ...]) -> bool:
        """Whether this was measured before."""
        return any(outcome.key == key for outcome in self.outcomes)


@dataclass(frozen=True)
class Average:
    """Averages over the clusters of some outcomes."""

    rouge_1: float
    rouge_2: float
    num_words: float
    #: Among the chosen sentences.
    share_flawed: float
    seconds: float

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Average:
        """Averages over the clusters of some outcomes."""
        count = sum(len(outcome.rouge_1) for outcome in outcomes)
        num_sentences = sum(outcome.num_sentences for outcome in outcomes)
        num_flawed = sum(outcome.num_flawed for outcome in outcomes)
        return cls(
            rouge_1=fmean(x for outcome in outcomes for x in outcome.rouge_1),
            rouge_2=fmean(x for outcome in outcomes for x in outcome.rouge_2),
            num_words=sum(outcome.num_words for outcome in outcomes) / count,
            share_flawed=num_flawed / max(num_sentences, 1),
            seconds=sum(outcome.seconds for outcome in outcomes) / count,
        )

    @property
    def scores(self) -> str:
        """Both scores, as they are shown."""
        return f"{self.rouge_1:.1f} / {self.rouge_2:.1f}"


def tables(outcomes: Sequence[Outcome]) -> tuple[Table, ...]:
    """Scores of all clusters, of both halves, and the shares of flawed sentences."""
    return (
        score_table(outcomes),
        half_table(outcomes),
        flaw_table(outcomes),
    )


def score_table(outcomes: Sequence[Outcome]) -> Table:
    """Scores of each method on each set; the best of each set are bold."""
    sets = ordered_sets(outcomes)
    best = {each: best_scores(outcomes, each) for each in sets}
    rows = []
    for method in ordered(outcome.method for outcome in outcomes):
        cells = [score_cell(of(outcomes, s, method), best[s]) for s in sets]
        rows.append([method, *cells])
    header = ["method", *(f"{name}, {budget} words" for name, budget in sets)]
    return Table("summaries", "ROUGE-1 / ROUGE-2 recall", header, rows)


def score_cell(mine: Sequence[Outcome], best: tuple[float, float]) -> str:
    if not mine:
        return ""
    average = Average.of(mine)
    shown = [
        f"**{score:.1f}**" if score >= most else f"{score:.1f}"
        for score, most in zip((average.rouge_1, average.rouge_2), best, strict=True)
    ]
    return " / ".join(shown) + half_note(mine)


def half_note(mine: Sequence[Outcome]) -> str:
    """Say so if only one half was measured."""
    return f" ({mine[0].half} half)" if len(mine) < len(HALVES) else ""


def best_scores(
    outcomes: Sequence[Outcome], each: tuple[str, int]
) -> tuple[float, float]:
    methods = ordered(outcome.method for outcome in outcomes)
    groups = [of(outcomes, each, method) for method in methods]
    averages = [Average.of(group) for group in groups if len(group) == len(HALVES)]
    return (
        max((average.rouge_1 for average in averages), default=100.0),
        max((average.rouge_2 for average in averages), default=100.0),
    )


def half_table(outcomes: Sequence[Outcome]) -> Table:
    """Scores of each method on each half of each set."""
    rows = []
    methods = ordered(outcome.method for outcome in outcomes)
    for each in ordered_sets(outcomes):
        for half in HALVES:
            cells = [
                "".join(
                    Average.of([outcome]).scores
                    for outcome in of(outcomes, each, method)
                    if outcome.half == half
                )
                for method in methods
            ]
            rows.append([f"{each[0]}, {half}", *cells])
    header = ["half", *methods]
    return Table("summaries-halves", "ROUGE-1 / ROUGE-2 by half", header, rows)


def flaw_table(outcomes: Sequence[Outcome]) -> Table:
    """Share of the chosen sentences that have a flaw, in percent."""
    sets = ordered_sets(outcomes)
    rows = []
    for method in ordered(outcome.method for outcome in outcomes):
        groups = [of(outcomes, each, method) for each in sets]
        cells = [
            f"{100 * Average.of(group).share_flawed:.0f} %" if group else ""
            for group in groups
        ]
        rows.append([method, *cells])
    header = ["method", *(name for name, _ in sets)]
    return Table("summaries-flaws", "Sentences with a flaw", header, rows)


def ordered_sets(outcomes: Iterable[Outcome]) -> list[tuple[str, int]]:
    return list(dict.fromkeys((outcome.set, outcome.budget) for outcome in outcomes))


def of(
    outcomes: Iterable[Outcome], each: tuple[str, int], method: str
) -> list[Outcome]:
    """The outcomes of one method on one set."""
    key = (*each, method)
    return [o for o in outcomes if (o.set, o.budget, o.method) == key]
