"""Summaries: the selected passages, what they cover, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thatch.arrays import Flags, Indices
from thatch.caching import cached_property
from thatch.run.result import Result, Status
from thatch.text.task import SummaryTask

__all__ = ["ChosenPassage", "LeftOutPassage", "Summary"]


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
    #: Its printed size, including its heading, in the unit of the budget.
    cost: float


@dataclass(frozen=True)
class ChosenPassage(_PlacedPassage):
    """A passage of a summary, with the concepts that only it covers."""

    #: Weight of the concepts that no other selected passage covers.
    weight: float
    #: Those concepts, the heaviest first.
    concepts: tuple[str, ...]


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
            f"Summary({len(self.result.selection)} of {len(self.task.passages)} "
            f"passages, {self.cost:g} of {self.budget:g} {self.unit}, "
            f"gap {self.gap:.3%})"
        )

    @cached_property
    def text(self) -> str:
        """The summary as printed."""
        return self.task.printed(self.result.selection.items.tolist())

    @cached_property
    def cost(self) -> float:
        """Size of the printed text; it never exceeds the budget."""
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
        if self.upper_bound <= self.value:
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
        shortest = min(task.unit.measure(text) for text in task.texts)
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
        names = self.task.concept_names
        selected = []
        for i in self.result.selection.items.tolist():
            own = self._own_concepts(i)
            weights = table.weights[own]
            by_weight = own[np.argsort(-weights, kind="stable")]
            selected.append(
                ChosenPassage(
                    *self._place(int(self.task.choosable[i])),
                    weight=float(weights.sum()),
                    concepts=tuple(names[a] for a in by_weight.tolist()),
                )
            )
        return tuple(selected)

    @cached_property
    def left_out(self) -> tuple[LeftOutPassage, ...]:
        """The passages that were not selected, those with the largest gain first."""
        table, task = self.task.table, self.task
        missing = np.where(self._covered_concepts, 0.0, table.weights)
        gains = np.bincount(
            table.passage_indices,
            weights=missing[table.concept_indices],
            minlength=len(task.passages),
        )
        selected = set(task.choosable[self.result.selection.items].tolist())
        return tuple(
            LeftOutPassage(
                *self._place(p),
                gain=float(gains[p]),
                reason=self._reason(p),
            )
            for p in np.argsort(-gains, kind="stable").tolist()
            if p not in selected
        )

    def _reason(self, p: int) -> str:
        is_too_long = self.task.cost_of(p) > self.budget
        return self.task.ruled_out.get(
            p, "longer than the budget" if is_too_long else ""
        )

    @property
    def _covered_concepts(self) -> Flags:
        return self.result.selection.covered[: len(self.task.table.concepts)]

    def _own_concepts(self, i: int) -> Indices:
        """Concepts that item i covers and no other selected item."""
        selection = self.result.selection
        elements: Indices = selection.problem.edges.elements_of(i)
        is_covered_once: Flags = selection.cover_counts[elements] == 1
        is_concept: Flags = elements < len(self.task.table.concepts)
        return elements[is_covered_once & is_concept]

    def _place(self, p: int) -> tuple[str, str | int, int, int, int, float]:
        passage = self.task.passages.all[p]
        name = self.task.passages.documents[passage.document].name
        return (
            passage.text,
            name or passage.document,
            passage.position,
            passage.start,
            passage.end,
            self.task.cost_of(p),
        )
