"""Settings of a summarizer, as the command line and the API name them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from thatch.errors import InputError
from thatch.options import option
from thatch.solvers.solver_settings import (
    effort_option,
    solver_option,
    solver_with_effort,
)
from thatch.text.choices import (
    concept_choices,
    concepts_of,
    granularity_choices,
    granularity_of,
    grouping_choices,
    grouping_of,
    unit_choices,
    unit_with_tokenizer,
)

if TYPE_CHECKING:
    from thatch.text.concepts.background import Background
    from thatch.text.concepts.schemes import Concepts
    from thatch.text.costs.layout import Layout
    from thatch.text.summarizing import Summarizer
    from thatch.text.task import SummaryTask


def query_option(what: str) -> str:
    """Declare the option for what a text is about."""
    return option("", help=f"Question or keywords that the {what} should address")


def unit_option(default: str) -> str:
    """Declare the option for the unit of a budget."""
    return option(
        default, help="Unit of the budget", choices=unit_choices, metavar="UNIT"
    )


def tokenizer_option() -> str | None:
    """Declare the option for how tokens are counted."""
    return option(
        None,
        help="For unit tokens: a tiktoken encoding or model, or a tokenizer file",
        default_text="an estimate",
        metavar="NAME",
    )


def per_group_option(what: str) -> int | None:
    """Declare the option for a limit per group, or per file."""
    return option(
        None, help=f"Maximum number of {what}", default_text="none", minimum=1
    )


def language_option() -> str | None:
    """Declare the option for the language of texts."""
    return option(
        None,
        help="Language: a code or name, such as de or german",
        default_text="detected from the text",
        metavar="NAME",
    )


@dataclass(frozen=True, kw_only=True)
class SummaryCall:
    """Options of one summary that are not settings of the summarizer."""

    budget: float = option(100, help="Maximum length of the summary", minimum=0)
    ratio: float | None = option(
        None,
        help="Maximum length as a share of the text, instead of a budget",
        default_text="none",
        metavar="SHARE",
        minimum=0,
        maximum=1,
    )
    explain: bool = option(
        False, help="Show what each passage adds and what was left out"
    )

    def applied_to(self, task: SummaryTask) -> SummaryTask:
        """Return the task under the budget of this call."""
        if self.ratio is None:
            return task.with_budget(self.budget)
        return task.with_ratio(self.ratio)


@dataclass(frozen=True, kw_only=True)
class SummarySettings:
    """Options of ``thatch summarize`` that set up the summarizer.

    >>> SummarySettings(unit="characters", solver="ggreedy").summarizer().solver
    GeneralizedGreedy(seed_size=0)
    """

    unit: str = unit_option("words")
    by: str = option(
        "sentence",
        help="Kind of passage to choose",
        choices=granularity_choices,
        metavar="KIND",
        label="Kind of passage",
    )
    concepts: str = option(
        "salience",
        help="Concepts to cover",
        choices=concept_choices,
        metavar="NAME",
    )
    query: str = query_option("summary")
    readability: float = option(
        0.3,
        help="How much it matters that sentences read well on their own, from 0 to 1",
        minimum=0,
        maximum=1,
        metavar="SHARE",
    )
    group: str | None = option(
        None,
        help="What to group passages by; the names of groups are not counted",
        choices=grouping_choices,
        default_text="none",
        metavar="KIND",
        label="Group by",
    )
    per_group: int | None = per_group_option("passages per group")
    require: tuple[str, ...] = option(
        (),
        help="Choose at least one passage that contains this text",
        label="Must include",
    )
    exclude: tuple[str, ...] = option(
        (),
        help="Choose no passage that contains this text",
        label="Must not include",
    )
    min_words: int | None = option(
        None,
        help="Minimum number of words per passage",
        label="Minimum words",
        default_text="none, or 8 in long texts",
        minimum=0,
    )
    max_words: int | None = option(
        None,
        help="Maximum number of words per passage",
        label="Maximum words",
        default_text="none",
        minimum=0,
    )
    separator: str | None = option(
        None,
        help="Text between passages; \\n is a line break",
        default_text="a space, or a blank line",
        has_escapes=True,
    )
    heading: str | None = option(
        None,
        help="Text above each passage; {name} is the name of its document",
        default_text="none, or ## {name} for files",
        has_escapes=True,
    )
    language: str | None = language_option()
    tokenizer: str | None = tokenizer_option()
    solver: str = solver_option("Algorithm that chooses the passages")
    effort: str | None = effort_option()

    def summarizer(self, background: Background | None = None) -> Summarizer:
        """Build the summarizer.

        Parameters
        ----------
        background
            For concepts tf-idf: how many documents contain each word. Default: the
            documents that are summarized.
        """
        from thatch.text.passages.passage_filter import PassageFilter
        from thatch.text.summarizing import Summarizer

        return Summarizer(
            unit=unit_with_tokenizer(self.unit, self.tokenizer),
            by=granularity_of(self.by),
            concepts=self._concepts(background),
            query=self.query,
            readability=self.readability,
            group=grouping_of(self.group),
            per_group=self.per_group,
            passage_filter=PassageFilter(
                self.require, self.exclude, self.min_words, self.max_words
            ),
            layout=self._layout,
            language=self.language,
            solver=solver_with_effort(self.solver, self.effort),
        )

    def _concepts(self, background: Background | None) -> Concepts:
        from thatch.text.concepts.schemes import TfIdf

        concepts = concepts_of(self.concepts)
        if background is None or not background.num_documents:
            return concepts
        if not isinstance(concepts, TfIdf):
            raise InputError(
                "background applies only to concepts tf-idf and tf-idf-content; the "
                f"concepts are {self.concepts}.",
                hint="Leave out the background, or choose tf-idf.",
            )
        return replace(concepts, background=background)

    @property
    def _layout(self) -> Layout | None:
        from thatch.text.costs.layout import Layout

        # The usual layout depends on the languages of the documents.
        if self.separator is None and self.heading is None:
            return None
        usual = Layout.usual(granularity_of(self.by))
        return Layout(
            usual.separator if self.separator is None else self.separator,
            usual.heading if self.heading is None else self.heading,
        )
