"""A summarizing task: passages with their costs and concepts, as a coverage problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.costs.layout import Layout
from thatch.text.costs.units import SENTENCES, Unit
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import Granularity, Passages

__all__ = ["SummaryTask"]


@dataclass(frozen=True, eq=False)
class SummaryTask:
    """Which passages may be chosen, what they hold and cost, and the budget."""

    passages: Passages
    table: ConceptTable
    #: int64, the passages that may be chosen, ascending: the items of the problem.
    choosable: Ints
    #: Why each of the other passages may not be chosen.
    ruled_out: Mapping[int, str]
    #: Passages of which at least one must be chosen, for each requirement.
    requirements: Sequence[Ints]
    layout: Layout
    unit: Unit
    budget: float

    def with_budget(self, budget: float) -> SummaryTask:
        """Return the same task under another budget."""
        return replace(self, budget=budget)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What may be chosen, as it would be printed."""
        passages = self.passages
        return tuple(
            self.layout.printed(passages.all[p], passages)
            for p in self.choosable.tolist()
        )

    @cached_property
    def concept_names(self) -> list[str]:
        """The concepts as text to show, spelled as the passages mostly do."""
        texts = [passage.text for passage in self.passages]
        return self.table.names(Terms(self.passages.language).spellings(texts))

    @property
    def adds_up(self) -> bool:
        """Whether the printed text measures what the items cost: then bounds hold."""
        return self.counts_passages or self.layout.adds_up(self.unit)

    def measure(self, items: Sequence[int]) -> float:
        """What the items cost as printed: nothing, if there are none."""
        if self.counts_passages:
            return len(items)
        return self.unit.measure(self.printed(items)) if len(items) else 0

    @property
    def counts_passages(self) -> bool:
        """Whether the budget counts sentences, and those are what is chosen.

        Splitting what is printed once more could join or cut some.
        """
        return (
            self.unit.name == SENTENCES.name
            and self.passages.by is Granularity.SENTENCE
        )

    def cost_of(self, p: int) -> float:
        """What passage p costs as printed alone, with its heading."""
        if self.counts_passages:
            return 1
        passage = self.passages.all[p]
        return self.unit.measure(self.layout.printed(passage, self.passages))

    def printed(self, items: Iterable[int]) -> str:
        """The chosen items as printed, in the order of the text."""
        return self.layout.joined(self.texts[i] for i in items)

    @cached_property
    def problem(self) -> CoverageProblem:
        """Items may be chosen; elements are the concepts, then the requirements.

        A requirement weighs more than all concepts together: whatever meets one more
        requirement is better.
        """
        num_concepts = len(self.table.concepts)
        num_items, num_elements = (
            self.choosable.size,
            num_concepts + len(self.requirements),
        )
        item_of = np.full(len(self.passages), -1)
        item_of[self.choosable] = np.arange(num_items)
        items = item_of[np.concatenate([self.table.passages, *self.requirements])]
        elements = np.concatenate(
            [
                self.table.held,
                *(
                    np.full(holders.size, num_concepts + k)
                    for k, holders in enumerate(self.requirements)
                ),
            ]
        )
        is_choosable = items >= 0
        weights = np.append(
            self.table.weights, [self._weight_of_a_requirement] * len(self.requirements)
        )
        costs, budget = self._costs_and_budget()
        return CoverageProblem(
            costs,
            weights,
            budget,
            Edges.between(
                items[is_choosable],
                elements[is_choosable],
                num_items=num_items,
                num_elements=num_elements,
            ),
        )

    @property
    def weight_of_requirements(self) -> float:
        """Weight that only meets requirements: it is no part of a summary's value."""
        return self._weight_of_a_requirement * len(self.requirements)

    @property
    def _weight_of_a_requirement(self) -> float:
        # No constant of its own: small weights would drown in it.
        return 2.0 * float(self.table.weights.sum()) or 1.0

    def _costs_and_budget(self) -> tuple[Floats, float]:
        if self.counts_passages:
            return np.ones(self.choosable.size), self.budget
        costs = self.layout.costs(self.texts, self.unit)
        return costs, self.layout.budget(self.budget, self.unit)
