"""A summary: what was chosen, what it covers, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thatch.arrays import Flags, Indices
from thatch.run.result import Result, Status
from thatch.text.task import SummaryTask

__all__ = ["ChosenPassage", "LeftOutPassage", "Summary"]


@dataclass(frozen=True)
class _PlacedPassage:
    text: str
    #: Name of its document, or its number from 0 where it has none.
    document: str | int
    #: Number among the sentences (paragraphs, files) of its document, from 0.
    position: int
    #: Where it starts and ends in the text of its document.
    start: int
    end: int
    #: What it measures as printed, with its heading, in the unit of the budget.
    cost: float


@dataclass(frozen=True)
class ChosenPassage(_PlacedPassage):
    """A passage of a summary, and what it alone covers."""

    #: Weight of the concepts that no other chosen passage covers.
    weight: float
    #: Those concepts, the weightiest first.
    concepts: tuple[str, ...]


@dataclass(frozen=True)
class LeftOutPassage(_PlacedPassage):
    """A passage that was not chosen: what it would have added, and cost."""

    #: Weight of the concepts it holds and the summary does not cover.
    gain: float
    #: Why it could not be chosen, whatever else was.
    reason: str


@dataclass(frozen=True, eq=False)
class Summary:
    """The passages that say the most within the budget, in the order of the text.

    >>> import thatch
    >>> summary = thatch.summarize("Snow fell. Snow fell all day. We left.", budget=6)
    >>> summary.text
    'Snow fell all day. We left.'
    >>> summary.cost, summary.unit, summary.gap
    (6, 'words', 0.0)
    """

    task: SummaryTask
    #: What the solver answered about the coverage problem of the task.
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
        """What the printed text measures: never above the budget."""
        return self.task.measure(self.result.selection.items.tolist())

    @property
    def budget(self) -> float:
        """The most that the printed text may measure."""
        return self.task.budget

    @property
    def unit(self) -> str:
        """What the budget counts."""
        return self.task.unit.name

    @property
    def value(self) -> float:
        """Weight of the concepts covered."""
        return self.result.selection.value - self.task.weight_of_requirements

    @property
    def upper_bound(self) -> float:
        """No choice of passages whose costs add up to the budget covers more.

        Costs of words and characters add up exactly, if white space is around the
        separator. Tokens and sentences may measure less together than one by one:
        there a choice that covers more may exist, and no summary is called optimal.
        """
        return self.result.upper_bound - self.task.weight_of_requirements

    @property
    def gap(self) -> float:
        """Share of the upper bound that may be missing; see there for what it means."""
        if self.upper_bound <= self.value:
            return 0.0
        return (self.upper_bound - self.value) / self.upper_bound

    @property
    def status(self) -> Status:
        """Why the solver stopped."""
        return self.result.status

    @property
    def seconds(self) -> float:
        """How long the solver took."""
        return self.result.seconds

    @property
    def warning(self) -> str:
        """Why a summary is empty; nothing of any other."""
        task = self.task
        if self.text:
            return ""
        kind = task.passages.by
        if not len(task.passages):
            return f"the text holds no {kind}, so the summary is empty."
        if not task.choosable.size:
            return f"every {kind} is ruled out ({next(iter(task.ruled_out.values()))})."
        least = min(task.unit.measure(text) for text in task.texts)
        if least > task.budget:
            return (
                f"no {kind} fits in {task.budget:,.10g} {task.unit.name}: the shortest "
                f"has {least:,.10g}."
            )
        return f"no {kind} that fits holds a concept, so the summary is empty."

    @cached_property
    def sentences(self) -> tuple[ChosenPassage, ...]:
        """The chosen passages, in the order of the text."""
        table = self.task.table
        names = self.task.concept_names
        chosen = []
        for i in self.result.selection.items.tolist():
            alone = self._concepts_alone(i)
            weights = table.weights[alone]
            by_weight = alone[np.argsort(-weights, kind="stable")]
            chosen.append(
                ChosenPassage(
                    *self._place(int(self.task.choosable[i])),
                    weight=float(weights.sum()),
                    concepts=tuple(names[a] for a in by_weight.tolist()),
                )
            )
        return tuple(chosen)

    @cached_property
    def left_out(self) -> tuple[LeftOutPassage, ...]:
        """The passages that were not chosen, those that would have added most first."""
        table, task = self.task.table, self.task
        missing = np.where(self._covered_concepts, 0.0, table.weights)
        gains = np.bincount(
            table.passages,
            weights=missing[table.held],
            minlength=len(task.passages),
        )
        chosen = set(task.choosable[self.result.selection.items].tolist())
        return tuple(
            LeftOutPassage(
                *self._place(p),
                gain=float(gains[p]),
                reason=self._reason(p),
            )
            for p in np.argsort(-gains, kind="stable").tolist()
            if p not in chosen
        )

    def _reason(self, p: int) -> str:
        is_too_long = self.task.cost_of(p) > self.budget
        usual = "longer than the budget" if is_too_long else ""
        return self.task.ruled_out.get(p, usual)

    @property
    def _covered_concepts(self) -> Flags:
        return self.result.selection.covered[: len(self.task.table.concepts)]

    def _concepts_alone(self, i: int) -> Indices:
        """Concepts that no other chosen passage covers than item i."""
        selection = self.result.selection
        held: Indices = selection.problem.edges.elements_of(i)
        is_alone: Flags = selection.cover_counts[held] == 1
        is_concept: Flags = held < len(self.task.table.concepts)
        return held[is_alone & is_concept]

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
