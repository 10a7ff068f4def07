"""Summary tasks: passages with their costs and concepts, as a coverage problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from thatch.arrays import Floats, Ints
from thatch.caching import cached_property
from thatch.problem.coverage_problem import CoverageProblem
from thatch.problem.edges import Edges
from thatch.text.concepts.occurrences import ConceptTable
from thatch.text.costs.layout import Layout
from thatch.text.costs.units import Unit
from thatch.text.language.terms import Terms
from thatch.text.passages.passages import Granularity, Passages

__all__ = ["SummaryTask"]


@dataclass(frozen=True, eq=False)
class SummaryTask:
    """A coverage problem made of passages: what may be selected, covered and spent.

    The items are the passages that may be selected; the elements are the concepts, then
    the requirements.

    >>> from thatch import Summarizer
    >>> task = Summarizer().task("Snow fell. We left.", budget=4)
    >>> task.texts
    ('Snow fell.', 'We left.')
    """

    #: All passages of the documents.
    passages: Passages
    #: Which passage contains which concept, and the weights.
    table: ConceptTable
    #: int64: indices of the passages that may be selected, ascending; one per item.
    choosable: Ints
    #: Why each of the other passages may not be selected.
    ruled_out: Mapping[int, str]
    #: For each requirement, the passages of which at least one must be selected.
    requirements: Sequence[Ints]
    #: How passages are printed.
    layout: Layout
    #: What the budget measures.
    unit: Unit
    #: Maximum size of the printed summary.
    budget: float

    def with_budget(self, budget: float) -> SummaryTask:
        """Return the same task under another budget."""
        return replace(self, budget=budget)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The passages that may be selected, as printed; one per item."""
        passages = self.passages
        return tuple(
            self.layout.printed(passages.all[p], passages)
            for p in self.choosable.tolist()
        )

    @cached_property
    def concept_names(self) -> list[str]:
        """Names of the concepts to show, in the most frequent spelling."""
        texts = [passage.text for passage in self.passages]
        return self.table.names(Terms(self.passages.language).spellings(texts))

    @property
    def adds_up(self) -> bool:
        """Whether the size of the printed text is the sum of the items' costs.

        Only then do the solver's bounds apply to the printed text.
        """
        return self.counts_passages or self.layout.adds_up(self.unit)

    def measure(self, items: Sequence[int]) -> float:
        """Size of the items as printed; 0 if there are none."""
        if self.counts_passages:
            return len(items)
        return self.unit.measure(self.printed(items)) if len(items) else 0

    @property
    def counts_passages(self) -> bool:
        """Whether the budget counts sentences, and sentences are selected.

        They are counted as selected: splitting the printed text again could join some
        and divide others.
        """
        return self.unit.counts_sentences and self.passages.by is Granularity.SENTENCE

    def cost_of(self, p: int) -> float:
        """Size of passage p printed alone, with its heading."""
        if self.counts_passages:
            return 1
        passage = self.passages.all[p]
        return self.unit.measure(self.layout.printed(passage, self.passages))

    def printed(self, items: Iterable[int]) -> str:
        """The items as printed, in the order given."""
        return self.layout.joined(self.texts[i] for i in items)

    @cached_property
    def problem(self) -> CoverageProblem:
        """The coverage problem of the task.

        A requirement weighs more than all concepts together, so that a selection which
        meets one requirement more is always better.
        """
        num_concepts = len(self.table.concepts)
        num_items, num_elements = (
            self.choosable.size,
            num_concepts + len(self.requirements),
        )
        item_of = np.full(len(self.passages), -1)
        item_of[self.choosable] = np.arange(num_items)
        items = item_of[
            np.concatenate([self.table.passage_indices, *self.requirements])
        ]
        elements = np.concatenate(
            [
                self.table.concept_indices,
                *(
                    np.full(passages.size, num_concepts + k)
                    for k, passages in enumerate(self.requirements)
                ),
            ]
        )
        is_choosable = items >= 0
        weights = np.append(
            self.table.weights, [self._requirement_weight] * len(self.requirements)
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
        """Total weight of the requirements, which is not part of a summary's value."""
        return self._requirement_weight * len(self.requirements)

    @property
    def _requirement_weight(self) -> float:
        # Not a constant: rounding errors of a large one would hide small weights.
        return 2.0 * float(self.table.weights.sum()) or 1.0

    def _costs_and_budget(self) -> tuple[Floats, float]:
        if self.counts_passages:
            return np.ones(self.choosable.size), self.budget
        costs = self.layout.costs(self.texts, self.unit)
        return costs, self.layout.budget(self.budget, self.unit)
