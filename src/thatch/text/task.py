"""A summarizing task: passages with their prices and concepts, as coverage problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from thatch.arrays import Ints
from thatch.edges import Edges
from thatch.problem import CoverageProblem
from thatch.text.layout import Layout
from thatch.text.occurrences import ConceptTable
from thatch.text.passages import Passages
from thatch.text.units import Unit

__all__ = ["Task"]


@dataclass(frozen=True, eq=False)
class Task:
    """Which passages may be chosen, what they hold and cost, and the budget."""

    passages: Passages
    table: ConceptTable
    #: int64, the passages that may be chosen, ascending: the items of the problem.
    candidates: Ints
    #: Why each of the other passages may not be chosen.
    ruled_out: Mapping[int, str]
    #: Passages of which at least one must be chosen, for each requirement.
    requirements: Sequence[Ints]
    layout: Layout
    unit: Unit
    budget: float

    def with_budget(self, budget: float) -> Task:
        """Return the same task under another budget."""
        return replace(self, budget=budget)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The candidates as they would be printed."""
        passages = self.passages
        return tuple(
            self.layout.printed(passages.all[p], passages)
            for p in self.candidates.tolist()
        )

    def printed(self, items: Iterable[int]) -> str:
        """The chosen items as printed, in the order of the text."""
        return self.layout.joined(self.texts[i] for i in items)

    @cached_property
    def problem(self) -> CoverageProblem:
        """Items are the candidates, elements the concepts, then the requirements.

        A requirement weighs more than all concepts together: whatever meets one more
        requirement is better.
        """
        num_concepts = len(self.table.concepts)
        num_items, num_elements = (
            self.candidates.size,
            num_concepts + len(self.requirements),
        )
        item_of = np.full(len(self.passages), -1)
        item_of[self.candidates] = np.arange(num_items)
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
        is_candidate = items >= 0
        weights = np.append(
            self.table.weights, [self._weight_of_a_requirement] * len(self.requirements)
        )
        return CoverageProblem(
            self.layout.costs(self.texts, self.unit),
            weights,
            self.layout.budget(self.budget, self.unit),
            Edges.between(
                items[is_candidate],
                elements[is_candidate],
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
