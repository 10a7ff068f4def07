"""Summaries as plain data: the JSON of the command line and of the HTTP API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thatch.serve.answers.general import filled
from thatch.text.citations import described_place

if TYPE_CHECKING:
    from thatch.text.summary import ChosenPassage, LeftOutPassage, Summary
    from thatch.text.task import SummaryTask


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
    #: Its source in words, as in citations.
    place: str


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
    own = {"headings": list(passage.headings), "place": described_place(passage)}
    return fields | is_given | own


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
    #: Weight of all concepts. With a query, weights depend on the budget.
    total: float
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
        return filled(
            cls,
            summary,
            summary=summary.text,
            sentences=[
                ChosenSentence.of(sentence, is_explained=is_explained)
                for sentence in summary.sentences
            ],
            status=summary.status.label,
            solver=solver,
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


@dataclass(frozen=True)
class CurvePoint:
    """Covered weight at one budget."""

    budget: float
    cost: float
    value: float
    upper_bound: float
    #: Weight of all concepts. With a query, weights depend on the budget.
    total: float

    @classmethod
    def of(cls, summary: Summary) -> CurvePoint:
        """Plain data of a summary: one point of a curve."""
        return filled(cls, summary)


@dataclass(frozen=True)
class AnalyzedConcept:
    """A concept, and its weight."""

    #: As it is written most often, without stop words.
    name: str
    weight: float
    #: Whether it explains something: False for stop words.
    is_shown: bool
    #: Numbers of the terms in its name, in order.
    terms: list[int]


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
    #: The words that each term is written as, in lower case.
    terms: list[list[str]]
    #: Total weight of the concepts that the passages cover.
    value: float
    #: Cost of all passages that may be chosen, together.
    cost: float

    @classmethod
    def of(cls, task: SummaryTask) -> TextAnalysis:
        """Plain data of a task."""
        weights = task.table.weights.tolist()
        words, terms = _concept_terms(task)
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
                map(
                    AnalyzedConcept,
                    task.words_of_concepts,
                    weights,
                    task.is_concept_shown.tolist(),
                    terms,
                )
            ),
            terms=words,
            value=sum(weights[a] for a in {*pairs[1]}),
            cost=task.measure(range(task.choosable.size)),
        )


def _concept_terms(task: SummaryTask) -> tuple[list[list[str]], list[list[int]]]:
    """The words of each term, and the numbers of the terms in each concept's name."""
    forms = task.passages.surface_forms
    number_of = {term: t for t, term in enumerate(forms)}
    numbers = [
        [number_of[term] for term in terms if term in number_of]
        for terms in task.terms_of_concepts
    ]
    return [list(words) for words in forms.values()], numbers
