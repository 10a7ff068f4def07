"""What callers may ask for: the words are those of the command line's options."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import PurePath
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from thatch.rouge.score_settings import ScoreSettings
from thatch.solvers.registry import solver_names
from thatch.solvers.solver_settings import SolverSettings
from thatch.text.choices import CONCEPTS, UNITS
from thatch.text.documents.blocks import Block, BlockKind
from thatch.text.documents.document import Document
from thatch.text.documents.readers import MARKDOWN
from thatch.text.passages.passages import Granularity
from thatch.text.summary_settings import SummarySettings

__all__ = [
    "CurveRequest",
    "DocumentRequest",
    "ScoreRequest",
    "SolveRequest",
    "SummarizeRequest",
    "SweepRequest",
    "TextRequest",
]

_MOST_NUMBERS = 200
_MOST_TEXTS = 100
_T = TypeVar("_T")


def _one_of(names: Iterable[str]) -> Any:
    """A string that is described as one of some; our own error says it if it is not."""
    return Field(json_schema_extra={"enum": list(names)})


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
WholeNumber = Annotated[int, Field(ge=0, le=2**31)]
SolverName = Annotated[str, _one_of(solver_names())]
InverseTemperature = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Texts = Annotated[list[str], Field(max_length=_MOST_TEXTS)]


class _Request(BaseModel):
    # A slip of the keyboard should not pass for a setting.
    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True
    )

    def settings_of(self, kind: type[_T]) -> _T:
        """The record of that kind, from the fields that have its names."""
        names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
        given = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self
            if name in names
        }
        return kind(**given)


class BlockRequest(_Request):
    """A paragraph, heading or piece of code of a document."""

    start: WholeNumber
    end: WholeNumber
    kind: Literal["prose", "heading", "code"] = "prose"


class DocumentRequest(_Request):
    """A text, where it came from, and its blocks."""

    text: str
    name: str = ""
    """Where it came from; names that end in .md are Markdown."""
    blocks: Annotated[list[BlockRequest], Field(fail_fast=True)] | None = None
    """Where paragraphs and headings are; found in the text unless given."""

    def document(self) -> Document:
        """The document that is meant; names that end in ``.md`` are Markdown."""
        if self.blocks is not None:
            blocks = (Block(b.start, b.end, BlockKind(b.kind)) for b in self.blocks)
            return Document(self.text, self.name, tuple(blocks))
        if PurePath(self.name).suffix.lower() in MARKDOWN:
            return Document.from_markdown(self.text, self.name)
        return Document.from_text(self.text, self.name)


class TextRequest(_Request):
    """Texts, and what a summary of them is to be made of."""

    documents: str | Annotated[list[str | DocumentRequest], Field(fail_fast=True)]
    """A text, or several, each with a name if it has one: 1000 at most."""
    unit: Annotated[str, _one_of(UNITS)] = "words"
    """What the budget counts."""
    by: Annotated[str, _one_of(by.value for by in Granularity)] = "sentence"
    """What is chosen."""
    concepts: Annotated[str, _one_of(CONCEPTS)] = "salience"
    """What passages say, and what that is worth."""
    query: str = ""
    """Words that the summary should answer."""
    require: Texts = []
    """A passage that holds this text must be chosen, for each."""
    exclude: Texts = []
    """No passage that holds one of these texts is chosen."""
    min_words: WholeNumber | None = None
    """The fewest words of a passage."""
    max_words: WholeNumber | None = None
    """The most words of a passage."""
    separator: str | None = None
    """What stands between passages; as suits them unless given."""
    heading: str | None = None
    """What stands above each passage; {name} names its document."""
    language: str | None = None
    """Code such as de; guessed unless given."""

    @property
    def texts(self) -> tuple[Document, ...]:
        """The documents that are meant."""
        given = self.documents
        return tuple(
            Document.from_text(each) if isinstance(each, str) else each.document()
            for each in ([given] if isinstance(given, str) else given)
        )

    @property
    def settings(self) -> SummarySettings:
        """How they are to be summarized."""
        return self.settings_of(SummarySettings)


class _SolvedRequest(TextRequest):
    solver: SolverName = "auto"
    max_seconds: Seconds | None = None
    """How long to solve; where it is left out, five seconds are the most."""
    seed: WholeNumber = 0


class SummarizeRequest(_SolvedRequest):
    """Texts to summarize within a budget."""

    budget: Amount = 100
    """The most that the summary may measure."""
    explain: bool = False
    """Whether to say what each sentence adds, and what was left out."""


class CurveRequest(_SolvedRequest):
    """Texts to summarize within several budgets."""

    budgets: Annotated[list[Amount], Field(min_length=1, max_length=_MOST_NUMBERS)]


class SweepRequest(TextRequest):
    """Texts on which messages are to be passed at several prices."""

    budget: Amount = 100
    inverse_temperature: InverseTemperature | None = None
    """How much weight decides; as suits the weights unless given."""
    prices: Annotated[list[Amount], Field(max_length=_MOST_NUMBERS)] | None = None
    """About forty up to twice the one that spends the budget, unless given."""


class Problem(_Request):
    """A coverage problem, as thatch's own JSON files hold it."""

    format: Literal["thatch-coverage"] = "thatch-coverage"
    version: Literal[1] = 1
    sets: Annotated[
        list[Annotated[list[WholeNumber], Field(fail_fast=True)]], Field(fail_fast=True)
    ]
    """The elements of each item, numbered from 0."""
    budget: Amount | None = None
    costs: Annotated[list[float], Field(fail_fast=True)] | None = None
    weights: Annotated[list[float], Field(fail_fast=True)] | None = None
    item_names: list[str] | None = None
    element_names: list[str] | None = None


class SolveRequest(_Request):
    """A coverage problem to solve."""

    problem: Problem
    budget: Amount | None = None
    """In place of the problem's own."""
    unit_costs: bool = False
    """Whether to count items: every cost becomes 1."""
    solver: SolverName = "auto"
    max_seconds: Seconds | None = None
    max_iterations: WholeNumber | None = None
    seed: WholeNumber = 0
    inverse_temperature: InverseTemperature | None = None
    price: float | Literal["auto"] | None = None
    damping: float | None = None
    reinforcement: float | None = None
    paper: bool | None = None

    @property
    def settings(self) -> SolverSettings:
        """How it is to be solved."""
        return self.settings_of(SolverSettings)


class ScoreRequest(_Request):
    """A summary to score against texts that people wrote."""

    summary: str
    references: Annotated[Texts, Field(min_length=1)]
    variant: Literal["original", "sumeval"] = "original"
    metrics: str | None = None
    limit_words: WholeNumber | None = None
    limit_bytes: WholeNumber | None = None
    stem: bool | None = None
    remove_stop_words: bool | None = None
    joining: Literal["average", "best"] | None = None
    alpha: float | None = None
    tokens: Literal["original", "unicode"] | None = None
    language: str | None = None

    @property
    def settings(self) -> ScoreSettings:
        """What decides the numbers."""
        return self.settings_of(ScoreSettings)
