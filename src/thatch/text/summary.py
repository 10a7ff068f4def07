"""Summaries: the selected passages, what they cover, and what was left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from thatch.arrays import Indices, distinct, sums_by
from thatch.machine.caching import cached_property
from thatch.problem.notebook import Table, as_html
from thatch.run.result import Result, Status
from thatch.text.markdown_text import as_markdown_text
from thatch.text.phrases import KeyPhrase, key_phrases
from thatch.text.task import SummaryTask

# A notebook shows this many passages.
_MAX_ROWS = 20


@dataclass(frozen=True)
class _PlacedPassage:
    #: The text of the passage.
    text: str
    #: Name of its document; the index of the document, from 0, if it has no name.
    document: str | int
    #: Index among the sentences (paragraphs, files) of its document, from 0.
    position: int
    #: Offsets of its start and end in the text of its document.
    start: int
    end: int
    #: Number of its page, from 1; None if the document has no pages.
    page: int | None
    #: Number of its first line, from 1; None if the text was extracted, as from PDF.
    line: int | None
    #: Headings above it, from the title down.
    headings: tuple[str, ...]
    #: When it was said or sent, and by whom; empty if the document does not say so.
    time: str
    speaker: str
    #: Its printed size, including its heading, in the unit of the budget.
    cost: float


@dataclass(frozen=True)
class ChosenPassage(_PlacedPassage):
    """A passage of a summary, with the concepts that only it covers."""

    #: Weight of the concepts that no other selected passage covers.
    weight: float
    #: The words of those concepts, the heaviest first, without stop words.
    concepts: tuple[str, ...]
    #: Name of its group; empty if there are no groups.
    group: str


@dataclass(frozen=True)
class LeftOutPassage(_PlacedPassage):
    """A passage that was not selected, with what it would add to the summary."""

    #: Weight of its concepts that the summary does not cover.
    gain: float
    #: Why it could not be selected; empty if it could.
    reason: str


@dataclass(frozen=True, eq=False)
class Summary:
    """The selected passages, in the order of the text, and how good the selection is.

    >>> import thatch
    >>> summary = thatch.summarize("Snow fell. Snow fell all day. We left.", budget=6)
    >>> summary.text
    'Snow fell all day. We left.'
    >>> summary.cost, summary.unit, summary.gap
    (6, 'words', 0.0)
    """

    #: What was summarized, and the budget.
    task: SummaryTask
    #: The solver's result on the coverage problem of the task.
    result: Result

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return (
            f"Summary({len(self.passages)} of {len(self.task.passages)} "
            f"passages, {self.cost:g} of {self.budget:g} {self.unit}, "
            f"gap {self.gap:.3%})"
        )

    def _repr_html_(self) -> str:
        facts: dict[str, str | float] = {
            self.unit: f"{self.cost:,.10g} of {self.budget:,.10g}",
            "passages": f"{len(self.passages):,} of {len(self.task.passages):,}",
            "covered weight": self.value,
            "gap": f"{self.gap:.2%}",
            "status": self.status.value,
        }
        rows = [
            (each.text, str(each.document), each.weight)
            for each in self.sentences[:_MAX_ROWS]
        ]
        headings = ("passage", "document", "covers alone")
        table = Table(headings, rows, max(0, len(self.passages) - _MAX_ROWS))
        return as_html("Summary", facts, table)

    @cached_property
    def passages(self) -> list[int]:
        """Indices of the selected passages, in the order of the text."""
        return self.task.passages_of(self.result.selection.items.tolist())

    @cached_property
    def text(self) -> str:
        """The summary as printed; groups are printed under their names."""
        return self.arranged(self.printed_passages)

    @cached_property
    def markdown(self) -> str:
        """The summary as Markdown, which shows the text as it is in the source."""
        texts = map(as_markdown_text, self.printed_passages)
        return self.arranged(texts, as_markdown_text)

    def arranged(self, texts: Iterable[str], escape: Callable[[str], str] = str) -> str:
        """Return the text of each selected passage, arranged like the summary.

        Names of groups are escaped; the texts have been.
        """
        return self.task.arranged(self.passages, texts, escape)

    @property
    def printed_passages(self) -> tuple[str, ...]:
        """The selected passages as printed, each with its heading."""
        return tuple(map(self.task.printed_passage, self.passages))

    @cached_property
    def cost(self) -> float:
        """Size of the printed text without names of groups, at most the budget."""
        return self.task.measure(self.result.selection.items.tolist())

    @property
    def budget(self) -> float:
        """Maximum size of the printed text."""
        return self.task.budget

    @property
    def unit(self) -> str:
        """What the budget measures."""
        return self.task.unit.name

    @property
    def value(self) -> float:
        """Total weight of the covered concepts."""
        return self.result.selection.value - self.task.weight_of_requirements

    @property
    def total(self) -> float:
        """Total weight of all concepts, with a query at this budget."""
        table = self.task.table
        return float(table.weights[distinct(table.concept_indices)].sum())

    @property
    def coverage(self) -> float:
        """Share of the weight of all concepts that is covered, from 0 to 1."""
        total = self.total
        return min(1.0, self.value / total) if total > 0 else 0.0

    @property
    def upper_bound(self) -> float:
        """Upper bound on the weight that passages within the budget can cover.

        The bound applies to selections whose costs, one by one, add up to at most the
        budget. Costs in words and characters add up exactly if the separator is white
        space at both ends. Several passages may have fewer tokens or sentences together
        than one by one: then a better summary may exist, and none is called optimal.
        """
        return self.result.upper_bound - self.task.weight_of_requirements

    @property
    def gap(self) -> float:
        """Relative distance from the upper bound: 0 if the summary is optimal."""
        if self.upper_bound <= self.value or self.status is Status.OPTIMAL:
            return 0.0
        return (self.upper_bound - self.value) / self.upper_bound

    @property
    def status(self) -> Status:
        """Why the solver stopped."""
        return self.result.status

    @property
    def seconds(self) -> float:
        """Time that the solver took."""
        return self.result.seconds

    @property
    def warning(self) -> str:
        """Why the summary is empty; an empty string if it is not."""
        task = self.task
        if self.text:
            return ""
        kind = task.passages.by
        if not len(task.passages):
            return f"the text contains no {kind}, so the summary is empty."
        if not task.choosable.size:
            return f"every {kind} is ruled out ({next(iter(task.ruled_out.values()))})."
        shortest = min(task.unit.measure_each(task.texts))
        if shortest > task.budget:
            return (
                f"no {kind} fits in {task.budget:,.10g} {task.unit.name}: the shortest "
                f"has {shortest:,.10g}."
            )
        return f"no {kind} that fits contains a concept, so the summary is empty."

    @cached_property
    def sentences(self) -> tuple[ChosenPassage, ...]:
        """The selected passages, in the order of the text."""
        table = self.task.table
        names, is_shown = self.task.words_of_concepts, table.shown
        selected = []
        for p, own in zip(self.passages, self._own_concepts, strict=True):
            weights = table.weights[own]
            by_weight = own[np.argsort(-weights, kind="stable")]
            selected.append(
                ChosenPassage(
                    **self._place(p, self.task.cost_of(p)),
                    weight=float(weights.sum()),
                    concepts=tuple(
                        dict.fromkeys(
                            names[a] for a in by_weight.tolist() if is_shown[a]
                        )
                    ),
                    group=self.task.groups[p] if self.task.groups else "",
                )
            )
        return tuple(selected)

    @cached_property
    def key_phrases(self) -> tuple[KeyPhrase, ...]:
        """Phrases of the selected passages that cover the most, the heaviest first."""
        return key_phrases(self.task, within=self.passages)

    @cached_property
    def left_out(self) -> tuple[LeftOutPassage, ...]:
        """The passages that were not selected, those with the largest gain first."""
        table, task = self.task.table, self.task
        is_covered = self.result.selection.covered[: len(table.concepts)]
        missing = np.where(is_covered, 0.0, table.weights)
        counted = missing[table.concept_indices] * task.is_counted(self.passages)
        gains = sums_by(table.passage_indices, counted, len(task.passages))
        selected = set(self.passages)
        costs = task.passage_costs
        return tuple(
            LeftOutPassage(
                **self._place(p, costs[p]),
                gain=float(gains[p]),
                reason=task.ruled_out.get(
                    p, "longer than the budget" if costs[p] > self.budget else ""
                ),
            )
            for p in np.argsort(-gains, kind="stable").tolist()
            if p not in selected
        )

    @property
    def _own_concepts(self) -> list[Indices]:
        """For each selected passage, the concepts that it alone covers."""
        table = self.task.table
        is_selected = np.zeros(len(self.task.passages), dtype=np.bool_)
        is_selected[self.passages] = True
        pairs = np.flatnonzero(
            is_selected[table.passage_indices] & self.task.is_counted(self.passages)
        )
        concepts, passages = table.concept_indices[pairs], table.passage_indices[pairs]
        times = np.bincount(concepts, minlength=len(table.concepts))
        is_own = times[concepts] == 1
        concepts, passages = concepts[is_own], passages[is_own]
        return [concepts[passages == p] for p in self.passages]

    def _place(self, p: int, cost: float) -> dict[str, Any]:
        passage = self.task.passages.all[p]
        document = self.task.passages.documents[passage.document]
        place = document.place_at(passage.start)
        return {
            "text": passage.text,
            "document": document.name or passage.document,
            "position": passage.position,
            "start": passage.start,
            "end": passage.end,
            "page": place.page,
            "line": document.line_at(passage.start),
            "headings": document.headings_at(passage.start),
            "time": place.time,
            "speaker": place.speaker,
            "cost": cost,
        }
