"""Answers as plain data: the JSON of the command line and of the HTTP API."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from itertools import starmap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thatch.options import Option
    from thatch.rouge import Scores
    from thatch.run.result import Result
    from thatch.text.phrases import KeyPhrase
    from thatch.text.summary import ChosenPassage, LeftOutPassage, Summary
    from thatch.text.task import SummaryTask

__all__ = [
    "AnalyzedConcept",
    "AnalyzedPassage",
    "ChoiceDescription",
    "ChosenSentence",
    "CurvePoint",
    "Failure",
    "Health",
    "HealthLimits",
    "KeyPhraseAnswer",
    "LeftOutSentence",
    "OptionDescription",
    "ScoresAnswer",
    "Solution",
    "SummaryAnswer",
    "TextAnalysis",
    "as_json",
]


def as_json(answer: Any) -> str:
    r"""The record as one line of JSON, without fields that are None.

    >>> as_json(CurvePoint(budget=10, cost=9, value=2.5, upper_bound=3.0))
    '{"budget": 10, "cost": 9, "value": 2.5, "upper_bound": 3.0}\n'
    """
    plain = asdict(answer, dict_factory=_without_none)
    return json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n"


def _without_none(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: value for name, value in fields if value is not None}


@dataclass(frozen=True)
class Failure:
    """An error, and a hint."""

    error: str
    hint: str


@dataclass(frozen=True)
class HealthLimits:
    """Limits of one request."""

    max_bytes: int
    max_seconds: float
    max_documents: int


@dataclass(frozen=True)
class Health:
    """State and limits of the server."""

    status: str
    version: str
    limits: HealthLimits
    #: Worker processes, requests that they are handling, and queued requests.
    workers: int
    running: int
    waiting: int
    solvers: list[str]
    formats: list[str]


@dataclass(frozen=True)
class ChoiceDescription:
    """A value that an option accepts."""

    name: str
    description: str


@dataclass(frozen=True)
class OptionDescription:
    """An option of a request, with all that a form needs to show it."""

    name: str
    label: str
    #: One of text, integer, number, flag and texts (a list).
    kind: str
    default: str | float | bool | list[str] | None
    description: str
    #: What happens without a value, if the default does not say so.
    default_text: str
    choices: list[ChoiceDescription]
    minimum: float | None
    #: Whether a backslash before n or t is an escape, where one line is typed.
    has_escapes: bool

    @classmethod
    def of(cls, option: Option) -> OptionDescription:
        """Plain data of an option."""
        kinds = {bool: "flag", int: "integer", float: "number"}
        return cls(
            name=option.name,
            label=option.label or option.name.replace("_", " ").capitalize(),
            kind="texts" if option.is_list else kinds.get(option.types[0], "text"),
            default=list(option.default) if option.is_list else option.default,
            description=option.description,
            default_text=option.default_text,
            choices=list(starmap(ChoiceDescription, option.choices.items())),
            minimum=option.minimum if option.above is None else option.above,
            has_escapes=option.has_escapes,
        )


@dataclass(frozen=True)
class Solution:
    """Solution of a coverage problem."""

    #: Names of the selected items, or their numbers from 0.
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
        """Plain data of a result."""
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
    #: Offsets into the text of its document, in Unicode code points.
    start: int
    end: int
    #: Headings above it, from the title down.
    headings: list[str]
    cost: float


@dataclass(frozen=True)
class _Place:
    """Where else a sentence is, as far as its document says so."""

    #: Page and line, from 1.
    page: int | None = None
    line: int | None = None
    #: When it was said or sent, and by whom.
    time: str | None = None
    speaker: str | None = None


def _sentence_fields(passage: ChosenPassage | LeftOutPassage) -> dict[str, Any]:
    fields = vars(passage)
    is_given = {name: fields[name] or None for name in ("time", "speaker")}
    return fields | is_given | {"headings": list(passage.headings)}


@dataclass(frozen=True)
class ChosenSentence(_Place, _Sentence):
    """A sentence of a summary."""

    #: Weight of the concepts that only this sentence of the summary covers.
    weight: float = 0.0
    #: These concepts by descending weight without stop words, if an explanation is
    #: requested.
    concepts: list[str] | None = None
    #: Name of its group, if there are groups.
    group: str | None = None

    @classmethod
    def of(cls, passage: ChosenPassage, *, is_explained: bool) -> ChosenSentence:
        """Plain data of a passage."""
        concepts = list(passage.concepts) if is_explained else None
        own = {"concepts": concepts, "group": passage.group or None}
        return cls(**_sentence_fields(passage) | own)


@dataclass(frozen=True)
class LeftOutSentence(_Place, _Sentence):
    """A sentence that was not chosen."""

    #: Weight of its concepts that the summary does not cover.
    gain: float = 0.0
    #: Why it may not be chosen; empty if it may.
    reason: str = ""

    @classmethod
    def of(cls, passage: LeftOutPassage) -> LeftOutSentence:
        """Plain data of a passage."""
        return cls(**_sentence_fields(passage))


@dataclass(frozen=True)
class SummaryAnswer:
    """A summary, and what it covers."""

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
    #: Why the summary is empty; empty if it is not.
    warning: str
    #: Sentences that were not chosen, if an explanation is requested.
    left_out: list[LeftOutSentence] | None = None

    @classmethod
    def of(cls, summary: Summary, solver: str, *, is_explained: bool) -> SummaryAnswer:
        """Plain data of a summary."""
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
class KeyPhraseAnswer:
    """A key phrase."""

    phrase: str
    #: Weight of the concepts that only this phrase covers.
    weight: float
    #: Number of passages in which it occurs.
    passages: int

    @classmethod
    def of(cls, phrase: KeyPhrase) -> KeyPhraseAnswer:
        """Plain data of a key phrase."""
        return cls(phrase.text, phrase.weight, phrase.num_passages)


@dataclass(frozen=True)
class CurvePoint:
    """Covered weight at one budget."""

    budget: float
    cost: float
    value: float
    upper_bound: float

    @classmethod
    def of(cls, summary: Summary) -> CurvePoint:
        """Plain data of a summary: one point of a curve."""
        return cls(summary.budget, summary.cost, summary.value, summary.upper_bound)


@dataclass(frozen=True)
class AnalyzedConcept:
    """A concept, and its weight."""

    name: str
    weight: float
    #: Whether it explains something: False for stop words.
    is_shown: bool


@dataclass(frozen=True)
class AnalyzedPassage:
    """A sentence, paragraph or file that a summary may choose."""

    #: Number of its document, from 0.
    document: int
    position: int
    start: int
    end: int
    #: Its cost if it is the only passage.
    cost: float
    #: Total weight of its concepts.
    weight: float
    #: Numbers of its concepts, by descending weight.
    concepts: list[int]
    #: Why it may not be chosen; empty if it may.
    reason: str


@dataclass(frozen=True)
class TextAnalysis:
    """Passages of texts, with their costs and concepts."""

    unit: str
    #: Caveat about the unit, if there is one.
    note: str
    by: str
    language: str
    passages: list[AnalyzedPassage]
    concepts: list[AnalyzedConcept]
    #: Total weight of the concepts that the passages cover.
    value: float
    #: Cost of all passages that may be chosen, together.
    cost: float

    @classmethod
    def of(cls, task: SummaryTask) -> TextAnalysis:
        """Plain data of a task."""
        names, weights = task.concept_names, task.table.weights.tolist()
        concepts: list[list[int]] = [[] for _ in task.passages]
        costs = task.passage_costs
        pairs = task.table.passage_indices.tolist(), task.table.concept_indices.tolist()
        for p, a in zip(*pairs, strict=True):
            concepts[p].append(a)
        return cls(
            unit=task.unit.name,
            note=task.unit.note,
            by=task.passages.by.value,
            language=task.passages.language,
            passages=[
                AnalyzedPassage(
                    document=passage.document,
                    position=passage.position,
                    start=passage.start,
                    end=passage.end,
                    cost=costs[p],
                    weight=sum(weights[a] for a in concepts[p]),
                    concepts=sorted(concepts[p], key=lambda a: -weights[a]),
                    reason=task.ruled_out.get(p, ""),
                )
                for p, passage in enumerate(task.passages)
            ],
            concepts=list(
                map(AnalyzedConcept, names, weights, task.table.shown.tolist())
            ),
            value=sum(weights[a] for a in {*pairs[1]}),
            cost=task.measure(range(task.choosable.size)),
        )


@dataclass(frozen=True)
class ScoresAnswer:
    """ROUGE scores of one summary."""

    #: Recall, precision and F-measure by the name of the metric.
    scores: dict[str, dict[str, float]]
    #: All settings that the numbers depend on.
    signature: str

    @classmethod
    def of(cls, scores: Scores) -> ScoresAnswer:
        """Plain data of scores."""
        by_metric = {metric: asdict(score) for metric, score in scores.items()}
        return cls(by_metric, scores.signature)
