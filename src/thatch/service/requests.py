"""What callers may ask for: the words are those of the command line's options."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import PurePath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from thatch.rouge.settings import ScoreSettings
from thatch.solvers.names import SOLVERS
from thatch.solvers.settings import SolverSettings
from thatch.text.blocks import Block, BlockKind
from thatch.text.document import Document
from thatch.text.names import CONCEPTS, UNITS
from thatch.text.passages import By
from thatch.text.readers import MARKDOWN
from thatch.text.settings import SummarySettings

__all__ = [
    "CurveRequest",
    "DocumentRequest",
    "ReadRequest",
    "ScoreRequest",
    "SolveRequest",
    "SummarizeRequest",
    "SweepRequest",
    "TextRequest",
]

_MOST_NUMBERS = 200
_MOST_TEXTS = 100


def _one_of(names: Iterable[str]) -> Any:
    """A string that is described as one of some; our own error says it if it is not."""
    return Field(json_schema_extra={"enum": list(names)})


Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
WholeNumber = Annotated[int, Field(ge=0, le=2**31)]
SolverName = Annotated[str, _one_of(SOLVERS)]
InverseTemperature = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Texts = Annotated[list[str], Field(max_length=_MOST_TEXTS)]


class _Request(BaseModel):
    # A slip of the keyboard should not pass for a setting.
    model_config = ConfigDict(extra="forbid", frozen=True)

    def settings_of(self, kind: type[Any]) -> Any:
        """The record of that kind, from the fields that have its names."""
        names = {field.name for field in fields(kind)}
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
    #: Where paragraphs and headings are; found in the text unless given.
    blocks: list[BlockRequest] | None = None

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

    documents: str | list[str | DocumentRequest] = Field(
        description="A text, or several, each with a name if it has one."
    )
    unit: Annotated[str, _one_of(UNITS)] = "words"
    by: Annotated[str, _one_of(by.value for by in By)] = "sentence"
    concepts: Annotated[str, _one_of(CONCEPTS)] = "telling"
    query: str = ""
    require: Texts = []
    exclude: Texts = []
    min_words: WholeNumber | None = None
    max_words: WholeNumber | None = None
    separator: str | None = None
    heading: str | None = None
    language: str | None = None

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
        found: SummarySettings = self.settings_of(SummarySettings)
        return found


class _SolvedRequest(TextRequest):
    solver: SolverName = "auto"
    max_seconds: Seconds | None = None
    seed: WholeNumber = 0


class SummarizeRequest(_SolvedRequest):
    """Texts to summarize within a budget."""

    budget: Amount = 100
    #: Whether to say what each sentence adds, and what was left out.
    explain: bool = False


class CurveRequest(_SolvedRequest):
    """Texts to summarize within several budgets."""

    budgets: Annotated[list[Amount], Field(min_length=1, max_length=_MOST_NUMBERS)]


class SweepRequest(TextRequest):
    """Texts on which messages are to be passed at several prices."""

    budget: Amount = 100
    inverse_temperature: InverseTemperature | None = None
    prices: Annotated[list[Amount], Field(max_length=_MOST_NUMBERS)] | None = None


class ReadRequest(_Request):
    """A file to be read."""

    name: str
    content: bytes


class Problem(_Request):
    """A coverage problem, as thatch's own JSON files hold it."""

    format: Literal["thatch-coverage"] = "thatch-coverage"
    version: Literal[1] = 1
    #: The elements of each item, numbered from 0.
    sets: list[list[WholeNumber]]
    budget: Amount | None = None
    costs: list[float] | None = None
    weights: list[float] | None = None
    item_names: list[str] | None = None
    element_names: list[str] | None = None


class SolveRequest(_Request):
    """A coverage problem to solve."""

    problem: Problem
    #: In place of the problem's own.
    budget: Amount | None = None
    unit_costs: bool = False
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
        found: SolverSettings = self.settings_of(SolverSettings)
        return found


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
        found: ScoreSettings = self.settings_of(ScoreSettings)
        return found
