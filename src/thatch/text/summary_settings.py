"""A summarizer's settings by name, as people write them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from thatch.errors import InputError
from thatch.solvers.registry import solver_named
from thatch.text.choices import concepts_of, granularity_of, unit_of
from thatch.text.concepts.background import Background
from thatch.text.concepts.schemes import Concepts, TfIdf
from thatch.text.costs.layout import Layout
from thatch.text.costs.tokenizers import tokens_by_name
from thatch.text.costs.units import Unit
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.summarizing import Summarizer

__all__ = ["SummarySettings"]


@dataclass(frozen=True, kw_only=True)
class SummarySettings:
    """What the options of ``thatch summarize`` say.

    >>> SummarySettings(unit="characters", solver="ggreedy").summarizer().solver
    GeneralizedGreedy(seed_size=0)
    """

    unit: str = "words"
    #: For tokens: an encoding or model that tiktoken knows.
    tokenizer: str | None = None
    by: str = "sentence"
    concepts: str = "salience"
    query: str = ""
    require: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    min_words: int | None = None
    max_words: int | None = None
    #: What stands between passages, and above each; as suits them unless given.
    separator: str | None = None
    heading: str | None = None
    language: str | None = None
    solver: str = "auto"

    def summarizer(self, background: Background = Background()) -> Summarizer:  # noqa: B008
        """The summarizer that they stand for.

        Parameters
        ----------
        background
            For words: documents that say which of them are rare.
        """
        return Summarizer(
            unit=self._unit,
            by=granularity_of(self.by),
            concepts=self._concepts(background),
            query=self.query,
            passage_filter=PassageFilter(
                self.require, self.exclude, self.min_words, self.max_words
            ),
            layout=self._layout,
            language=self.language,
            solver=solver_named(self.solver),
        )

    @property
    def _unit(self) -> Unit:
        if self.tokenizer is None:
            return unit_of(self.unit)
        if self.unit != "tokens":
            raise InputError(
                f"tokenizer must come with unit tokens, got unit {self.unit}.",
                hint="Count tokens, or leave the tokenizer out.",
            )
        return tokens_by_name(self.tokenizer)

    def _concepts(self, background: Background) -> Concepts:
        concepts = concepts_of(self.concepts)
        if not background.num_documents:
            return concepts
        if not isinstance(concepts, TfIdf):
            raise InputError(
                f"background must come with concepts tf-idf, got {self.concepts}.",
                hint="Other concepts need none: leave it out.",
            )
        return replace(concepts, background=background)

    @property
    def _layout(self) -> Layout:
        given = {"separator": self.separator, "heading": self.heading}
        return replace(
            Layout.usual(granularity_of(self.by)),
            **{name: text for name, text in given.items() if text is not None},
        )
