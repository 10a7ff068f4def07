"""Answers as plain data: the fields that every door of thatch gives them.

The command line's JSON and the HTTP API's are these records, field by field.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thatch.rouge import Scores
    from thatch.run.result import Result
    from thatch.text.summary import ChosenPassage, LeftOutPassage, Summary
    from thatch.text.task import SummaryTask

__all__ = [
    "ChosenSentence",
    "CurvePoint",
    "Failure",
    "Health",
    "HealthLimits",
    "LeftOutSentence",
    "ScoresAnswer",
    "Solution",
    "StudiedConcept",
    "StudiedPassage",
    "Study",
    "SummaryAnswer",
    "as_json",
]


def as_json(answer: Any) -> str:
    r"""The record as one line of JSON, without the fields that were not asked for.

    >>> as_json(CurvePoint(budget=10, cost=9, value=2.5, upper_bound=3.0))
    '{"budget": 10, "cost": 9, "value": 2.5, "upper_bound": 3.0}\n'
    """
    plain = asdict(answer, dict_factory=_given)
    return json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n"


def _given(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in fields if value is not None}


@dataclass(frozen=True)
class Failure:
    """What is wrong, and what to do about it."""

    error: str
    hint: str


@dataclass(frozen=True)
class HealthLimits:
    """How much a request may ask for."""

    max_bytes: int
    max_seconds: float
    max_documents: int


@dataclass(frozen=True)
class Health:
    """That a server is there, and what it can do."""

    status: str
    version: str
    limits: HealthLimits
    #: Processes that are there, pieces of work they have, and pieces that wait.
    workers: int
    running: int
    waiting: int
    solvers: list[str]
    formats: list[str]


@dataclass(frozen=True)
class Solution:
    """Answer to a coverage problem."""

    #: Names of the chosen items, or their numbers from 0.
    items: list[str | int]
    value: float
    cost: float
    budget: float
    upper_bound: float
    gap: float
    status: str
    solver: str
    seconds: float
    seed: int

    @classmethod
    def of(cls, result: Result, solver: str, seed: int) -> Solution:
        """Answer that a result is, by the name of its solver."""
        selection = result.selection
        return cls(
            items=list(selection.labels),
            value=selection.value,
            cost=selection.cost,
            budget=selection.problem.budget,
            upper_bound=result.upper_bound,
            gap=result.gap,
            status=result.status.label,
            solver=solver,
            seconds=result.seconds,
            seed=seed,
        )


@dataclass(frozen=True)
class _Sentence:
    text: str
    #: Name of its document, or its number from 0.
    document: str | int
    #: Number among the sentences (paragraphs, files) of its document, from 0.
    position: int
    #: Where it starts and ends in the text of its document, in Unicode code points.
    start: int
    end: int
    cost: float


@dataclass(frozen=True)
class ChosenSentence(_Sentence):
    """A sentence of a summary."""

    #: Weight of the concepts that no other chosen sentence covers.
    weight: float
    #: Those concepts, the weightiest first, where an explanation is asked for.
    concepts: list[str] | None = None

    @classmethod
    def of(cls, passage: ChosenPassage, *, is_explained: bool) -> ChosenSentence:
        """Plain data of a passage."""
        concepts = list(passage.concepts) if is_explained else None
        return cls(**vars(passage) | {"concepts": concepts})


@dataclass(frozen=True)
class LeftOutSentence(_Sentence):
    """A sentence that was not chosen."""

    #: Weight of the concepts it holds and the summary does not cover.
    gain: float
    #: Why it could not be chosen, whatever else was.
    reason: str

    @classmethod
    def of(cls, passage: LeftOutPassage) -> LeftOutSentence:
        """Plain data of a passage."""
        return cls(**vars(passage))


@dataclass(frozen=True)
class SummaryAnswer:
    """A summary, with what it covers."""

    summary: str
    sentences: list[ChosenSentence]
    cost: float
    budget: float
    unit: str
    value: float
    upper_bound: float
    gap: float
    status: str
    solver: str
    seconds: float
    #: Why the summary is empty, where it is.
    warning: str
    #: What was not chosen, where an explanation is asked for.
    left_out: list[LeftOutSentence] | None = None

    @classmethod
    def of(cls, summary: Summary, solver: str, *, is_explained: bool) -> SummaryAnswer:
        """Plain data of a summary, by the name of its solver."""
        return cls(
            summary=summary.text,
            sentences=[
                ChosenSentence.of(sentence, is_explained=is_explained)
                for sentence in summary.sentences
            ],
            cost=summary.cost,
            budget=summary.budget,
            unit=summary.unit,
            value=summary.value,
            upper_bound=summary.upper_bound,
            gap=summary.gap,
            status=summary.status.label,
            solver=solver,
            seconds=summary.seconds,
            warning=summary.warning,
            left_out=[LeftOutSentence.of(passage) for passage in summary.left_out]
            if is_explained
            else None,
        )


@dataclass(frozen=True)
class CurvePoint:
    """Covered weight within one budget."""

    budget: float
    cost: float
    value: float
    upper_bound: float

    @classmethod
    def of(cls, summary: Summary) -> CurvePoint:
        """The point that a summary is."""
        return cls(summary.budget, summary.cost, summary.value, summary.upper_bound)


@dataclass(frozen=True)
class StudiedConcept:
    """Something that passages say."""

    name: str
    weight: float


@dataclass(frozen=True)
class StudiedPassage:
    """A sentence, paragraph or file that a summary might choose."""

    #: Number of its document, from 0.
    document: int
    position: int
    start: int
    end: int
    #: What it measures as printed alone.
    cost: float
    #: Of all its concepts together.
    weight: float
    #: Numbers of its concepts, the weightiest first.
    concepts: list[int]
    #: Why it may not be chosen; empty if it may.
    reason: str


@dataclass(frozen=True)
class Study:
    """What a summary would choose from: passages, and what each says and costs."""

    unit: str
    #: What to know about the unit before relying on it.
    note: str
    by: str
    language: str
    passages: list[StudiedPassage]
    concepts: list[StudiedConcept]
    #: Weight of all concepts.
    value: float
    #: What all passages that may be chosen measure, printed together.
    cost: float

    @classmethod
    def of(cls, task: SummaryTask) -> Study:
        """Plain data of a task."""
        names, weights = task.concept_names, task.table.weights.tolist()
        held: list[list[int]] = [[] for _ in task.passages]
        pairs = task.table.passage_indices.tolist(), task.table.concept_indices.tolist()
        for p, a in zip(*pairs, strict=True):
            held[p].append(a)
        return cls(
            unit=task.unit.name,
            note=task.unit.note,
            by=task.passages.by.value,
            language=task.passages.language,
            passages=[
                StudiedPassage(
                    document=passage.document,
                    position=passage.position,
                    start=passage.start,
                    end=passage.end,
                    cost=task.cost_of(p),
                    weight=sum(weights[a] for a in held[p]),
                    concepts=sorted(held[p], key=lambda a: -weights[a]),
                    reason=task.ruled_out.get(p, ""),
                )
                for p, passage in enumerate(task.passages)
            ],
            concepts=list(map(StudiedConcept, names, weights)),
            value=sum(weights),
            cost=task.measure(range(task.choosable.size)),
        )


@dataclass(frozen=True)
class ScoresAnswer:
    """Scores of one summary."""

    #: Recall, precision and F-measure by the name of the metric.
    scores: dict[str, dict[str, float]]
    #: Everything that decides the numbers.
    signature: str

    @classmethod
    def of(cls, scores: Scores) -> ScoresAnswer:
        """Plain data of scores."""
        by_metric = {metric: asdict(score) for metric, score in scores.items()}
        return cls(by_metric, scores.signature)
