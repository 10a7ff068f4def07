"""Summarizing: from texts and a budget to a summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from thatch.arrays import Ints
from thatch.errors import InputError, InputTypeError
from thatch.files.languages import language_code
from thatch.problem.coverage_problem import CoverageProblem
from thatch.run.progress_bar import progress_bars
from thatch.run.result import Result
from thatch.run.stopping import MaxSeconds, StoppingRule
from thatch.solvers import Auto, Solver
from thatch.solvers.registry import solver_of
from thatch.solvers.solving import solve
from thatch.text.budget_fitting import fitting_result
from thatch.text.choices import (
    ConceptsOrName,
    Grouping,
    concepts_of,
    granularity_of,
    grouping_of,
    unit_of,
)
from thatch.text.concepts.known import KnownConcepts
from thatch.text.concepts.query_focus import QueryFocus, focused
from thatch.text.concepts.readability import (
    antecedents_of,
    readable,
    require_readability,
)
from thatch.text.concepts.salience import Salience
from thatch.text.concepts.schemes import Concepts
from thatch.text.costs.layout import Layout
from thatch.text.costs.units import SENTENCES, WORDS, Unit, sentences_in
from thatch.text.documents.document import Document
from thatch.text.grouping import group_names, require_group_limit
from thatch.text.passages.flaws import flaws_of
from thatch.text.passages.passage_filter import PassageFilter
from thatch.text.passages.passages import Granularity, Passages
from thatch.text.summary import Summary
from thatch.text.task import SummaryTask, checked_budget

#: One text, or several; each is a document.
Texts = str | Document | Iterable[str | Document]


@dataclass(frozen=True)
class Summarizer:
    """Settings of a summarizer.

    >>> from thatch import Document, Summarizer
    >>> document = Document("Snow fell. Snow fell all day. We left.")
    >>> Summarizer(by=Granularity.PARAGRAPH).summarize([document], budget=8).text
    'Snow fell. Snow fell all day. We left.'
    """

    #: What the budget measures.
    unit: Unit = WORDS
    #: What is selected: sentences, paragraphs or whole files.
    by: Granularity = Granularity.SENTENCE
    #: The concept scheme: what passages say, and the weight of each concept.
    concepts: Concepts = Salience()
    #: A question or keywords: concepts near them weigh more. Default: none.
    query: str = ""
    #: How much it matters that sentences read well on their own, from 0 to 1. With 0,
    #: concepts have the weights of the scheme, and nothing else counts.
    readability: float = 0.3
    #: Earlier texts, or what they say: sentences that repeat it are left out, and what
    #: is known counts less. Default: none.
    known: Texts | KnownConcepts | None = None
    #: What passages are grouped by, under their names. Default: no groups.
    group: Grouping | None = None
    #: Maximum number of passages per group. Default: no limit.
    per_group: int | None = None
    #: Which passages may be selected, and which must be.
    passage_filter: PassageFilter = PassageFilter()
    #: How passages are printed. Default: `Layout.usual` of what is selected.
    layout: Layout | None = None
    #: Language code or name, such as ``de`` or ``german``. Default: guessed from the
    #: text.
    language: str | None = None
    #: The solver of the coverage problem.
    solver: Solver = Auto()

    def __post_init__(self) -> None:
        if self.language is not None:
            object.__setattr__(self, "language", language_code(self.language))
        # Callers without a type checker may pass names.
        object.__setattr__(self, "unit", unit_of(self.unit))
        object.__setattr__(self, "by", granularity_of(self.by))
        object.__setattr__(self, "concepts", concepts_of(self.concepts))
        object.__setattr__(self, "group", grouping_of(self.group))
        object.__setattr__(self, "solver", solver_of(self.solver))
        require_readability(self.readability)
        hint = "Set group to document or heading."
        require_group_limit(self.group, self.per_group, hint=hint)

    def task(self, texts: Texts, budget: float) -> SummaryTask:
        """Return the task: passages, concepts and costs of the texts, and the budget.

        Keep it to summarize the same texts within several budgets.
        """
        passages = Passages.of(_documents(texts), by=self.by, language=self.language)
        ruled_out = dict(self.passage_filter.ruled_out(passages))
        table = self.concepts.weigh(passages)
        if self.known is not None:
            known = self._known_concepts()
            table = known.discounted(table)
            ruled_out = known.old_passages(passages, self.concepts) | ruled_out
        share_relevant = 0.0
        if self.query:
            table, share_relevant = focused(table, passages, self.query)
        antecedents, needs_antecedent = {}, None
        if self.readability and self.by is Granularity.SENTENCE:
            flaws = flaws_of(passages)
            # A limit per group counts sentences one by one.
            if self.per_group is None:
                antecedents = antecedents_of(flaws, passages, ruled_out=ruled_out)
            table, needs_antecedent = readable(
                table,
                passages,
                self.readability,
                flaws=flaws,
                antecedents=antecedents,
            )
        task = SummaryTask(
            passages=passages,
            table=table,
            choosable=_in_order_of_dates(passages, without=ruled_out),
            ruled_out=ruled_out,
            requirements=self.passage_filter.requirements(passages, ruled_out),
            layout=Layout.usual(self.by, passages.languages)
            if self.layout is None
            else self.layout,
            unit=sentences_in(passages.language)
            if self.unit is SENTENCES
            else self.unit,
            budget=checked_budget(budget),
            groups=() if self.group is None else group_names(passages, self.group),
            per_group=self.per_group,
            antecedents=antecedents,
            needs_antecedent=needs_antecedent,
        )
        if not self.query:
            return task
        size = share_relevant * _size(passages, task.unit)
        return replace(task, focus=QueryFocus.of(table, size)).with_budget(budget)

    def _known_concepts(self) -> KnownConcepts:
        if isinstance(self.known, KnownConcepts):
            return self.known
        return KnownConcepts.of(
            _documents(self.known or ()),
            language=self.language,
            concepts=self.concepts,
        )

    def summarize(
        self,
        texts: Texts,
        budget: float,
        *,
        max_seconds: float | None = None,
        seed: int = 0,
    ) -> Summary:
        """Summarize the texts within the budget.

        Parameters
        ----------
        texts
            One text, or several; each is a document.
        budget
            The maximum size of the printed summary.
        max_seconds
            The time limit. Reading the texts counts, but is not interrupted. Default:
            none.
        seed
            Seed of the solver.
        """
        (summary,) = self.curve(texts, [budget], max_seconds=max_seconds, seed=seed)
        return summary

    def curve(
        self,
        texts: Texts,
        budgets: Iterable[float],
        *,
        max_seconds: float | None = None,
        seed: int = 0,
    ) -> list[Summary]:
        """Summarize the texts within each of the budgets.

        The values of the summaries are a curve of covered weight against budget. The
        time limit is that of all budgets together.

        >>> text = "Snow fell. Snow fell all day. We left."
        >>> [s.cost for s in Summarizer().curve(text, [2, 4, 6])]
        [2, 4, 6]
        """
        began = perf_counter()
        task = self.task(texts, 0.0)
        tasks = [task.with_budget(budget) for budget in budgets]
        left = _seconds_left(max_seconds, began)
        return self.summaries_of(tasks, max_seconds=left, seed=seed)

    def summaries_of(
        self,
        tasks: Sequence[SummaryTask],
        *,
        max_seconds: float | None = None,
        stop: Sequence[StoppingRule] = (),
        seed: int = 0,
    ) -> list[Summary]:
        """Solve tasks one after the other, within a time limit for all of them."""
        began, found = perf_counter(), []
        for place, task in enumerate(tasks):
            left = _seconds_left(max_seconds, began)
            share = None if left is None else left / (len(tasks) - place)
            found.append(self.summary_of(task, max_seconds=share, stop=stop, seed=seed))
        return found

    def summary_of(
        self,
        task: SummaryTask,
        *,
        max_seconds: float | None = None,
        stop: Sequence[StoppingRule] = (),
        seed: int = 0,
    ) -> Summary:
        """Solve a task and return the summary.

        `max_seconds`, `stop` and `seed` are as in `thatch.solve`.

        >>> task = Summarizer().task("Snow fell. Snow fell all day. We left.", 4)
        >>> Summarizer().summary_of(task.with_budget(2)).text
        'Snow fell.'
        """
        start = perf_counter()

        def answer(problem: CoverageProblem) -> Result:
            # Where a summary must be shortened, all attempts share the time limit.
            return solve(
                problem,
                self.solver,
                max_seconds=_seconds_left(max_seconds, start),
                stop=stop,
                seed=seed,
                progress=False,
            )

        return Summary(task, fitting_result(task, answer))

    def summary_from(
        self, task: SummaryTask, result: Result, *, seed: int = 0
    ) -> Summary:
        """Return the summary for a task whose problem is solved already.

        The problem is solved again only if the printed text exceeds the budget.
        """

        def answer(problem: CoverageProblem) -> Result:
            is_solved = problem is result.selection.problem
            if is_solved:
                return result
            return solve(problem, self.solver, seed=seed, progress=False)

        return Summary(task, fitting_result(task, answer))


def summarize(
    texts: Texts,
    budget: float = 100,
    *,
    unit: Unit | str = WORDS,
    by: Granularity | str = Granularity.SENTENCE,
    concepts: ConceptsOrName = Salience(),  # noqa: B008
    query: str = "",
    readability: float = 0.3,
    known: Texts | KnownConcepts | None = None,
    require: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    ratio: float | None = None,
    solver: Solver | str | None = None,
    max_seconds: float | None = None,
    progress: bool | None = None,
) -> Summary:
    """Summarize texts: select the sentences that say the most within the budget.

    Parameters
    ----------
    texts
        One text, or several; each is a document.
    budget, ratio
        The maximum size of the printed summary, or a share of the text, from 0 to 1.
    unit
        ``words``, ``characters``, ``sentences``, ``tokens``, or `tokens_by(tokenizer)`.
    by
        What is selected: ``sentence``, ``paragraph`` or ``file``.
    concepts
        A concept scheme, its name (``salience``, ``tf-idf``, ``tf-idf-content``,
        ``bigrams``), or a function from a text to a list of hashable concepts.
    query, readability, known, solver, max_seconds
        As in `Summarizer`, which has more settings, and `Summarizer.summarize`.
    require, exclude
        Texts that a selected passage must contain, and that none may contain.
    progress
        Whether to show a progress bar, as in `thatch.solve`.

    Raises
    ------
    InputError, InputTypeError
        If a setting is invalid, or the required passages do not fit the budget.

    >>> import thatch
    >>> text = "Snow fell all day. Nobody came. All day the snow fell on the town."
    >>> thatch.summarize(text, budget=11).text
    'Nobody came. All day the snow fell on the town.'
    """
    passages = PassageFilter(require=_as_list(require), exclude=_as_list(exclude))
    summarizer = Summarizer(
        unit=unit_of(unit),
        by=granularity_of(by),
        concepts=concepts_of(concepts),
        query=query,
        readability=readability,
        known=known,
        passage_filter=passages,
        solver=solver_of(solver),
    )
    began = perf_counter()
    task = summarizer.task(texts, budget)
    task = task if ratio is None else task.with_ratio(ratio)
    left = _seconds_left(max_seconds, began)
    with progress_bars(progress, max_seconds=left) as bars:
        return summarizer.summary_of(task, max_seconds=left, stop=bars)


def _seconds_left(max_seconds: float | None, began: float) -> float | None:
    """What is left of a time limit: at least the moment that any answer takes."""
    if max_seconds is None:
        return None
    limit = MaxSeconds(max_seconds)  # raises if it is invalid
    return max(limit.max_seconds - perf_counter() + began, 1e-3)


def _size(passages: Passages, unit: Unit) -> float:
    """About the size of all passages, by about 16 of them."""
    few = slice(None, None, max(1, len(passages) // 16))
    size = sum(unit.measure_each(passage.text for passage in passages.all[few]))
    return sum(passages.num_words) * size / max(sum(passages.num_words[few]), 1)


def _documents(texts: Texts) -> list[Document]:
    is_list = isinstance(texts, Iterable) and not isinstance(texts, str | bytes)
    given: list[Any] = list(texts) if is_list else [texts]  # type: ignore[arg-type]
    if not given:
        raise InputError(
            "texts is empty; at least one text was expected.",
            hint="Pass a string or a list of strings.",
        )
    for k, text in enumerate(given):
        if not isinstance(text, str | Document):
            raise InputTypeError(
                f"texts[{k}] is {text!r:.60}; a string or a Document was expected.",
                hint="To read a file, use read_document.",
            )
    return [t if isinstance(t, Document) else Document.from_text(t) for t in given]


def _in_order_of_dates(passages: Passages, *, without: Mapping[int, str]) -> Ints:
    """Indices of passages, the oldest document first if all of them have dates."""
    allowed = [p for p in range(len(passages)) if p not in without]
    dates = [document.date for document in passages.documents]
    if all(dates):
        allowed.sort(key=lambda p: dates[passages.all[p].document])
    return np.array(allowed, dtype=np.int64)


def _as_list(texts: str | Sequence[str]) -> tuple[str, ...]:
    return (texts,) if isinstance(texts, str) else tuple(texts)
