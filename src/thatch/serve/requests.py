"""Requests: documents, problems and summaries, with the options of the command line."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated, Any, Literal, TypeVar

from pydantic import ConfigDict, Field

from thatch.context.select_settings import PackSettings, SelectSettings, TextChunk
from thatch.errors import InputError
from thatch.options import options_of, without
from thatch.rouge.score_settings import ScoreSettings
from thatch.serve.option_fields import OptionsModel, with_options
from thatch.solvers.solver_settings import (
    CoverSettings,
    ProblemSettings,
    RunSettings,
    SolverSettings,
)
from thatch.text.costs.tokenizers import is_tokenizer_path
from thatch.text.documents.blocks import Block, BlockKind
from thatch.text.documents.document import Document, Place
from thatch.text.documents.markup import Markup
from thatch.text.documents.readers import MARKDOWN
from thatch.text.summary_settings import SummaryCall, SummarySettings

_MAX_NUMBERS = 200
_T = TypeVar("_T")

Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
WholeNumber = Annotated[int, Field(ge=0, le=2**31)]


class RequestModel(OptionsModel):
    """A request, with the settings records that its options belong to."""

    # An unknown field is an error, so that a misspelled one is not ignored.
    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True
    )

    def record(self, kind: type[_T]) -> _T:
        """The settings record of that type, from the fields that have its names."""
        names = {option.name for option in options_of(kind)}
        given = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in self
            if name in names
        }
        tokenizer: Any = given.get("tokenizer")
        if tokenizer is not None and is_tokenizer_path(tokenizer):
            # A caller must not learn which files there are.
            raise InputError(
                f"tokenizer is {tokenizer!r}; in a request it must be a name, not a "
                "path.",
                hint="Pass an encoding or model that tiktoken knows, or leave it out.",
            )
        return kind(**given)

    @property
    def run(self) -> RunSettings:
        """Time limit and seed, as far as they are options of the request."""
        return self.record(RunSettings)


class BlockRequest(RequestModel):
    """A paragraph, heading, code block or aside of a document."""

    start: WholeNumber
    end: WholeNumber
    kind: Literal["prose", "heading", "code", "aside"] = "prose"
    level: WholeNumber = 0
    """Of a heading: its level, 1 for the title."""


class MarkupRequest(RequestModel):
    """Characters of a document that are not shown, and what is shown instead."""

    start: WholeNumber
    end: WholeNumber
    shown: str = ""


class PlaceRequest(RequestModel):
    """Page, time and speaker of a document, from an offset on."""

    start: WholeNumber
    page: WholeNumber | None = None
    time: str = ""
    speaker: str = ""


class DocumentRequest(RequestModel):
    """A text with its name and blocks."""

    text: str
    name: str = ""
    """Name of the document; if it ends in .md, the text is Markdown."""
    blocks: Annotated[list[BlockRequest], Field(fail_fast=True)] | None = None
    """Paragraphs and headings. Default: found in the text."""
    markup: Annotated[list[MarkupRequest], Field(fail_fast=True)] = Field([])
    """What is not shown of the blocks."""
    places: Annotated[list[PlaceRequest], Field(fail_fast=True)] = Field([])
    """Pages, times and speakers, in order."""
    date: str = ""
    """Date of the document, such as 2024-05-01."""
    is_extracted: bool = False
    """Whether the lines of the text mean nothing, as in the text of a PDF."""

    def document(self) -> Document:
        """The document; if the name ends in ``.md``, the text is read as Markdown."""
        if self.blocks is not None:
            return Document(
                self.text,
                self.name,
                tuple(
                    Block(b.start, b.end, BlockKind(b.kind), b.level)
                    for b in self.blocks
                ),
                markup=tuple(Markup(**dict(m)) for m in self.markup),
                places=tuple(Place(**dict(p)) for p in self.places),
                date=self.date,
                is_extracted=self.is_extracted,
            )
        if PurePath(self.name).suffix.lower() in MARKDOWN:
            return Document.from_markdown(self.text, self.name)
        return Document.from_text(self.text, self.name)


@with_options(*without(options_of(SummarySettings), "solver", "effort"))
class TextRequest(RequestModel):
    """Texts, and how they are split into passages and concepts."""

    documents: str | Annotated[list[str | DocumentRequest], Field(fail_fast=True)]
    """A text, or a list of at most 1000 texts and named documents."""

    @property
    def texts(self) -> tuple[Document, ...]:
        """The documents."""
        given = self.documents
        return tuple(
            Document.from_text(each) if isinstance(each, str) else each.document()
            for each in ([given] if isinstance(given, str) else given)
        )

    @property
    def settings(self) -> SummarySettings:
        """Settings of the summarizer."""
        return self.record(SummarySettings)


@with_options(
    *options_of(SummarySettings, "solver", "effort"), *options_of(RunSettings)
)
class _SolvedRequest(TextRequest):
    """Texts to summarize, with a solver and its limits."""


@with_options(*options_of(SummaryCall))
class SummarizeRequest(_SolvedRequest):
    """Texts to summarize within a budget."""

    pin: Annotated[list[WholeNumber], Field(fail_fast=True)] = Field([])
    """Numbers of passages to choose in any case, as in the answer of analyze."""
    strike: Annotated[list[WholeNumber], Field(fail_fast=True)] = Field([])
    """Numbers of passages that must not be chosen."""


class CurveRequest(_SolvedRequest):
    """Texts to summarize within several budgets."""

    budgets: Annotated[list[Amount], Field(min_length=1, max_length=_MAX_NUMBERS)]
    """Budgets, in the unit."""


@with_options(*options_of(SummaryCall, "budget"))
class AnalyzeRequest(TextRequest):
    """Texts to analyze; with a query, the weights depend on the budget."""


@with_options(
    *options_of(SummaryCall, "budget"),
    *options_of(SolverSettings, "inverse_temperature"),
)
class SweepRequest(TextRequest):
    """Texts on which to run belief propagation at several prices."""

    prices: Annotated[list[Amount], Field(max_length=_MAX_NUMBERS)] | None = None
    """Prices. Default: about forty, up to twice the price that spends the budget."""


class Problem(RequestModel):
    """A coverage problem, as in thatch's JSON files."""

    format: Literal["thatch-coverage"] = "thatch-coverage"
    version: Literal[1, 2] = 1
    sets: Annotated[
        list[Annotated[list[WholeNumber], Field(fail_fast=True)]], Field(fail_fast=True)
    ]
    """Elements of each item, numbered from 0."""
    budget: Amount | None = None
    costs: Annotated[list[float], Field(fail_fast=True)] | None = None
    weights: Annotated[list[float], Field(fail_fast=True)] | None = None
    item_names: list[str] | None = None
    element_names: list[str] | None = None
    constraints: dict[str, Any] | None = None
    """What selections must keep besides the budget, as in files."""


class ProblemRequest(RequestModel):
    """A coverage problem, with changes to it and limits of the solver."""

    problem: Problem

    @property
    def changes(self) -> ProblemSettings:
        """Changes to the problem."""
        return self.record(ProblemSettings)


@with_options(
    *options_of(ProblemSettings), *options_of(SolverSettings), *options_of(RunSettings)
)
class SolveRequest(ProblemRequest):
    """A coverage problem to solve."""


@with_options(
    *options_of(CoverSettings),
    *options_of(ProblemSettings, "unit_costs", "require", "forbid"),
    *options_of(RunSettings),
)
class CoverRequest(ProblemRequest):
    """A coverage problem with a target to cover; its budget is ignored."""


class ChunkRequest(RequestModel):
    """A chunk, with what is known about it."""

    text: str
    source: str | None = None
    """Where it is from, such as the name of a file."""
    title: str | None = None
    section: str | None = None
    speaker: str | None = None
    date: str | None = None
    """Its date, such as 2024-05-01."""
    score: Annotated[float, Field(allow_inf_nan=False)] | None = None
    """Its relevance by your own ranker, instead of the query."""


@with_options(*options_of(SelectSettings), *options_of(RunSettings, "max_seconds"))
class SelectRequest(RequestModel):
    """Chunks to select for a language model, within a budget."""

    chunks: Annotated[list[str | ChunkRequest], Field(fail_fast=True)]
    """Texts, or objects with a text and what is known about it; at most 10,000."""
    must_include: Annotated[list[WholeNumber], Field(fail_fast=True)] = Field([])
    """Indices of chunks to select in any case, counted from 0."""
    must_exclude: Annotated[list[WholeNumber], Field(fail_fast=True)] = Field([])
    """Indices of chunks not to select; they still count for what is relevant."""

    @property
    def text_chunks(self) -> list[TextChunk]:
        """The chunks."""
        return [
            TextChunk(each) if isinstance(each, str) else TextChunk(**dict(each))
            for each in self.chunks
        ]


@with_options(*options_of(PackSettings))
class PackRequest(RequestModel):
    """Documents whose parts are to be packed into a prompt."""

    documents: str | Annotated[list[str | DocumentRequest], Field(fail_fast=True)]
    """A text, or a list of at most 1000 texts and named documents. The name decides how
    a document is cut: code at definitions, prose at headings."""
    is_folder: bool = False
    """Whether the documents are the files of a folder. Then, generated files, files
    with secrets and those that a document called .gitignore excludes are left out."""
    must_include: Annotated[list[WholeNumber], Field(fail_fast=True)] = Field([])
    """Indices of chunks to select in any case, as in an earlier answer for the same
    documents and patterns."""
    must_exclude: Annotated[list[WholeNumber], Field(fail_fast=True)] = Field([])
    """Indices of chunks not to select."""

    @property
    def texts(self) -> tuple[Document, ...]:
        """The documents; those without blocks are cut by their lines, and need none."""
        given = self.documents
        return tuple(
            Document(each, blocks=())
            if isinstance(each, str)
            else each.document()
            if each.blocks is not None
            else Document(each.text, each.name, blocks=())
            for each in ([given] if isinstance(given, str) else given)
        )


@with_options(*options_of(ScoreSettings))
class ScoreRequest(RequestModel):
    """A summary to score against reference summaries."""

    summary: str
    references: Annotated[list[str], Field(min_length=1, max_length=100)]
